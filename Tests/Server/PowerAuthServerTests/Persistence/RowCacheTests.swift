// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Answers from the cache match the committed state.
@Suite("Cached rows", .endsInTime)
struct RowCacheTests {
    @Test func `A value in use stays cached while any number of others is added`() {
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

    @Test func `The next status shows the change of any caller`() async throws {
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

    @Test
    func `A version that is no longer supported, a token that was removed: the next request is refused`() async throws {
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

    @Test func `After a restore the state of the snapshot is answered at once`() async throws {
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

    @Test func `What was read before a commit is not kept behind it`() async throws {
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

    private static let version = ApplicationVersion(
        application: Application(row: 1, id: "lab", roles: []), id: "default", applicationKey: "key",
        applicationSecret: "secret", isSupported: true)

    private static func token(_ secret: UInt8) -> Token {
        Token(
            id: "token", activationId: "activation", secret: Data([secret]), signatureType: "POSSESSION",
            created: ServerTime(milliseconds: 0))
    }

    @Test func `What was read is kept where no commit came meanwhile, and until all is forgotten`() {
        let cache = RowCache()
        let activation = Activation.sample(.active(.sample))
        var rows = RowChanges()
        rows.activations[activation.id] = .known(activation)
        rows.versions["key"] = .known(Self.version)
        rows.tokens["token"] = .known(Self.token(1))
        func kept() -> [Bool] {
            [
                cache.activation(activation.id) == activation, cache.version("key") == Self.version,
                cache.token("token")?.secret == Data([1]),
            ]
        }
        let before = cache.revision
        cache.take(over: rows, readAt: before)
        #expect(kept() == [true, true, true] && cache.revision == before)
        cache.forgetAll()
        #expect(kept() == [false, false, false])
        cache.take(over: rows, readAt: before)
        #expect(kept() == [false, false, false])
        cache.take(over: rows, readAt: cache.revision)
        #expect(kept() == [true, true, true])
        // What a commit has changed is read anew.
        var changed = RowChanges()
        changed.activations[activation.id] = .unknown
        changed.tokens["token"] = .unknown
        cache.take(over: changed)
        #expect(kept() == [false, true, false])
    }

    @Test
    func `A transaction sees the rows of its request, then those of requests that stand, then the committed ones`() {
        let cache = RowCache()
        var committed = RowChanges()
        committed.tokens["token"] = .known(Self.token(1))
        committed.versions["key"] = .known(Self.version)
        cache.take(over: committed)
        let rows = TransactionRows(cache)
        func secret() -> UInt8? { rows.token("token")?.secret.first }
        #expect(secret() == 1 && rows.version("key") == Self.version)
        rows.note { $0.tokens["token"] = .known(Self.token(2)) }
        #expect(secret() == 2)
        rows.endRequest(stands: false)
        #expect(secret() == 1)
        rows.note { $0.tokens["token"] = .known(Self.token(3)) }
        rows.endRequest(stands: true)
        #expect(secret() == 3)
        rows.note { $0.tokens["token"] = .unknown }
        #expect(secret() == nil)
        rows.endRequest(stands: false)
        #expect(secret() == 3 && rows.version("key") == Self.version)
        rows.note { $0.forgetAll() }
        #expect(secret() == nil && rows.version("key") == nil)
        rows.note { $0.tokens["token"] = .known(Self.token(4)) }
        rows.endRequest(stands: true)
        #expect(secret() == 4 && rows.version("key") == nil)
        // Nothing of it is seen by others before its commit.
        #expect(cache.token("token")?.secret.first == 1 && cache.version("key") == Self.version)
        rows.publish()
        #expect(cache.token("token")?.secret.first == 4 && cache.version("key") == nil)
    }

    @Test func `What another program has written is met by the next change`() async throws {
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
