// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The vault", .endsInTime)
struct VaultTests {
    private func unlock(
        _ device: inout TestDevice, reason: String = "ADD_BIOMETRY", type: SignatureType = .possessionKnowledge,
        correct: Bool = true, change: (inout EciesRequest) -> Void = { _ in }
    ) async throws -> (answer: Answer, vaultKey: VaultKey?) {
        var (request, decryptor) = try device.seal(["reason": reason], try await device.activationScope(), .vaultUnlock)
        change(&request)
        let answer = try await device.sendSigned(
            "/pa/v3/vault/unlock", uriId: "/pa/vault/unlock", body: JSONEncoder().encode(request), type: type,
            correct: correct)
        guard answer.status == 200 else { return (answer, nil) }
        let plaintext = try decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body))
        let object = try JSONDecoder().decode([String: String].self, from: plaintext)
        let wrapped = try #require(object["encryptedVaultEncryptionKey"].flatMap { StrictBase64.decode($0) })
        return (answer, try Vault.unwrap(wrapped, transportKey: #require(device.keys).transport))
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `Possession and knowledge open the vault`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let key = try await unlock(&device).vaultKey
            #expect(key == device.keys?.vault)
            #expect(try await device.validateSignature() == 200)
        }
    }

    @Test(.verifies("server.md", "B-39"), .verifies("rest-api.md", "B-13"))
    func `Other factors do not, and are not counted`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for type in [SignatureType.possession, .possessionBiometry, .possessionKnowledgeBiometry] {
                let refused = try await unlock(&device, type: type).answer
                #expect(refused.status == 400)
                #expect(refused.code == "ERR_SECURE_VAULT")
            }
            #expect(try await device.status()?.counter?.byte == 0)
            #expect(try await device.status()?.failedAttempts == 0)
        }
    }

    @Test(
        .verifies("server.md", "B-39", "B-40"),
        .verifies("rest-api.md", "B-14", "B-15"))
    func `A wrong password is counted, a bad envelope or reason is not`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let wrong = try await unlock(&device, correct: false).answer
            #expect(wrong.status == 401 && wrong.code == "ERR_AUTHENTICATION")
            #expect(try await device.status()?.failedAttempts == 1)
            let changed = try await unlock(&device, change: { $0.mac[0] ^= 1 }).answer
            #expect(changed.status == 400 && changed.code == "ERR_SECURE_VAULT")
            for reason in ["no spaces", "ab", String(repeating: "x", count: 256)] {
                #expect(try await unlock(&device, reason: reason).answer.code == "ERR_SECURE_VAULT")
            }
            let missing = try await unlock(&device, change: { $0.nonce = nil }).answer
            #expect(missing.status == 401)
            #expect(try await device.status()?.failedAttempts == 1)
            #expect(try await device.status()?.counter?.byte == 0)
        }
    }

    @Test func `A blocked activation receives nothing`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            let blocked = try await unlock(&device).answer
            #expect(blocked.status == 401 && blocked.code == "ERR_AUTHENTICATION")
        }
    }
}
