// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Activations that a lab puts into the database as if they had a past.
@Suite("Seeded activations", .endsInTime)
struct SeedTests {
    private func seed(_ client: ServerClient, _ blueprint: JSONValue) async throws -> [JSONValue] {
        let answer = try await client.plain("/lab/seed", ["activations": [blueprint]])
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json["activations"]?.arrayValue ?? []
    }

    private func stored(_ fixture: ServerFixture, _ seeded: JSONValue) throws -> Activation {
        let id = try #require(seeded["activationId"]?.stringValue)
        return try #require(try fixture.server.services.context.activation(Identifier(known: id)))
    }

    @Test(arguments: ActivationState.allCases)
    func `Each value of a blueprint is that of its activation`(state: ActivationState) async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            try await client.backOffice("application/create", ["applicationId": "other"]).expectOK()
            let key = try PrivateKey.generate().publicKey
            let counterData = Data(repeating: 5, count: 16)
            let seeded = try await seed(
                client,
                [
                    "userId": "dora", "applicationId": "other", "status": .string(state.name), "version": 2,
                    "devicePublicKey": .string(StrictBase64.encode(key.compressed)), "counter": 300,
                    "ctrData": .string(StrictBase64.encode(counterData)), "failedAttempts": 2,
                    "maxFailedAttempts": 7, "blockedReason": "LOST", "activationName": "Blue", "flags": ["b", "a"],
                ])
            try #require(seeded.count == 1)
            let binding = DeviceBinding(
                devicePublicKey: key.uncompressed, counter: 300, counterData: counterData, version: 2)
            try check(seeded[0], stored(fixture, seeded[0]), state, binding, at: client.clock.now())
        }
    }

    private func check(
        _ seeded: JSONValue, _ activation: Activation, _ state: ActivationState, _ binding: DeviceBinding,
        at now: ServerTime
    ) throws {
        #expect(activation.userId == "dora" && activation.application.id == "other")
        #expect(activation.status == state && activation.maxFailedAttempts == 7 && activation.flags == ["a", "b"])
        #expect(activation.lifecycle.blockedReason == (state == .blocked ? "LOST" : nil))
        let isOpen = state == .created || state == .pendingCommit
        #expect(activation.lifecycle.expires == (isOpen ? now.advanced(by: 300_000) : nil))
        #expect(activation.lifecycle.binding == (state == .created ? nil : binding))
        #expect(activation.name == "Blue" && activation.failedAttempts == 2)
        #expect(seeded["userId"] == "dora" && seeded["activationStatus"] == .string(state.name))
        #expect(seeded["activationCode"]?.stringValue == activation.code)
        #expect(seeded["serverPublicKey"] == .string(StrictBase64.encode(activation.serverPublicKey)))
        let counterData = state == .created ? JSONValue.null : .string(StrictBase64.encode(binding.counterData))
        #expect(seeded["ctrData"] == counterData)
    }

    @Test
    func `A blueprint of a user alone is an active activation of the first application that was never used`()
        async throws
    {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            let plain = try await seed(client, ["userId": "dora"])
            let activation = try stored(fixture, plain[0])
            #expect(activation.application.id == "lab" && activation.status == .active && activation.flags == [])
            #expect(activation.failedAttempts == 0 && activation.maxFailedAttempts == 5 && activation.name == nil)
            #expect(activation.lifecycle.binding?.counter == 0 && activation.lifecycle.binding?.version == 3)
            let blocked = try await seed(client, ["userId": "dora", "status": "BLOCKED"])
            #expect(try stored(fixture, blocked[0]).lifecycle.blockedReason == "NOT_SPECIFIED")
        }
    }

    @Test(arguments: [(-1, 0), (3, 3), (4, 3)])
    func `Failures are none at least and as many as there can be at most`(given: Int, kept: Int) async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            let seeded = try await seed(
                client, ["userId": "dora", "failedAttempts": .integer(Int64(given)), "maxFailedAttempts": 3])
            #expect(try stored(fixture, seeded[0]).failedAttempts == kept)
        }
    }

    @Test func `Several of a kind belong to users of their own, with keys of their own`() async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            let seeded = try await seed(client, ["userId": "dora", "count": 3])
            #expect(seeded.map { $0["userId"] } == ["dora", "dora-2", "dora-3"])
            for field in ["activationId", "activationCode", "serverPublicKey", "ctrData"] {
                #expect(Set(seeded.map { $0[field] }).count == 3, "\(field)")
            }
        }
    }

    @Test(
        arguments: [
            ["userId": "x", "version": 1], ["userId": "x", "version": 4], ["userId": "x", "ctrData": "AAAA"],
            ["userId": "x", "ctrData": "%"], ["userId": "x", "devicePublicKey": "AAAA"],
            ["userId": "x", "devicePublicKey": "%"], ["userId": "x", "applicationId": "unknown"],
            ["userId": "x", "status": "OTHER"], ["userId": "x", "maxFailedAttempts": 0],
        ] as [JSONValue])
    func `A blueprint without sense seeds nothing`(blueprint: JSONValue) async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            let answer = try await client.plain("/lab/seed", ["activations": [["userId": "dora"], blueprint]])
            #expect(answer.status == 400)
            #expect(try fixture.rows("activation") == 0)
        }
    }
}

/// The states that a lab keeps under names.
@Suite("Snapshots", .endsInTime)
struct SnapshotTests {
    private func snapshots(_ fixture: ServerFixture) -> SnapshotService {
        SnapshotService(database: fixture.server.services.context.database, directory: fixture.directory.path + "/kept")
    }

    private func applications(_ fixture: ServerFixture) throws -> [Identifier] {
        try fixture.server.services.applications.list().map(\.id)
    }

    @Test
    func `Snapshots are listed by name, without other files; the last one of a name is restored, until it is removed`()
        throws
    {
        let fixture = try ServerFixture()
        let snapshots = snapshots(fixture)
        #expect(try snapshots.names() == [])
        let longest = String(repeating: "x", count: 64)
        for name in ["b", longest, "A_1-z"] { try snapshots.take(name) }
        _ = try fixture.server.services.applications.create(id: "one")
        try snapshots.take("b")
        _ = try fixture.server.services.applications.create(id: "two")
        try Data("text".utf8).write(to: URL(filePath: fixture.directory.path + "/kept/note.txt"))
        #expect(try snapshots.names() == ["A_1-z", "b", longest])
        try snapshots.restore("b")
        #expect(try applications(fixture) == ["lab", "one"])
        try snapshots.restore("A_1-z")
        #expect(try applications(fixture) == ["lab"])
        try snapshots.remove("A_1-z")
        #expect(try snapshots.names() == ["b", longest])
        let error = #expect(throws: ServiceError.self) { try snapshots.restore("A_1-z") }
        #expect(error?.cause == "unknown snapshot A_1-z; existing: b, \(longest)")
    }

    @Test(arguments: [nil, "", "a.b", "../a", "a/b", "a "])
    func `A name that is no plain word is refused, and nothing is kept`(name: String?) throws {
        let fixture = try ServerFixture()
        let snapshots = snapshots(fixture)
        for long in [name, String(repeating: "x", count: 65), "\u{E9}"] {
            #expect(throws: ServiceError.self) { try snapshots.take(long) }
            #expect(throws: ServiceError.self) { try snapshots.restore(long) }
            #expect(throws: ServiceError.self) { try snapshots.remove(long) }
        }
        #expect(try snapshots.names() == [])
        let error = #expect(throws: ServiceError.self) { try snapshots.remove("none") }
        #expect(error?.cause == "unknown snapshot none; existing: none")
    }
}
