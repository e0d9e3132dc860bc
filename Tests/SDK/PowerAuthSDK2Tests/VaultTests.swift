// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Vault and signatures of the device in SDK 2.0 (protocol-4.md, section 13)", .endsInTime)
struct VaultTests {
    private func key(
        _ app: TestApp2, _ key: PowerAuthSecureVaultKey, _ authentication: PowerAuthAuthentication = .rightPassword
    ) async -> Result<Data, NSError> {
        await outcome { app.sdk.fetchSecureVaultKey(key, with: authentication, callback: $0) }
    }

    @Test func `Each key of the vault is the same at every time, and opens with its factors only`() async throws {
        let app = try await TestApp2()
        try app.enrol()
        try await app.activate(biometry: true)
        let (twoFactor, knowledge) = (try await key(app, .twoFactor).get(), try await key(app, .knowledge).get())
        #expect(twoFactor.count == 32 && knowledge.count == 32 && twoFactor != knowledge)
        #expect(try await key(app, .twoFactor).get() == twoFactor)
        try app.confirmNextDialog()
        #expect(try await key(app, .twoFactor, .possessionWithBiometry(prompt: "Confirm")).get() == twoFactor)
        try app.confirmNextDialog()
        #expect(await key(app, .knowledge, .possessionWithBiometry(prompt: "Confirm")).code == .networkError)
        #expect(await key(app, .knowledge, .wrongPassword).code == .networkError)
    }

    @Test(arguments: [PowerAuthAlgorithm.EC_P384, .EC_P384_ML_L3, .EC_P384_ML_L5])
    func `The server verifies what each key of the device has signed`(algorithm: PowerAuthAlgorithm) async throws {
        let app = try await TestApp2.activated(algorithm)
        let data = Data("data".utf8)
        for key in PowerAuthDeviceKey.allCases {
            let signed = await outcome {
                app.sdk.signData(withDevicePrivateKey: .rightPassword, key: key, data: data, callback: $0)
            }
            guard key == .ecdsa || algorithm != .EC_P384 else {
                #expect(signed.code == .wrongParameter)
                continue
            }
            let signature = try signed.get()
            #expect(try await app.backOffice.acceptsSignature(signature, of: data, activationId: app.activationId))
            #expect(
                try await !app.backOffice.acceptsSignature(
                    signature, of: Data("other".utf8), activationId: app.activationId))
        }
        let text = try await outcome {
            app.sdk.signJws(withDevicePrivateKey: .rightPassword, claims: ["sub": "Eva"], callback: $0)
        }.get()
        _ = try JWS(text)
        #expect(text.hasPrefix("{") == (algorithm != .EC_P384), "several signatures have no compact form")
        let request = try await outcome {
            app.sdk.createSignedCSR(
                with: .rightPassword, distinguishedNames: ["CN": "Eva"], subjectAltNames: nil, callback: $0)
        }.get()
        #expect(request.hasPrefix("-----BEGIN CERTIFICATE REQUEST-----"))
    }

    @Test func `An activation of protocol 3 signs with its own key, and has no key of the vault`() async throws {
        let app = try await TestApp2.activated(.LEGACY_P256)
        #expect(await key(app, .twoFactor).code == .invalidActivationState)
        let data = Data("data".utf8)
        let lattice = await outcome {
            app.sdk.signData(withDevicePrivateKey: .rightPassword, key: .mldsa, data: data, callback: $0)
        }
        #expect(lattice.code == .wrongParameter)
        let signature = try await outcome {
            app.sdk.signData(withDevicePrivateKey: .rightPassword, data: data, callback: $0)
        }.get()
        #expect(try await app.backOffice.acceptsSignature(signature, of: data, activationId: app.activationId))
    }
}
