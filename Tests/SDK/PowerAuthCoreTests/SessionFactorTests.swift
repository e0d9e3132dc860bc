// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 13, 14 and 21.
@Suite("Sessions: factors and vault", .endsInTime)
struct SessionFactorTests {
    private let eek = Data(repeating: 0x50, count: 16)

    private func password(_ text: String) -> PowerAuthCorePassword { PowerAuthCorePassword(string: text) }

    @Test func `A changed password replaces the old one`() throws {
        let fixture = try ClientFixture.activated()
        #expect(!fixture.session.changeUserPassword(password("1234"), newPassword: password("123")))
        #expect(!fixture.session.changeUserPassword(password("123"), newPassword: password("1234")))
        #expect(fixture.session.changeUserPassword(password("1234"), newPassword: password("nový")))
        #expect(try fixture.accepted(.possession_Knowledge, password: "nový"))
        #expect(try !fixture.accepted(.possession_Knowledge))
    }

    @Test func `Biometry is added, replaced and removed`() throws {
        let fixture = try ClientFixture.activated()
        let vaultKey = try fixture.server.encryptedVaultKey()
        #expect(!fixture.session.hasBiometryFactor())
        #expect(!fixture.session.addBiometryFactor(vaultKey, keys: fixture.keys()), "a biometry key is needed")
        #expect(!fixture.session.addBiometryFactor("", keys: fixture.keys(biometry: true)))
        #expect(!fixture.session.addBiometryFactor("AAAA", keys: fixture.keys(biometry: true)))
        #expect(fixture.session.addBiometryFactor(vaultKey, keys: fixture.keys(biometry: true)))
        #expect(fixture.session.addBiometryFactor(vaultKey, keys: fixture.keys(biometry: true)))
        #expect(fixture.session.hasBiometryFactor())
        #expect(try fixture.accepted(.possession_Biometry))
        #expect(fixture.session.removeBiometryFactor() && fixture.session.removeBiometryFactor())
        #expect(!fixture.session.hasBiometryFactor())
        #expect(fixture.sign(.possession_Biometry) == nil)
    }

    @Test func `The vault key of another activation is refused`() throws {
        let fixture = try ClientFixture.activated()
        let other = VaultKey.random()
        let wrapped = StrictBase64.encode(try Vault.wrap(other, transportKey: #require(fixture.server.keys).transport))
        #expect(!fixture.session.addBiometryFactor(wrapped, keys: fixture.keys(biometry: true)))
        #expect(
            fixture.session.signData(
                withDevicePrivateKey: wrapped, keys: fixture.keys(), data: Data(), format: .default) == nil)
    }

    @Test func `Vault keys depend on the index only`() throws {
        let fixture = try ClientFixture.activated()
        let vaultKey = try fixture.server.encryptedVaultKey()
        func key(_ index: UInt64) -> Data? {
            fixture.session.deriveCryptographicKey(fromVaultKey: vaultKey, keys: fixture.keys(), keyIndex: index)
        }
        #expect(key(1000) == key(1000) && key(1000)?.count == 16 && key(1000) != key(1001))
        #expect(key(.max) != nil)
    }

    @Test
    func `A state with more password iterations than a new one keeps working, also after a password change`() throws {
        let fixture = try ClientFixture.activated()
        var record = try #require(try SessionStateCoding.decode(fixture.session.serializedState()))
        let old = SecretBytes(Data(ClientFixture.password.utf8))
        let key: KnowledgeKey = try FactorKeyProtection.recover(
            record.knowledgeKey, unlockKey: .knowledge(password: old, salt: record.passwordSalt), externalKey: nil)
        record.passwordIterations = 20_000
        record.knowledgeKey = try FactorKeyProtection.protect(
            key, unlockKey: .knowledge(password: old, salt: record.passwordSalt, iterations: 20_000), externalKey: nil)
        #expect(fixture.session.deserializeState(SessionStateCoding.encode(record)))
        #expect(try fixture.accepted(.possession_Knowledge))
        #expect(fixture.session.changeUserPassword(password(ClientFixture.password), newPassword: password("4321")))
        #expect(try fixture.accepted(.possession_Knowledge, password: "4321"))
        #expect(try !fixture.accepted(.possession_Knowledge))
        #expect(fixture.session.deserializeState(fixture.session.serializedState()))
        #expect(try fixture.accepted(.possession_Knowledge, password: "4321"))
    }

    @Test func `Device signatures verify in both formats`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        #expect(fixture.session.validateActivationResponse(answer) != nil)
        #expect(fixture.session.completeActivation(fixture.keys()))
        let deviceKey = try PublicKey(encoded: StrictBase64.decode(started.devicePublicKey, field: ""))
        for (format, raw) in [(PowerAuthCoreSignatureFormat.default, ECDSAFormat.der), (.ECDSA_JOSE, .jose)] {
            let signature = fixture.session.signData(
                withDevicePrivateKey: try fixture.server.encryptedVaultKey(), keys: fixture.keys(),
                data: Data("data".utf8), format: format)
            #expect(try deviceKey.verify(signature: #require(signature), of: Data("data".utf8), format: raw))
        }
    }

    @Test func `Recovery data are read from the vault`() throws {
        let fixture = try ClientFixture()
        let recovery = PowerAuthCoreRecoveryData(recoveryCode: "EZEJG-RD4GK-7OLKN-MYGBQ", puk: "7165461507")
        try fixture.activate(recovery: recovery)
        let read = fixture.session.activationRecoveryData(try fixture.server.encryptedVaultKey(), keys: fixture.keys())
        #expect(read?.recoveryCode == recovery.recoveryCode && read?.puk == recovery.puk)
        let without = try ClientFixture.activated()
        #expect(!without.session.hasActivationRecoveryData)
        #expect(
            without.session.activationRecoveryData(try without.server.encryptedVaultKey(), keys: without.keys()) == nil)
    }

    @Test(.verifies("sdk.md", "B-28"))
    func `The external key protects knowledge and biometry only; a second key and a second removal are refused`() throws
    {
        let fixture = try ClientFixture.activated(biometry: true)
        func record() throws -> ActivationRecord {
            try #require(try SessionStateCoding.decode(fixture.session.serializedState()))
        }
        let plain = try record()
        #expect(fixture.session.addExternalEncryptionKey(eek) == .ok)
        let protected = try record()
        #expect(protected.possessionKey == plain.possessionKey && protected.transportKey == plain.transportKey)
        #expect(protected.knowledgeKey != plain.knowledgeKey && protected.biometryKey != plain.biometryKey)
        #expect(try fixture.accepted(.possession_Knowledge_Biometry))
        #expect(fixture.session.addExternalEncryptionKey(eek) == .wrongState)
        #expect(fixture.session.removeExternalEncryptionKey() == .ok)
        #expect(fixture.session.removeExternalEncryptionKey() == .wrongState)
        #expect(try record().knowledgeKey == plain.knowledgeKey)
        #expect(try fixture.accepted(.possession_Knowledge_Biometry))
        #expect(fixture.session.addExternalEncryptionKey(Data(count: 15)) == .wrongParam)
        #expect(fixture.session.setExternalEncryptionKey(eek) == .wrongState, "the activation does not use one")
        fixture.session.restoreExternalEncryptionKey(eek)
        #expect(fixture.session.setExternalEncryptionKey(eek) == .ok, "it is the one that is set")
        #expect(fixture.session.setExternalEncryptionKey(Data(repeating: 7, count: 16)) == .wrongParam)
        #expect(fixture.session.setExternalEncryptionKey(Data(count: 15)) == .wrongParam)
        fixture.session.restoreExternalEncryptionKey(nil)
    }

    @Test func `Without its external key, an activation signs with possession only`() throws {
        let fixture = try ClientFixture.activated(externalEncryptionKey: eek)
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        let restarted = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time))
        #expect(restarted.deserializeState(fixture.session.serializedState()))
        #expect(!restarted.hasExternalEncryptionKey)
        let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
        let before = restarted.serializedState()
        #expect(restarted.signHttpRequestData(request, keys: fixture.keys(), factor: .possession_Knowledge) == nil)
        #expect(restarted.serializedState() == before)
        #expect(restarted.signHttpRequestData(request, keys: fixture.keys(), factor: .possession) != nil)
        #expect(restarted.setExternalEncryptionKey(Data(count: 15)) == .wrongParam)
        #expect(restarted.setExternalEncryptionKey(eek) == .ok)
        #expect(restarted.setExternalEncryptionKey(eek) == .ok)
        #expect(restarted.setExternalEncryptionKey(Data(repeating: 1, count: 16)) == .wrongParam)
        let signature = restarted.signHttpRequestData(request, keys: fixture.keys(), factor: .possession_Knowledge)
        #expect(try fixture.server.verify(#require(signature)))
    }

    @Test func `An activation without external key signs with possession only while the session has one`() throws {
        let fixture = try ClientFixture.activated()
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        setup.externalEncryptionKey = eek
        let restarted = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time))
        #expect(restarted.deserializeState(fixture.session.serializedState()))
        let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
        #expect(restarted.signHttpRequestData(request, keys: fixture.keys(), factor: .possession_Knowledge) == nil)
        #expect(restarted.signHttpRequestData(request, keys: fixture.keys(), factor: .possession) != nil)
    }

    @Test func `The external key may be set during an activation`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        #expect(fixture.session.validateActivationResponse(answer) != nil)
        #expect(fixture.session.setExternalEncryptionKey(eek) == .ok)
        #expect(fixture.session.completeActivation(fixture.keys()))
        #expect(try fixture.accepted(.possession_Knowledge))
        #expect(fixture.session.removeExternalEncryptionKey() == .ok)
        #expect(try fixture.accepted(.possession_Knowledge))
    }
}
