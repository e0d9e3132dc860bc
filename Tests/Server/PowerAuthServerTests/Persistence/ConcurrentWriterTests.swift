// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Sixty-four callers want to change the same activation at once. SQLite lets one write after the other; what is
/// shown here is that every decision is made inside of its transaction.
@Suite("Concurrent writers", .endsInTime)
struct ConcurrentWriterTests {
    private static let writers = 64

    /// Calls so many times at once and collects the results, in no order.
    private func atOnce<Value: Sendable>(
        _ count: Int = writers, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Enough threads that requests do overlap.
    private func fixture(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> ServerFixture {
        try ServerFixture { configuration in
            configuration.workerThreads = 16
            configure(&configuration)
        }
    }

    @Test func `Of sixty-four copies of one signature exactly one is accepted`() async throws {
        try await fixture().run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 100])
            let header = try device.signature(uriId: "/pa/signature/validate", body: Data())
            let statuses = try await atOnce { _ in
                try await client.send("/pa/v3/signature/validate", headers: [SignatureHeader.name: header.value]).status
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 401 }.count == Self.writers - 1)
            #expect(try await device.status()?.counter?.byte == 1)
        }
    }

    @Test func `Signatures that overtake each other are accepted once, and the counter only grows`() async throws {
        // A late request finds the counter ahead and is refused: any order is accepted, a repetition is not.
        let fixture = try fixture { $0.policy.lookAhead = Self.writers }
        try await fixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 1000])
            let first = device.counter
            let headers = try (0..<Self.writers).map { _ in
                try device.signature(uriId: "/pa/signature/validate", body: Data())
            }
            let outcomes = try await atOnce(2 * Self.writers) { index in
                let number = index % Self.writers
                let header = [SignatureHeader.name: headers[number].value]
                return (number, try await client.send("/pa/v3/signature/validate", headers: header).status)
            }
            let accepted = outcomes.filter { $0.1 == 200 }.map(\.0)
            #expect(Set(accepted).count == accepted.count, "a signature was accepted twice")
            #expect(outcomes.allSatisfy { $0.1 == 200 || $0.1 == 401 })
            let last = try #require(accepted.max())

            // The records stand in the order of the transactions.
            let records = try fixture.server.services.context.read {
                try SignatureAuditStore.list($0, userId: "alice", applicationId: nil, from: nil, to: nil)
            }.sorted { $0.id < $1.id }
            #expect(records.count == outcomes.count)
            let counters = records.compactMap(\.counter)
            #expect(counters == counters.sorted(), "the counter went back")
            let spent = records.filter(\.isValid).compactMap(\.counter)
            #expect(Set(spent).count == spent.count, "a counter was used twice")
            #expect(spent.count == accepted.count)

            let stored = try fixture.server.services.context.read {
                try ActivationStore.find($0, id: Identifier(known: device.activationId))
            }?.lifecycle.binding
            #expect(stored?.counter == UInt64(last) + 1)
            #expect(stored?.counterData == first.advanced(by: last + 1).rawData)
        }
    }

    @Test func `Sixty-four tokens are created at once, each its own`() async throws {
        let fixture = try fixture { $0.policy.lookAhead = Self.writers }
        try await fixture.run { client in
            let device = try await client.activeDevice(.v3_3, ["maxFailureCount": 1000])
            let scope = try await device.activationScope()
            // Only the tokens are tested, so each has the signature of an activation that does not change.
            let service = fixture.server.services.tokens
            let sealed = try (0..<Self.writers).map { _ in
                let (envelope, decryptor) = try device.seal([:], scope, .createToken)
                let request = try SealedRequest(
                    version: device.version, applicationKey: device.configuration.applicationKeyText,
                    activationId: device.activationId, envelope: envelope)
                return (request, decryptor)
            }
            let workers = fixture.server.workers
            let tokens = try await atOnce { index in
                let answer = try await workers.run {
                    Result { try service.create(sealed[index].0, signatureType: .possession) }
                }.get()
                return try JSONDecoder().decode(TestDevice.CreatedToken.self, from: sealed[index].1.decrypt(answer))
            }
            #expect(Set(tokens.map(\.tokenId)).count == Self.writers)
            #expect(Set(tokens.map(\.tokenSecret)).count == Self.writers)
            let verdicts = try await atOnce { index in
                try await client.validate(tokens[index].header(.v3_3, timestamp: client.timestamp)).flag("tokenValid")
            }
            #expect(verdicts == Array(repeating: true, count: Self.writers))
            let count = try fixture.server.services.context.read {
                try TokenStore.count($0, activationId: Identifier(known: device.activationId))
            }
            #expect(count == Self.writers)
        }
    }

    @Test func `One header of a token is worth one validation`() async throws {
        try await fixture().run { client in
            var device = try await client.activeDevice()
            let header = try await device.createToken().header(.v3_3, timestamp: client.timestamp)
            let answers = try await atOnce { _ in try await client.validate(header) }
            #expect(answers.filter { $0.flag("tokenValid") == true }.count == 1)
            #expect(answers.filter { $0.code == "ERR0024" }.count == Self.writers - 1)
        }
    }

    @Test func `The same encrypted request is accepted once`() async throws {
        try await fixture().run { client in
            let device = try await client.activeDevice()
            let scope = try await device.activationScope()
            let (request, _) = try device.seal(["data": "hello"], scope, .activationGeneric)
            let body = try JSONEncoder().encode(request)
            let headers = [EncryptionHeader.name: device.encryptionHeader(scope).value]
            let statuses = try await atOnce { _ in
                try await client.send("/exchange/v3/activation", headers: headers, body: body).status
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 400 }.count == Self.writers - 1)
        }
    }

    @Test func `An activation is committed once`() async throws {
        try await fixture().run { client in
            let (id, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: code)
            let answers = try await atOnce { _ in try await client.backOffice("activation/commit", ["activationId": id])
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.code == "ERR0008" }.count == Self.writers - 1)
            #expect(try await history(client, id) == ["CREATED", "PENDING_COMMIT", "ACTIVE"])
        }
    }

    @Test func `One code activates one device`() async throws {
        try await fixture().run { client in
            let (id, code) = try await client.initiate()
            let outcomes = try await atOnce(16) { _ in
                var device = try TestDevice(client, .v3_2)
                return try await device.activate(code: code).status
            }
            #expect(outcomes.filter { $0 == 200 }.count == 1)
            #expect(outcomes.filter { $0 == 400 }.count == outcomes.count - 1)
            #expect(try await history(client, id) == ["CREATED", "PENDING_COMMIT"])
        }
    }

    @Test func `Blocking, unblocking and removing at once makes allowed transitions only`() async throws {
        try await fixture().run { client in
            let device = try await client.activeDevice()
            let id = device.activationId
            let calls = ["block", "unblock", "remove"]
            let answers = try await atOnce(3 * Self.writers) { index in
                let call = calls[index % calls.count]
                // Removal comes last in most orders, so that the others have something to fight for.
                let answer = try await client.backOffice("activation/\(call)", ["activationId": id])
                return (call, answer.status)
            }
            #expect(answers.allSatisfy { $0.1 == 200 || $0.1 == 400 })
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
            let states = try await history(client, id)
            let allowed: Set<[String]> = [
                ["CREATED", "PENDING_COMMIT"], ["PENDING_COMMIT", "ACTIVE"], ["ACTIVE", "BLOCKED"],
                ["BLOCKED", "ACTIVE"], ["ACTIVE", "REMOVED"], ["BLOCKED", "REMOVED"],
            ]
            for (before, after) in zip(states, states.dropFirst()) where before != after {
                #expect(allowed.contains([before, after]), "\(before) became \(after)")
            }
            #expect(states.filter { $0 == "REMOVED" }.count == 1)
            #expect(states.last == "REMOVED")
        }
    }

    /// The states an activation was saved in, oldest first.
    private func history(_ client: ServerClient, _ id: String) async throws -> [String] {
        let answer = try await client.backOffice(
            "activation/history",
            ["activationId": id, "timestampFrom": 0, "timestampTo": Int(client.timestamp)])
        let items = try #require(answer.value("items") as? [[String: Any]])
        return items.compactMap { $0["activationStatus"] as? String }.reversed()
    }
}
