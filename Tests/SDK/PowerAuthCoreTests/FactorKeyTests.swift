// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, section 14.
@Suite("Sessions: identities of factors and their keys", .endsInTime)
struct FactorKeyTests {
    private static let eek = Data(repeating: 0x50, count: 16)

    private func restarted(_ fixture: ClientFixture, externalKey: Data? = nil) throws -> PowerAuthCoreSession {
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        setup.externalEncryptionKey = externalKey
        let session = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time))
        try #require(session.deserializeState(fixture.session.serializedState()))
        return session
    }

    private func version6() throws -> Data { try #require(Data(base64Encoded: SessionStateFormatTests.version6)) }

    @Test
    func `A biometry factor has a name from its making to its removal, regardless of the external key around it`()
        throws
    {
        let fixture = try ClientFixture()
        let session = fixture.session
        let none = BiometryFactorIdentity.none
        #expect(session.biometryFactorIdentity == none)
        try fixture.activate()
        #expect(session.biometryFactorIdentity == none)
        let vaultKey = try fixture.server.encryptedVaultKey()
        try #require(session.addBiometryFactor(vaultKey, keys: fixture.keys(biometry: true)))
        let identity = session.biometryFactorIdentity
        guard case .named(let name) = identity else { throw Unexpected("the factor is \(identity)") }
        #expect(name.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        _ = fixture.sign(.possession_Biometry)
        #expect(try restarted(fixture).biometryFactorIdentity == identity)

        #expect(session.addExternalEncryptionKey(Self.eek) == .ok && session.biometryFactorIdentity == identity)
        #expect(try restarted(fixture).biometryFactorIdentity == .hidden)
        #expect(try restarted(fixture, externalKey: Self.eek).biometryFactorIdentity == identity)
        let wrong = try restarted(fixture, externalKey: Data(repeating: 1, count: 16)).biometryFactorIdentity
        #expect(wrong != identity && wrong != .hidden && wrong != none, "a wrong key is not noticed here")
        #expect(session.removeExternalEncryptionKey() == .ok && session.biometryFactorIdentity == identity)

        let keys = fixture.keys(biometry: true)
        keys.biometryUnlockKey = Data(repeating: 9, count: 16)
        try #require(session.addBiometryFactor(vaultKey, keys: keys))
        #expect(session.biometryFactorIdentity != identity && session.biometryFactorIdentity != none)
        session.removeBiometryFactor()
        #expect(session.biometryFactorIdentity == none)
    }

    @Test func `The name of a biometry factor has its known value, with every zero`() throws {
        var record = try #require(try SessionStateCoding.decode(version6()))
        record.biometryKey = Data(repeating: 3, count: 16)
        let session = try ClientFixture().session
        try #require(session.deserializeState(SessionStateCoding.encode(record)))
        #expect(session.biometryFactorIdentity == .named("6399f6d863b08f4652b342c2e1350b4c"))
    }

    @Test func `A counter value has a label of its own, which is not the value`() throws {
        let session = try ClientFixture().session
        try #require(try session.deserializeState(version6()))
        func label() throws -> String {
            let keys = PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: ClientFixture.possessionKey)
            let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
            return try #require(session.signHttpRequestData(request, keys: keys, factor: .possession)).counterLabel
        }
        #expect(try label() == "8ff1ec47efb65258")
        #expect(try label() != "8ff1ec47efb65258")
    }

    @Test func `A possession key of the application's own signs, and the device's key decrypts`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        try #require(fixture.session.validateActivationResponse(answer) != nil)
        let keys = fixture.keys()
        (keys.possessionUnlockKey, keys.transportUnlockKey) = (Self.eek, Data(count: 16))
        #expect(!fixture.session.completeActivation(keys), "a key of zeros protects nothing")
        keys.transportUnlockKey = ClientFixture.possessionKey
        try #require(fixture.session.completeActivation(keys))
        #expect(try fixture.fetchStatus()?.state == .active, "the device's key")
        let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
        let signature = fixture.session.signHttpRequestData(request, keys: keys, factor: .possession_Knowledge)
        #expect(try fixture.server.verify(#require(signature)), "the application's key")
        #expect(try !fixture.accepted(.possession))
    }

    @Test(arguments: [0, 15, 16, 17])
    func `A key that unlocks has sixteen bytes, one of which is not zero`(count: Int) {
        for byte in [UInt8(0), 1] {
            let data = Data(repeating: byte, count: count)
            let keys = UnlockKeys(PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: data, biometryUnlockKey: data))
            let isUsable = count == 16 && byte != 0
            #expect((keys.possession != nil) == isUsable && (keys.transport != nil) == isUsable)
            #expect((keys.biometry != nil) == isUsable && keys.hasBiometryKey)
        }
        let none = UnlockKeys(PowerAuthCoreSignatureUnlockKeys())
        #expect(none.possession == nil && none.transport == nil && none.biometry == nil && !none.hasBiometryKey)
        #expect(none.knowledge(salt: Data(count: 16)) == nil)
    }
}
