// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Persistence", .endsInTime)
struct PersistenceTests {
    @Test func `Everything is there after a restart`() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let first = try ServerFixture(directory: directory, clock: clock)
        let (device, token) = try await first.run { client in
            var device = try await client.activeDevice()
            #expect(try await device.validateSignature() == 200)
            #expect(try await device.validateSignature(correct: false) == 401)
            let token = try await device.createToken(type: .possession)
            return (device, token)
        }
        let second = try ServerFixture(directory: directory, clock: clock)
        try await second.run { client in
            var again = try TestDevice(client, .v3_3)
            #expect(again.configuration == device.configuration)
            again.activationId = device.activationId
            again.keys = device.keys
            again.serverPublicKey = device.serverPublicKey
            again.counter = device.counter
            let blob = try #require(try await again.status())
            #expect(blob.state == .active)
            #expect(blob.failedAttempts == 1)
            #expect(try await again.validateSignature() == 200)
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            #expect(try await client.validate(header).flag("tokenValid") == true)
        }
    }

    @Test func `A database of a newer server is left alone`() throws {
        let directory = try TemporaryDirectory()
        _ = try ServerFixture(directory: directory)
        try StoredDatabase.open(directory).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 from the future')")
        }
        #expect {
            _ = try ServerFixture(directory: directory)
        } throws: { error in
            "\(error)".contains("newer server") && "\(error)".contains("99 from the future")
        }
    }

    @Test(arguments: [true, false])
    func `No answer leaves while its commit waits; others are answered meanwhile`(isQuick: Bool) async throws {
        let directory = try TemporaryDirectory()
        let commit = HeldCommit()
        let fixture = try ServerFixture(
            directory: directory,
            faults: ServerFaults(areArmed: { !isQuick }, beforeCommit: { commit.pass() }, afterCommit: {}))
        try await fixture.run { client in
            var device = try await client.activeDevice()
            // The first request for a record is answered by a worker.
            #expect(try await device.verifySignature().flag("signatureValid") == true)
            commit.hold()
            async let verdict = verify(device, commit)
            try await onThread { commit.waitUntilHeld() }
            // Longer than an early answer would need: other requests are answered meanwhile.
            for _ in 0..<20 { #expect(try await client.send("/pa/v3/status", body: Data("{}".utf8)).status == 200) }
            #expect(!commit.isAnswered)
            #expect(StoredCounter(directory).value == 1)
            commit.release()
            #expect(try await verdict.flag("signatureValid") == true)
            #expect(StoredCounter(directory).value == 2)
        }
    }

    @Test(arguments: [true, false])
    func `At the moment an answer leaves, what it reports is stored`(isQuick: Bool) async throws {
        let directory = try TemporaryDirectory()
        let journal = LookingJournal(directory)
        let fixture = try ServerFixture(
            directory: directory, log: journal, faults: ServerFaults(areArmed: { !isQuick }))
        try await fixture.run { client in
            var device = try await client.activeDevice()
            for _ in 0..<3 { #expect(try await device.verifySignature().flag("signatureValid") == true) }
        }
        #expect(journal.counters == [1, 2, 3], "the counter that a new process would find when each answer left")
    }

    private func verify(_ device: TestDevice, _ commit: HeldCommit) async throws -> Answer {
        var device = device
        let answer = try await device.verifySignature()
        commit.noteAnswer()
        return answer
    }

    /// The counter as a second connection sees it, which is what a new process would see.
    private struct StoredCounter {
        let directory: TemporaryDirectory

        init(_ directory: TemporaryDirectory) { self.directory = directory }

        var value: Int? {
            // A database that cannot be read has no counter.
            try? StoredDatabase.open(directory).read { try Int.fetchOne($0, sql: "SELECT counter FROM activation") }
        }
    }

    /// Looks at the stored counter whenever the answer to a verification is about to leave.
    private final class LookingJournal: ServerJournal {
        private let counter: StoredCounter
        private let seen = Mutex<[Int?]>([])

        init(_ directory: TemporaryDirectory) { counter = StoredCounter(directory) }

        var counters: [Int?] { seen.withLock { $0 } }

        func record(_ event: ServerEvent, operation: String?) {
            guard case .requestAnswered(_, "/rest/v3/signature/verify", _, _) = event else { return }
            let value = counter.value
            seen.withLock { $0.append(value) }
        }
    }

    @Test func `A fault before the commit changes nothing, one after it keeps the change`() async throws {
        struct Injected: Error {}
        let armed = FaultSwitch()
        let fixture = try ServerFixture(
            faults: ServerFaults(
                beforeCommit: { if armed.is("before") { throw Injected() } },
                afterCommit: { if armed.is("after") { throw Injected() } }))
        try await fixture.run { client in
            var device = try await client.activeDevice()
            armed.set("before")
            #expect(try await device.validateSignature() == 500)
            armed.set(nil)
            #expect(try await device.status()?.counter?.byte == 0)
            armed.set("after")
            #expect(try await device.validateSignature() == 500)
            armed.set(nil)
            #expect(try await device.status()?.counter?.byte == 2)
            #expect(try await device.validateSignature() == 200)
        }
    }

    @Test func `The journal states what changed and on whose behalf`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let body = try JSONEncoder().encode(["requestObject": ["userId": "alice", "applicationId": "lab"]])
            let headers = [ServerHeader.operation: "op-7"]
            _ = try await client.send("/rest/v3/activation/init", headers: headers, body: body)
        }
        let caused = fixture.journal.events.filter { $0.operation == "op-7" }.map(\.event)
        try #require(caused.count == 3)
        guard case .requestReceived("POST", "/rest/v3/activation/init") = caused[0],
            case .activationChanged(_, nil, .created, nil) = caused[1],
            case .requestAnswered("POST", "/rest/v3/activation/init", 200, _) = caused[2]
        else { throw Unexpected("unexpected events \(caused)") }
    }
}

/// Says which fault is armed.
private final class FaultSwitch: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var armed: String?

    func set(_ name: String?) { lock.withLock { armed = name } }
    func `is`(_ name: String) -> Bool { lock.withLock { armed == name } }
}
