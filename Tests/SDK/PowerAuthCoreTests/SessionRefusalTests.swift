// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// The public calls of a session answer only nil or false; here is the reason for each (protocol.md, section 16.2).
@Suite("Sessions: reasons to refuse", .endsInTime)
struct SessionRefusalTests {
    private typealias Call = (inout SessionMachine) throws -> Void

    private static let data = Data("data".utf8)
    private static let text = "AAECAwQFBgcICQoLDA0ODw=="

    private func keys(
        possession: Data? = ClientFixture.possessionKey, biometry: Data? = nil, password: String? = "1234"
    ) -> UnlockKeys {
        UnlockKeys(
            PowerAuthCoreSignatureUnlockKeys(
                possessionUnlockKey: possession, biometryUnlockKey: biometry,
                userPassword: password.map { PowerAuthCorePassword(string: $0) }))
    }

    private func machine(externalKey: Data? = nil, state: Data? = nil) throws -> SessionMachine {
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try ProtocolServer().configuration))
        setup.externalEncryptionKey = externalKey
        var machine = SessionMachine(setup: setup)
        if let state { try machine.loadState(.success(SessionStateCoding.decode(state, suites: []))) }
        return machine
    }

    /// The reason of a refusal, and `ok` without one.
    private func reason(_ machine: SessionMachine, _ call: Call) -> PowerAuthCoreErrorCode? {
        var machine = machine
        do {
            try call(&machine)
            return .ok
        } catch {
            return error as? PowerAuthCoreErrorCode
        }
    }

    /// Every call, with parameters that are right in their form.
    private var calls: [(name: String, needsActivation: Bool, body: Call)] {
        let keys = self.keys(biometry: ClientFixture.biometryKey)
        let password = PowerAuthCorePassword(string: "1234")
        let (data, text) = (Self.data, Self.text)
        let answer = UncheckedKeyExchange(activationId: "id", serverPublicKey: text, counterData: text, recovery: nil)
        let request = UnsignedRequest(PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test"))
        return [
            ("startActivation", false, { _ = try $0.startActivation(code: nil, signature: nil) }),
            ("validateActivationResponse", true, { _ = try $0.validateActivationResponse(answer) }),
            ("completeActivation", true, { try $0.completeActivation(keys) }),
            (
                "decodeStatus", true,
                { _ = try $0.decodeStatus(challenge: text, encryptedBlob: text, nonce: text, keys: keys) }
            ),
            ("changePassword", true, { try $0.changePassword(from: password, to: password) }),
            ("hasBiometryFactor", true, { _ = try $0.hasBiometryFactor() }),
            ("removeBiometryFactor", true, { try $0.removeBiometryFactor() }),
            ("addBiometryFactor", true, { try $0.addBiometryFactor(vaultKey: text, keys: keys) }),
            ("setExternalEncryptionKey", false, { try $0.setExternalEncryptionKey(Data(repeating: 7, count: 16)) }),
            ("addExternalEncryptionKey", true, { try $0.addExternalEncryptionKey(Data(repeating: 7, count: 16)) }),
            ("removeExternalEncryptionKey", true, { try $0.removeExternalEncryptionKey() }),
            ("deriveKey", true, { _ = try $0.deriveKey(index: 1, vaultKey: text, keys: keys) }),
            (
                "signWithDeviceKey", true,
                { _ = try $0.signWithDeviceKey(data, vaultKey: text, keys: keys, format: .default) }
            ),
            ("recoveryData", true, { _ = try $0.recoveryData(vaultKey: text, keys: keys) }),
            ("startProtocolUpgrade", true, { try $0.startProtocolUpgrade() }),
            ("applyProtocolUpgrade", true, { try $0.applyProtocolUpgrade(counterData: text) }),
            ("finishProtocolUpgrade", true, { try $0.finishProtocolUpgrade() }),
            ("setTemporaryKey, application", false, { try $0.setTemporaryKey(text, id: "id", for: .application) }),
            ("setTemporaryKey, activation", true, { try $0.setTemporaryKey(text, id: "id", for: .activation) }),
            (
                "temporaryKeyExchange, application", false,
                { _ = try $0.temporaryKeyExchange(for: .application, keys: nil) }
            ),
            (
                "temporaryKeyExchange, activation", true,
                { _ = try $0.temporaryKeyExchange(for: .activation, keys: keys) }
            ),
            ("encryptionMaterial, activation", true, { _ = try $0.encryptionMaterial(for: .activation, keys: keys) }),
            ("sign", true, { _ = try $0.sign(request, keys: keys, factor: .possession) }),
            ("hmac, application", false, { _ = try $0.hmac(of: data, key: .hmac_Application, keys: nil) }),
            ("hmac, activation", true, { _ = try $0.hmac(of: data, key: .hmac_Activation, keys: keys) }),
            (
                "verify, activation", true,
                { try $0.verify(signature: data, of: data, key: .ecdsa_PersonalizedKey, format: .default) }
            ),
            ("loadState", false, { try $0.loadState(.success(nil)) }),
        ]
    }

    @Test
    func `With an unusable setup every call is refused, and without an activation every one that needs it`() throws {
        let (invalid, empty) = (try machine(externalKey: Data(count: 15)), try machine())
        for call in calls {
            #expect(reason(invalid, call.body) == .wrongState, "\(call.name)")
            #expect(reason(empty, call.body) == (call.needsActivation ? .wrongState : .ok), "\(call.name)")
        }
        let verify: Call = {
            try $0.verify(signature: Self.data, of: Self.data, key: .ecdsa_MasterServerKey, format: .default)
        }
        #expect(reason(invalid, verify) == .wrongState && reason(empty, verify) == .encryption)
        let material: Call = { _ = try $0.encryptionMaterial(for: .application, keys: nil) }
        #expect(reason(invalid, material) == .wrongState && reason(empty, material) == .wrongState)
        let damaged: Call = { try $0.loadState(.failure(.decryptionFailed)) }
        #expect(reason(empty, damaged) == .wrongParam)
    }

    @Test
    func `With an activation a parameter of a wrong form and one that does not decrypt have their own reasons`() throws
    {
        let fixture = try ClientFixture.activated()
        let active = try machine(state: fixture.session.serializedState())
        let (right, plain) = (keys(biometry: ClientFixture.biometryKey), keys())
        let (missing, text) = (keys(possession: nil), Self.text)
        func expect(_ expected: PowerAuthCoreErrorCode, _ name: String, _ call: Call) {
            #expect(reason(active, call) == expected, "\(name)")
        }
        expect(.wrongState, "a second activation") { _ = try $0.startActivation(code: nil, signature: nil) }
        for (challenge, blob, nonce) in [("", text, text), (text, "", text), (text, text, "")] {
            expect(.wrongParam, "an empty part of a status") {
                _ = try $0.decodeStatus(challenge: challenge, encryptedBlob: blob, nonce: nonce, keys: right)
            }
        }
        expect(.wrongParam, "a status without a key") {
            _ = try $0.decodeStatus(challenge: text, encryptedBlob: text, nonce: text, keys: missing)
        }
        expect(.encryption, "a status that is too short") {
            _ = try $0.decodeStatus(challenge: text, encryptedBlob: text, nonce: text, keys: right)
        }
        for (vaultKey, expected) in [("", PowerAuthCoreErrorCode.wrongParam), ("?", .encryption), (text, .encryption)] {
            expect(expected, "vault key \(vaultKey)") {
                _ = try $0.deriveKey(index: 1, vaultKey: vaultKey, keys: right)
            }
            expect(expected, "vault key \(vaultKey)") { try $0.addBiometryFactor(vaultKey: vaultKey, keys: right) }
            expect(expected, "vault key \(vaultKey)") {
                _ = try $0.signWithDeviceKey(Self.data, vaultKey: vaultKey, keys: right, format: .default)
            }
        }
        expect(.wrongParam, "a vault key without a key") {
            _ = try $0.deriveKey(index: 1, vaultKey: text, keys: missing)
        }
        expect(.wrongParam, "biometry without a key") { try $0.addBiometryFactor(vaultKey: text, keys: plain) }
        expect(.wrongState, "recovery data") { _ = try $0.recoveryData(vaultKey: text, keys: right) }
        expect(.wrongState, "an upgrade") { try $0.startProtocolUpgrade() }
        expect(.wrongParam, "a short external key") { try $0.addExternalEncryptionKey(Data(count: 15)) }
        expect(.wrongState, "an external key that is not used") {
            try $0.setExternalEncryptionKey(Data(repeating: 7, count: 16))
        }
        expect(.wrongState, "no external key") { try $0.removeExternalEncryptionKey() }
        for (old, new) in [("123", "1234"), ("1234", "123")] {
            expect(.encryption, "a short password") {
                try $0.changePassword(from: PowerAuthCorePassword(string: old), to: PowerAuthCorePassword(string: new))
            }
        }
        for (key, id) in [("", "id"), ("?", "id"), (text, "")] {
            expect(.wrongParam, "a temporary key") { try $0.setTemporaryKey(key, id: id, for: .activation) }
        }
        expect(.wrongParam, "an exchange without keys") { _ = try $0.temporaryKeyExchange(for: .activation, keys: nil) }
        expect(.wrongState, "no temporary key") { _ = try $0.encryptionMaterial(for: .activation, keys: right) }
        for keys in [nil, missing] {
            expect(.encryption, "an encryptor without keys") {
                try $0.setTemporaryKey(text, id: "id", for: .activation)
                _ = try $0.encryptionMaterial(for: .activation, keys: keys)
            }
        }
        for key in [PowerAuthCoreSigningDataKey.hmac_Application, .hmac_Activation] {
            expect(.wrongParam, "a signature with \(key)") {
                try $0.verify(signature: Self.data, of: Self.data, key: key, format: .default)
            }
        }
        for key in [PowerAuthCoreSigningDataKey.ecdsa_MasterServerKey, .ecdsa_PersonalizedKey] {
            expect(.wrongParam, "a code with \(key)") { _ = try $0.hmac(of: Self.data, key: key, keys: right) }
            expect(.wrongParam, "an empty signature") {
                try $0.verify(signature: Data(), of: Self.data, key: key, format: .default)
            }
            expect(.encryption, "a wrong signature") {
                try $0.verify(signature: Self.data, of: Self.data, key: key, format: .default)
            }
        }
        expect(.wrongParam, "a code without keys") { _ = try $0.hmac(of: Self.data, key: .hmac_Activation, keys: nil) }
    }
}
