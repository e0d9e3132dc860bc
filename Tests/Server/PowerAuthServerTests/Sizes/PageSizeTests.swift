// SPDX-License-Identifier: Apache-2.0

import GRDB
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// A page has as many as it may, and the next one the rest.
@Suite("Sizes of pages", .endsInTime)
struct PageSizeTests {
    @Test(
        .verifies("size", "MobileOperationService.pageSize"),
        arguments: Sizes.around(MobileOperationService.pageSize))
    func `A list of operations for an app`(count: Int) async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let app = try await client.mobileApp()
            let id = try await client.operation("login")
            try fixture.copyLastRow(
                of: "operation", times: count - 1, ["id": "'o-' || i", "t_created": "t_created + i"])
            let applications = "(SELECT application FROM operation_application WHERE operation = '\(id)')"
            try fixture.server.services.context.change { change in
                try change.database.execute(
                    sql: """
                        INSERT INTO operation_application (operation, application)
                        SELECT id, \(applications) FROM operation WHERE id <> '\(id)'
                        """)
            }
            let shown = try await app.list().compactMap { $0["id"]?.stringValue }
            #expect(shown.count == min(count, MobileOperationService.pageSize))
            #expect(shown.first == (count == 1 ? id : "o-\(count - 1)"))
            #expect(shown.contains(id) == (count <= MobileOperationService.pageSize))
        }
    }

    @Test(
        .verifies("size", "InboxEndpoints.pageSize"),
        arguments: Sizes.around(InboxEndpoints.pageSize))
    func `The first and the second page of an inbox`(count: Int) async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let app = try await client.mobileApp()
            _ = try await client.plain("/lab/inbox")
            try fixture.copyLastRow(of: "inbox_message", times: count - 1, ["id": "'m-' || i"])
            try fixture.server.services.context.change { change in
                try change.database.execute(
                    sql: """
                        INSERT INTO inbox_message_application (message, application)
                        SELECT id, (SELECT min(application) FROM inbox_message_application) FROM inbox_message
                        WHERE id LIKE 'm-%'
                        """)
            }
            var seen: Set<String> = []
            for (page, size) in [
                (0, min(count, InboxEndpoints.pageSize)), (1, max(0, count - InboxEndpoints.pageSize)),
            ] {
                let listed = try await app.ask("/api/inbox/message/list", ["page": .integer(Int64(page))])
                let ids = (listed.object.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
                #expect(ids.count == size)
                seen.formUnion(ids)
            }
            #expect(seen.count == count)
            #expect(try await app.ask("/api/inbox/count").object["countUnread"]?.integerValue == Int64(count))
        }
    }

    @Test(
        .verifies("size", "ServerPolicy.pageSize"),
        arguments: Sizes.around(ServerPolicy().pageSize))
    func `A list of activations for the back office`(count: Int) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            _ = try await client.initiate()
            try fixture.copyLastRow(
                of: "activation", times: count - 1,
                ["activation_id": "'a-' || i", "code": "substr('00000000000' || i, -11)"])
            var seen = 0
            for page in 0...1 {
                let listed = try await client.backOffice("activation/list", ["userId": "alice", "pageNumber": page])
                let size = (listed.value("activations") as? [Any])?.count ?? -1
                #expect(size == min(max(0, count - page * ServerPolicy().pageSize), ServerPolicy().pageSize))
                seen += size
            }
            #expect(seen == count)
        }
    }

    @Test(
        .verifies("size", "SignatureAuditStore.most"),
        arguments: Sizes.around(SignatureAuditStore.most))
    func `The audit of signatures shows the newest`(count: Int) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var device = try await client.activeDevice()
            try await device.verifySignature()
            try fixture.copyLastRow(of: "signature_audit", times: count - 1, ["id": "id + i", "signature": "i"])
            let listed = try await client.backOffice("signature/list", ["userId": "alice"])
            #expect((listed.value("items") as? [Any])?.count == min(count, SignatureAuditStore.most))
            #expect(listed.text("items.0.signature") == "\(count - 1)")
        }
    }

    @Test(
        .verifies("size", "AuditStore.page"),
        arguments: Sizes.around(AuditStore.page))
    func `The audit shows the oldest behind a number, and the rest behind the last`(count: Int) async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            _ = try await client.initiate()
            try fixture.copyLastRow(of: "audit_log", times: count - 1, ["id": "id + i"])
            var (number, sizes) = (Int64(0), [Int]())
            for _ in 0...1 {
                let answer = try await client.send("/lab/audit?after=\(number)", method: .get)
                let entries = try JSONValue.parse(answer.body)["entries"]?.arrayValue ?? []
                sizes.append(entries.count)
                number = entries.last?["number"]?.integerValue ?? number
            }
            #expect(sizes == [min(count, AuditStore.page), max(0, count - AuditStore.page)])
        }
    }

    @Test(
        .verifies("size", "CallbackStore.mostAttempts"),
        arguments: Sizes.around(CallbackStore.mostAttempts))
    func `The log of a callback shows the newest attempts`(count: Int) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let id = try await client.createCallback()
            _ = try await client.initiate()
            try await fixture.runJobs()
            try fixture.copyLastRow(of: "callback_event", times: count - 1, ["id": "id + i"])
            try fixture.server.services.context.change { change in
                try change.database.execute(
                    sql: """
                        INSERT INTO callback_attempt (event, number, http_status, t_called)
                        SELECT id, 1, id, 0 FROM callback_event WHERE id > (SELECT min(id) FROM callback_event)
                        """)
            }
            let log = try await client.backOffice("application/callback/deliveries", ["id": id])
            #expect((log.value("attempts") as? [Any])?.count == min(count, CallbackStore.mostAttempts))
        }
    }

    @Test(
        .verifies("size", "PushJournal.limit"),
        arguments: Sizes.ofBatches(PushJournal.limit))
    func `The journal of pushes drops the oldest tenth when it is full`(count: Int) {
        let journal = PushJournal()
        for _ in 1...count {
            _ = journal.add(
                .init(
                    id: "id", token: "t", userId: "alice", activationId: "a", kind: .alert, priority: 10, payload: [:],
                    outcome: nil))
        }
        let numbers = journal.entries(after: 0).map(\.number)
        #expect(numbers.last == count)
        #expect(numbers == Array((numbers.first ?? 0)...count), "without a gap")
        #expect(numbers.count <= PushJournal.limit && numbers.count > PushJournal.limit * 8 / 10)
        #expect(count > PushJournal.limit || numbers.count == count)
        #expect(journal.entries(after: count - 1).map(\.number) == [count])
    }
}
