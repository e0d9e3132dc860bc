// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol-4.md, section 14.
@Suite("Protocol 4: upgrade of an activation of version 3", .endsInTime)
struct UpgradeV4Tests {
    private static let confirmation = Data("{}".utf8)

    /// Up to the moment where only the confirmation is missing.
    private func start(_ client: ClientV4, biometry: Bool = false) throws {
        let exchange = try client.session.upgradeExchangeV4(enableBiometry: biometry)
        if client.session.temporaryKeyIdV4(for: .application) == nil { try client.fetchTemporaryKey(.application) }
        let answer = try client.send(exchange.request, .upgradeStart) { try client.server.upgrade($0) }
        try client.session.apply(answer, of: exchange, keys: client.keys(biometry: biometry))
    }

    private func confirm(_ client: ClientV4) throws -> Bool {
        let code = try client.session.upgradeConfirmationCode(
            body: Self.confirmation, keys: client.keys(password: nil))
        #expect(code.type == .possession)
        return try client.server.verify(code, uri: "/pa/upgrade/confirm", body: Self.confirmation)
    }

    private func step(
        _ session: PowerAuthCoreSession, _ current: UInt8, _ upgrade: UInt8 = 4, isPending: Bool = false
    ) throws -> UpgradeStepV4 {
        try session.upgradeStepV4(
            currentVersion: current, upgradeVersion: upgrade, isConfirmationPending: isPending)
    }

    @Test(arguments: ServerV4.suites, [false, true])
    func `Version 3 works until the upgrade is confirmed, and version 4 from then on`(
        suite: CryptographySuite, biometry: Bool
    ) throws {
        let client = try ClientV4(suite: suite)
        let session = client.session
        try client.activateVersion3(biometry: biometry)
        let before = session.activationSnapshot
        #expect(try step(session, 3) == .start)

        // The start: a code of version 3.3 over the body that is encrypted as in version 4.
        let exchange = try session.upgradeExchangeV4(enableBiometry: biometry)
        try client.fetchTemporaryKey(.application)
        let encryptor = try session.requestEncryptorV4(for: .upgradeStart, keys: nil)
        #expect(try AeadHeader(parsing: encryptor.headerValue, scope: .application).activationId == nil)
        let request = try encryptor.encryptRequest(JSONEncoder().encode(exchange.request))
        let body = try JSONEncoder().encode(request)
        let signature = try #require(client.sign(.possession_Knowledge, uri: "/pa/upgrade/start", body: body))
        #expect(signature.version == "3.3")
        #expect(try client.server.older.verify(signature, uri: "/pa/upgrade/start", body: body))
        let (plaintext, response) = try client.server.decrypt(request, .upgradeStart)
        let answer = try JSONEncoder().encode(client.server.upgrade(plaintext))
        let decrypted = try encryptor.decryptResponse(response.encrypt(answer, timestamp: 1_735_689_600_000))
        try session.apply(
            JSONDecoder().decode(UpgradeStartResponse.self, from: decrypted), of: exchange,
            keys: client.keys(biometry: biometry))

        #expect(session.hasPendingUpgradeV4 && session.protocolVersion == .V3 && !session.hasVersion4Activation)
        #expect(before.change(until: session.activationSnapshot, of: [.protocolVersion]) == .part(.protocolVersion))
        #expect(try client.accepted3(.possession_Knowledge))
        #expect(refusal { _ = try client.code(.possession) } == .wrongState, "version 4 is not in use yet")
        let restarted = try client.restarted()
        #expect(restarted.hasPendingUpgradeV4 && restarted.serializedState() == session.serializedState())
        let fingerprint = session.activationFingerprint

        #expect(try confirm(client))
        #expect(session.hasPendingUpgradeV4, "the answer has not arrived")
        client.server.currentVersion = 4
        client.server.flags = biometry ? .biometryEnabled : []
        try session.finishUpgradeV4()
        #expect(session.hasVersion4Activation && !session.hasPendingUpgradeV4 && session.protocolVersion == .NA)
        #expect(session.activationIdentifier == client.server.activationId)
        #expect(session.activationFingerprint == (try client.server.fingerprint))
        #expect(session.activationFingerprint != fingerprint)
        #expect(before.change(until: session.activationSnapshot) == nil, "it is the same activation")
        #expect(before.change(until: session.activationSnapshot, of: [.protocolVersion]) == .part(.protocolVersion))
        #expect(client.sign(.possession_Knowledge) == nil)
        #expect(try client.accepted(.possession_Knowledge) && step(session, 4) == .nothing)
        if biometry {
            #expect(try client.accepted(.possession_Knowledge_Biometry))
        } else {
            #expect(!session.hasBiometryFactor())
        }
        try client.fetchTemporaryKey(.activation)
        #expect(try client.fetchStatus().counterState == .updated, "the counter byte was not known")
        #expect(try client.fetchStatus().counterState == .OK)
        #expect(try client.restarted().hasVersion4Activation)
    }

    @Test func `After a lost answer to the start the client begins again`() throws {
        let client = try ClientV4()
        try client.activateVersion3()
        let lost = try client.session.upgradeExchangeV4(enableBiometry: false)
        try client.fetchTemporaryKey(.application)
        _ = try client.send(lost.request, .upgradeStart) { try client.server.upgrade($0) }
        #expect(!client.session.hasPendingUpgradeV4)
        #expect(try step(client.session, 3, isPending: true) == .start)
        #expect(try client.accepted3(.possession_Knowledge))
        try start(client)
        // Also after an answer that has arrived: the server has forgotten its part.
        try client.fetchTemporaryKey(.activation)
        #expect(try step(client.session, 3, isPending: false) == .start)
        try start(client)
        #expect(client.session.temporaryKeyIdV4(for: .activation) == nil, "it was exchanged with the former keys")
        #expect(try confirm(client))
        try client.session.finishUpgradeV4()
        client.server.currentVersion = 4
        #expect(try client.accepted(.possession_Knowledge))
    }

    @Test func `After a lost answer to the confirmation the status shows what to do`() throws {
        let client = try ClientV4()
        try client.activateVersion3()
        try start(client)
        // The request was lost: the server still waits.
        _ = try client.session.upgradeConfirmationCode(body: Self.confirmation, keys: client.keys())
        let waiting = try client.fetchStatus()
        #expect(waiting.counterState == .NA && waiting.status.flags == .upgradeConfirmationPending)
        #expect(try step(client.session, 3, isPending: true) == .confirm)
        // The answer was lost: the server has gone on.
        #expect(try confirm(client))
        client.server.currentVersion = 4
        client.server.flags = []
        let status = try client.fetchStatus()
        #expect(status.counterState == .updated && status.status.flags == [])
        #expect(try step(client.session, 4) == .finish)
        try client.session.finishUpgradeV4()
        #expect(try step(client.session, 4) == .nothing)
        #expect(try client.accepted(.possession_Knowledge))
        #expect(try client.fetchStatus().counterState == .OK)
    }

    @Test func `Sides that cannot come together are told apart from those that need nothing`() throws {
        let version3 = try ClientV4()
        try version3.activateVersion3()
        #expect(try step(version3.session, 3, 3) == .nothing)
        let version4 = try ClientV4.activated()
        #expect(try step(version4.session, 4) == .nothing)
        let empty = try ClientV4().session
        let pairs: [(PowerAuthCoreSession, UInt8)] = [
            (version3.session, 4), (version3.session, 2), (version4.session, 3), (empty, 3), (empty, 4),
        ]
        for (session, current) in pairs {
            #expect(refusal { _ = try step(session, current) } == .wrongState)
        }
    }

    @Test func `While an upgrade is pending, factors change in both generations, or not at all`() throws {
        let client = try ClientV4()
        let session = client.session
        try client.activateVersion3(biometry: true)
        try start(client, biometry: true)
        let old = PowerAuthCorePassword(string: ClientFixture.password)
        #expect(session.changeUserPassword(old, newPassword: PowerAuthCorePassword(string: "next")))
        #expect(try client.accepted3(.possession_Knowledge, password: "next"))
        let vaultKey = try client.server.older.encryptedVaultKey()
        #expect(!session.addBiometryFactor(vaultKey, keys: client.keys(biometry: true)))
        #expect(session.addExternalEncryptionKey(Data(repeating: 7, count: 16)) == .wrongState)
        #expect(session.hasPendingUpgradeV4)
        #expect(session.removeBiometryFactor() && !session.hasBiometryFactor())
        #expect(try confirm(client))
        try session.finishUpgradeV4()
        client.server.currentVersion = 4
        #expect(try client.accepted(.possession_Knowledge, password: "next"))
        #expect(try !client.accepted(.possession_Knowledge))
        #expect(!session.hasBiometryFactor())
        #expect(refusal { _ = try client.code(.possession_Biometry) } == .wrongState)
    }

    @Test(arguments: [false, true])
    func `A biometry factor that is removed or replaced while the server answers the start ends with the upgrade`(
        isReplaced: Bool
    ) throws {
        let client = try ClientV4()
        let session = client.session
        try client.activateVersion3(biometry: true)
        let exchange = try session.upgradeExchangeV4(enableBiometry: true)
        try client.fetchTemporaryKey(.application)
        let answer = try client.send(exchange.request, .upgradeStart) { try client.server.upgrade($0) }
        if isReplaced {
            let other = PowerAuthCoreSignatureUnlockKeys(
                possessionUnlockKey: ClientFixture.possessionKey, biometryUnlockKey: Data(repeating: 0x17, count: 16))
            let vaultKey = try client.server.older.encryptedVaultKey()
            #expect(session.addBiometryFactor(vaultKey, keys: other))
        } else {
            #expect(session.removeBiometryFactor())
        }
        try session.apply(answer, of: exchange, keys: client.keys(biometry: true))
        #expect(session.hasBiometryFactor() == isReplaced, "version 3 is still in use")
        #expect(try confirm(client))
        try session.finishUpgradeV4()
        client.server.currentVersion = 4
        #expect(!session.hasBiometryFactor())
        #expect(try client.accepted(.possession_Knowledge))
    }

    @Test func `An activation that cannot be upgraded is refused before anything is sent`() throws {
        let client = try ClientV4()
        try client.activateVersion3()
        #expect(refusal { _ = try client.session.upgradeExchangeV4(enableBiometry: true) } == .wrongParam)
        #expect(client.session.addExternalEncryptionKey(Data(repeating: 7, count: 16)) == .ok)
        #expect(refusal { _ = try client.session.upgradeExchangeV4(enableBiometry: false) } == .wrongState)
        let legacy = try #require(Data(base64Encoded: SessionStateFormatTests.version3))
        let other = try ClientV4()
        #expect(other.session.deserializeState(legacy))
        #expect(refusal { _ = try other.session.upgradeExchangeV4(enableBiometry: false) } == .wrongState)
        let old = try ClientFixture.activated()
        #expect(refusal { _ = try old.session.upgradeExchangeV4(enableBiometry: false) } == .wrongState)
        let empty = try ClientV4()
        #expect(refusal { _ = try empty.session.upgradeExchangeV4(enableBiometry: false) } == .wrongState)
        #expect(refusal { try empty.session.finishUpgradeV4() } == .wrongState)
    }

    @Test(arguments: ServerV4.suites)
    func `An answer that cannot be used leaves version 3 as it was`(suite: CryptographySuite) throws {
        let client = try ClientV4(suite: suite)
        let session = client.session
        try client.activateVersion3()
        let exchange = try session.upgradeExchangeV4(enableBiometry: false)
        let right = try client.server.upgrade(JSONEncoder().encode(exchange.request))
        let (secret, keys) = (right.sharedSecretResponse, right.serverPublicKeys)
        let state = session.serializedState()
        func answer(
            _ secret: SharedSecretResponse, _ keys: EncodedSuiteKeys
        ) -> UpgradeStartResponse {
            UpgradeStartResponse(sharedSecretResponse: secret, serverPublicKeys: keys, counter: right.counter)
        }
        for wrong in [
            answer(SharedSecretResponse(salt: Data(count: 31), encapsulatedKeys: secret.encapsulatedKeys), keys),
            answer(SharedSecretResponse(salt: secret.salt, encapsulatedKeys: []), keys),
            answer(secret, EncodedSuiteKeys(ecdsa: Data(count: 97), mldsa: keys.mldsa)),
            answer(secret, EncodedSuiteKeys(ecdsa: keys.ecdsa, mldsa: keys.mldsa == nil ? Data(count: 9) : nil)),
        ] {
            #expect(refusal { try session.apply(wrong, of: exchange, keys: client.keys()) } == .encryption)
        }
        for wrong in [client.keys(password: nil), client.keys(password: "123"), client.keys(biometry: true)] {
            #expect(refusal { try session.apply(right, of: exchange, keys: wrong) } == .wrongParam)
        }
        #expect(session.serializedState() == state && !session.hasPendingUpgradeV4)
        #expect(try client.accepted3(.possession_Knowledge))
        try session.apply(right, of: exchange, keys: client.keys())
        #expect(session.hasPendingUpgradeV4)

        let other = try ClientV4(suite: suite)
        other.server.older.activationId = "8f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
        try other.activateVersion3()
        #expect(
            refusal { try other.session.apply(right, of: exchange, keys: client.keys()) } == .wrongState,
            "it is of another activation")
    }

    @Test func `An answer without one of its members is refused`() throws {
        let client = try ClientV4()
        try client.activateVersion3()
        let exchange = try client.session.upgradeExchangeV4(enableBiometry: false)
        let right = try JSONEncoder().encode(client.server.upgrade(JSONEncoder().encode(exchange.request)))
        let object = try #require(try JSONSerialization.jsonObject(with: right) as? [String: Any])
        #expect(Set(object.keys) == ["sharedSecretResponse", "serverPublicKeys", "ctrData"])
        for name in object.keys {
            var changed = object
            changed[name] = nil
            let data = try JSONSerialization.data(withJSONObject: changed)
            #expect(throws: DecodingError.self, "\(name)") {
                try JSONDecoder().decode(UpgradeStartResponse.self, from: data)
            }
        }
        var short = object
        short["ctrData"] = StrictBase64.encode(Data(count: 16))
        let data = try JSONSerialization.data(withJSONObject: short)
        #expect(throws: ProtocolError.invalidLength(field: "ctrData", expected: "32 bytes", actual: 16)) {
            try JSONDecoder().decode(UpgradeStartResponse.self, from: data)
        }
    }
}
