import Foundation
import GRDB
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Answers from the cache match the committed state.
@Suite("Cached rows", .endsInTime)
struct RowCacheTests {
    @Test("A value in use stays cached while any number of others is added")
    func whatIsUsedIsKept() {
        var recent = RecentValues<Int, String>(capacity: 8)
        func value(_ key: Int) -> String? { recent.value(for: key) }
        recent.keep("mine", for: -1)
        for number in 0..<1000 {
            recent.keep("\(number)", for: number)
            #expect(value(-1) == "mine")
        }
        #expect(value(0) == nil && value(999) == "999")
        #expect((0..<1000).filter { value($0) != nil }.count <= 8)
        recent.forget(-1)
        #expect(value(-1) == nil)
    }

    @Test("The next status shows the change of any caller")
    func theNextStatusShowsTheChange() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 3])
            let id = device.activationId
            func status(_ field: String) async throws -> String? {
                // Twice: the second one is answered from what the first one has read.
                _ = try await client.activationStatus(id)
                return try await client.activationStatus(id).text(field)
            }
            #expect(try await status("activationStatus") == "ACTIVE")
            let changes: [(path: String, fields: [String: any Sendable], field: String, value: String)] = [
                ("activation/block", ["activationId": id, "reason": "LOST"], "blockedReason", "LOST"),
                ("activation/unblock", ["activationId": id], "activationStatus", "ACTIVE"),
                (
                    "activation/name/update", ["activationId": id, "activationName": "Blue", "externalUserId": "x"],
                    "activationName", "Blue"
                ),
                (
                    "activation/flags/create", ["activationId": id, "activationFlags": ["VIP"]], "activationFlags.0",
                    "VIP"
                ),
                (
                    "application/roles/create", ["applicationId": "lab", "applicationRoles": ["ROLE"]],
                    "applicationRoles.0", "ROLE"
                ),
            ]
            for change in changes {
                _ = try await client.activationStatus(id)
                #expect(try await client.backOffice(change.path, change.fields).status == 200)
                #expect(
                    try await client.activationStatus(id).text(change.field) == change.value,
                    "\(change.path) is not seen")
            }
            for failures in 1...3 {
                try await device.validateSignature(correct: false)
                #expect(try await client.activationStatus(id).number("failedAttempts") == failures)
            }
            #expect(try await status("activationStatus") == "BLOCKED")
            #expect(try await client.backOffice("activation/remove", ["activationId": id]).status == 200)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test("A version that is no longer supported, a token that was removed: the next request is refused")
    func theNextRequestIsRefused() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            func isTokenValid() async throws -> Bool? {
                client.clock.advance(milliseconds: 1)
                return try await client.validate(token.header(.v3_3, timestamp: client.timestamp)).flag("tokenValid")
            }
            for _ in 0..<2 { #expect(try await isTokenValid() == true) }
            #expect(
                try await client.backOffice(
                    "token/remove", ["tokenId": token.tokenId, "activationId": device.activationId]
                ).flag("removed") == true)
            #expect(try await isTokenValid() == false)

            for _ in 0..<2 { #expect(try await device.validateSignature() == 200) }
            let version = ["applicationId": "lab", "applicationVersionId": "default"]
            #expect(try await client.backOffice("application/version/unsupport", version).status == 200)
            #expect(try await device.validateSignature() == 401)
        }
    }

    @Test("After a restore the state of the snapshot is answered at once")
    func theStateOfTheSnapshot() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let id = device.activationId
            func lab(_ path: String) async throws {
                let body = Data(#"{"name": "one"}"#.utf8)
                #expect(try await client.send("/lab/\(path)", body: body).status == 200)
            }
            try await lab("snapshots")
            #expect(try await client.backOffice("activation/block", ["activationId": id]).status == 200)
            for _ in 0..<2 {
                #expect(try await client.activationStatus(id).text("activationStatus") == "BLOCKED")
            }
            try await lab("snapshots/one/restore")
            #expect(try await client.activationStatus(id).text("activationStatus") == "ACTIVE")
        }
    }

    @Test("What was read before a commit is not kept behind it")
    func whatWasReadBeforeACommit() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let context = fixture.server.services.context
            let cache = context.database.cache
            let revision = cache.revision
            let old = try #require(
                try context.read { try ActivationStore.find($0, id: Identifier(known: device.activationId)) })
            #expect(
                try await client.backOffice("activation/block", ["activationId": device.activationId]).status == 200)
            var rows = RowChanges()
            rows.activations[old.id] = .known(old)
            cache.take(over: rows, readAt: revision)
            #expect(cache.activation(old.id) == nil)
            #expect(try await client.activationStatus(old.id.text).text("activationStatus") == "BLOCKED")
        }
    }

    @Test("What another program has written is met by the next change")
    func whatAnotherProgramHasWritten() async throws {
        let directory = try TemporaryDirectory()
        try await ServerFixture(directory: directory).run { client in
            var device = try await client.activeDevice()
            #expect(try await device.validateSignature() == 200)
            try await onThread {
                try StoredDatabase.open(directory).write {
                    try $0.execute(sql: "UPDATE activation SET status = 4, blocked_reason = 'BY_HAND'")
                }
            }
            #expect(try await device.validateSignature() == 401)
            let status = try await client.activationStatus(device.activationId)
            #expect(status.text("activationStatus") == "BLOCKED")
        }
    }
}
