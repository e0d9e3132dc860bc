// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("One-time passwords", .endsInTime)
struct OtpTests {
    private static let keyExchange: [String: any Sendable] = [
        "activationOtpValidation": "ON_KEY_EXCHANGE", "activationOtp": "12345",
    ]

    @Test(
        .verifies("server.md", "B-15"),
        .verifies("rest-api.md", "B-22"))
    func `The right password at key exchange activates without commit`() async throws {
        try await ServerFixture.run { client in
            let (_, code) = try await client.initiate(Self.keyExchange)
            var device = try TestDevice(client, .v3_3)
            for _ in 0..<5 {
                #expect(try await device.activate(code: code).code == "ERR_ACTIVATION")
            }
            #expect(try await device.activate(code: code, otp: "12345").status == 200)
            let blob = try #require(try await device.status())
            #expect(blob.state == .active)
            #expect(blob.failedAttempts == 0)
        }
    }

    @Test(
        .verifies("server.md", "B-16", "B-17"),
        .verifies("rest-api.md", "B-22"))
    func `Wrong passwords are counted and remove the activation at the limit`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate(Self.keyExchange)
            var device = try TestDevice(client, .v3_3)
            for attempt in 1...4 {
                #expect(try await device.activate(code: code, otp: "0").status == 400)
                #expect(try await client.activationStatus(id).number("failedAttempts") == attempt)
            }
            #expect(try await device.activate(code: code, otp: "0").status == 400)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test(.verifies("server.md", "B-19")) func `An unexpected password does not skip the commit`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code, otp: "made up").code == "ERR_ACTIVATION")
            #expect(try await client.activationStatus(id).text("activationStatus") == "CREATED")
        }
    }

    @Test(.verifies("server.md", "B-18")) func `A password for the commit is asked for there`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate(["activationOtp": "777"])
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 200)
            func commit(_ otp: String?) async throws -> String? {
                var request: [String: any Sendable] = ["activationId": id]
                request["activationOtp"] = otp
                return try await client.backOffice("activation/commit", request).code
            }
            #expect(try await commit(nil) == "ERR0031")
            #expect(try await commit("778") == "ERR0031")
            #expect(try await client.activationStatus(id).number("failedAttempts") == 1)
            #expect(try await commit("777") == nil)
            #expect(try await device.status()?.state == .active)
        }
    }

    // commit                            operator
    // compares the password: right
    //                                   replaces the password
    // may not commit with the old one
    @Test func `A password that was replaced after it was compared does not count`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let (id, code) = try await client.initiate(["activationOtp": "777"])
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 200)
            let context = fixture.server.services.context
            let proof = try OtpProof.prepare(context, otp: "777", at: .onCommit) {
                try ActivationStore.find($0, id: Identifier(known: id))
            }
            try await client.backOffice("activation/otp/update", ["activationId": id, "activationOtp": "888"])
                .expectOK()
            let refusal = try context.change { change in
                var activation = try change.activation(Identifier(known: id))
                return try proof.refusal(of: &activation, at: .onCommit, in: change)
            }
            #expect(refusal?.code == .invalidActivationOtp)
        }
    }

    @Test(.verifies("server.md", "B-20")) func `The commit phase can be the key exchange`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate(["commitPhase": "ON_KEY_EXCHANGE"])
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 200)
            #expect(try await device.status()?.state == .active)
            #expect(try await client.backOffice("activation/commit", ["activationId": id]).code == "ERR0008")
        }
    }

    /// The requirement of one combination of mode, commit phase and stored hash at one phase.
    struct Rule: Sendable {
        let mode: OtpValidationMode
        let commitPhase: CommitPhase
        let hasHash: Bool
        let phase: CommitPhase
        let without: OtpRequirement.Check
        let with: OtpRequirement.Check

        init(
            _ mode: OtpValidationMode, _ commitPhase: CommitPhase, hash hasHash: Bool, at phase: CommitPhase,
            _ without: OtpRequirement.Check, _ with: OtpRequirement.Check
        ) {
            self.mode = mode
            self.commitPhase = commitPhase
            self.hasHash = hasHash
            self.phase = phase
            self.without = without
            self.with = with
        }
    }

    @Test(
        .verifies("server.md", "B-16"),
        arguments: [
            Rule(.none, .onCommit, hash: false, at: .onCommit, .skip, .refuse),
            Rule(.none, .onCommit, hash: true, at: .onCommit, .refuse, .verify),
            Rule(.none, .onCommit, hash: true, at: .onKeyExchange, .skip, .refuse),
            Rule(.none, .onKeyExchange, hash: true, at: .onKeyExchange, .refuse, .verify),
            Rule(.none, .onKeyExchange, hash: false, at: .onKeyExchange, .skip, .refuse),
            Rule(.onKeyExchange, .onCommit, hash: true, at: .onKeyExchange, .refuse, .verify),
            Rule(.onKeyExchange, .onCommit, hash: true, at: .onCommit, .skip, .refuse),
            Rule(.onCommit, .onCommit, hash: true, at: .onKeyExchange, .skip, .refuse),
            Rule(.onCommit, .onCommit, hash: true, at: .onCommit, .refuse, .verify),
        ])
    func `The rules of one phase`(rule: Rule) {
        let requirement = OtpRequirement(
            mode: rule.mode, commitPhase: rule.commitPhase, hash: rule.hasHash ? "hash" : nil)
        #expect(requirement.check(at: rule.phase, given: false) == rule.without)
        #expect(requirement.check(at: rule.phase, given: true) == rule.with)
    }

    @Test func `A stored hash matches its password only`() throws {
        let hash = try OtpHash.make("12345")
        #expect(!hash.contains("12345"))
        #expect(OtpHash.matches("12345", hash: hash))
        #expect(!OtpHash.matches("12346", hash: hash))
        #expect(!OtpHash.matches("12345", hash: "$pbkdf2$i=0$AA==$AA=="))
        #expect(try OtpHash.make("12345") != hash)
    }

    @Test func `A hash is written as the original writes it`() throws {
        let hash = try OtpHash.make("12345")
        // 16 and 32 bytes in Base64 without padding.
        let form = #/\$argon2i\$v=19\$m=32768,t=3,p=16\$[A-Za-z0-9+\/]{22}\$[A-Za-z0-9+\/]{43}/#
        #expect(hash.wholeMatch(of: form) != nil, "\(hash)")
    }

    @Test func `A server that no test has made cheap hashes passwords at the original's cost`() async throws {
        let fixture = try ServerFixture { $0.hashesCheaply = ServerConfiguration(directory: "").hashesCheaply }
        try await fixture.run { client in
            let (id, code) = try await client.initiate(Self.keyExchange)
            let stored = try fixture.server.services.context.activation(Identifier(known: id))?.otp.hash
            #expect(stored?.hasPrefix("$argon2i$v=19$m=32768,t=3,p=16$") == true, "\(stored ?? "no hash")")
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code, otp: "12345").status == 200)
        }
    }

    @Test func `A hash is compared at the cost that it was made with`() throws {
        let hash = try OtpHash.make("12345", cost: .least)
        #expect(hash.hasPrefix("$argon2i$v=19$m=8,t=1,p=1$"))
        #expect(OtpHash.matches("12345", hash: hash) && !OtpHash.matches("12346", hash: hash))
    }

    @Test func `Hashes of other servers match: the library's own vectors, and those of this server before Argon2`() {
        let vector = "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"
        #expect(OtpHash.matches("password", hash: vector))
        #expect(!OtpHash.matches("passwore", hash: vector))
        let former = "$pbkdf2$i=20000$AAECAwQFBgcICQoLDA0ODw==$hzLNl9sF5RZ/kr/a28bMWA=="
        #expect(OtpHash.matches("12345", hash: former))
        #expect(!OtpHash.matches("12346", hash: former))
    }

    @Test(
        arguments: [
            "", "$argon2i$", "$argon2i$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
            "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA=",
            "$argon2i$v=19$m=900000000,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
            "$argon2i$v=19$m=65536,t=900000000,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
            "$argon2i$v=19$m=1,t=1,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
        ])
    func `A hash that is unreadable or exceeds the cost limits matches nothing`(hash: String) {
        #expect(!OtpHash.matches("password", hash: hash))
    }

    @Test(
        arguments: [
            (262_144, 3, 16, true), (262_145, 3, 16, false), (8, 16, 1, true), (8, 17, 1, false), (8, 1, 64, true),
            (8, 1, 65, false),
        ])
    func `A stored hash is read up to the greatest cost, and written as it was`(
        memory: Int, passes: Int, lanes: Int, isRead: Bool
    ) {
        let text = "$argon2i$v=19$m=\(memory),t=\(passes),p=\(lanes)$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf"
        #expect(Argon2Hash(stored: text)?.text == (isRead ? text : nil))
    }
}
