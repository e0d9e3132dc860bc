// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol-4.md, sections 8 to 13.
@Suite("Protocol 4: the life of an activation", .endsInTime)
struct LifeV4Tests {
    private static let empty = Data([0x50, 0x41, 0x00])

    @Test(arguments: ServerV4.suites)
    func `An activation is pending until it is confirmed, and is stored only then`(suite: CryptographySuite) throws {
        let client = try ClientV4(suite: suite)
        let session = client.session
        #expect(session.hasValidSetup && session.canStartActivation && session.protocolVersion == .V3)
        try client.exchangeKeys(biometry: true)
        #expect(session.hasPendingActivation && !session.hasValidActivation && !session.canStartActivation)
        #expect(session.serializedState() == Self.empty && !session.hasVersion4Activation)
        #expect(session.activationIdentifier == client.server.activationId)
        #expect(session.activationFingerprint == (try client.server.fingerprint))
        #expect(session.hasBiometryFactor())

        // The status is allowed before the confirmation, and says what is missing.
        try client.fetchTemporaryKey(.activation)
        let status = try client.fetchStatus()
        #expect(status.state == .active && status.status.flags == .confirmationPending && status.counterState == .OK)

        let body = ClientV4.confirmation(biometry: true)
        let code = try session.activationConfirmationCode(body: body, keys: client.keys())
        #expect(try client.server.verify(code, uri: "/pa/activation/confirm", body: body))
        // A lost answer: the code can be computed again.
        let again = try session.activationConfirmationCode(body: body, keys: client.keys())
        #expect(try client.server.verify(again, uri: "/pa/activation/confirm", body: body))
        #expect(again.counterLabel != code.counterLabel)
        #expect(session.serializedState() == Self.empty)
        try session.confirmActivationV4()

        #expect(session.hasValidActivation && !session.hasPendingActivation && session.hasVersion4Activation)
        #expect(session.protocolVersion == .NA)
        let restarted = try client.restarted()
        #expect(restarted.hasVersion4Activation && restarted.hasBiometryFactor())
        #expect(restarted.activationIdentifier == client.server.activationId)
        #expect(restarted.activationFingerprint == session.activationFingerprint)
        #expect(restarted.serializedState() == session.serializedState())
        session.resetSession(true)
        #expect(session.canStartActivation && session.temporaryKeyIdV4(for: .activation) == nil)
        #expect(session.temporaryKeyIdV4(for: .application) == nil)
    }

    @Test(arguments: ServerV4.suites)
    func `Codes of all combinations of factors are accepted, with and without a connection`(
        suite: CryptographySuite
    ) throws {
        let client = try ClientV4.activated(suite: suite, biometry: true)
        for type in SignatureType.allCases {
            let factor = PowerAuthCoreSignatureFactor(rawValue: UInt(type.factors.rawValue))
            let code = try client.code(factor)
            #expect(code.type == type && code.activationId == client.server.activationId)
            #expect(code.applicationKey == StrictBase64.encode(ProtocolServer.applicationKey))
            #expect(try client.server.verify(code), "\(type)")
            #expect(try !client.server.verify(code), "\(type): a code is used up")
            for digits in 4...8 {
                let nonce = SymmetricSignature.randomNonce()
                let offline = try client.session.authenticationCode(
                    PowerAuthCoreHTTPRequestData(
                        method: "POST", uri: "/test", body: Data("data".utf8), offlineNonce: nonce,
                        offlineSignatureSize: UInt(digits)),
                    keys: client.keys(biometry: true), factor: factor)
                #expect(offline.nonce == nonce && offline.applicationKey == "offline")
                #expect(
                    try client.server.verifyOffline(offline, digits: digits, body: Data("data".utf8)),
                    "\(type), \(digits)")
            }
        }
        #expect(try !client.accepted(.possession_Knowledge, password: "wrong"), "a wrong password is not noticed here")
        #expect(try client.accepted(.possession_Knowledge))
        #expect(try client.fetchStatus().counterState == .OK)
    }

    @Test(arguments: [0, 1, 19, 20, 30]) func `The counter follows a server that is ahead, within its window`(
        steps: Int
    ) throws {
        let client = try ClientV4.activated()
        client.server.advance(by: steps)
        let status = try client.fetchStatus()
        let expected: PowerAuthCoreCounterState = steps == 0 ? .OK : steps < 20 ? .updated : .invalid
        #expect(status.counterState == expected)
        #expect(status.needsSerializeSessionState == (expected == .updated))
        #expect(status.state == (expected == .invalid ? .deadlock : .active))
        #expect(try client.accepted(.possession) == (steps < 20))
        guard steps < 20 else {
            client.server.state = .blocked
            #expect(try client.fetchStatus().state == .blocked, "a blocked activation stays visible")
            return
        }
        #expect(try client.fetchStatus().counterState == .OK)
    }

    @Test func `A client that is far ahead is asked for a code`() throws {
        let client = try ClientV4.activated()
        for _ in 0..<12 { _ = try client.code(.possession) }
        #expect(try client.fetchStatus().counterState == .calculateSignature)
        #expect(try client.accepted(.possession))
        #expect(try client.fetchStatus().counterState == .OK)
    }

    @Test(arguments: ServerV4.suites)
    func `Tokens, vault and signatures of the device work with the server's answers`(suite: CryptographySuite) throws {
        let client = try ClientV4.activated(suite: suite)
        let server = client.server
        let secret = TokenSecret256.random()
        let created = try client.send(bytes: Data(), .tokenCreate) { _ in secret.rawData }
        let header = TokenHeaderV4(tokenId: "id", secret: try TokenSecret256(created), timestamp: 1_735_689_600_000)
        #expect(header.isAuthentic(secret: secret))

        let asked = VaultUnlockRequestV4(keyIdentifier: .deviceKeyEncryption, reason: .signWithDevicePrivateKey)
        let unlocked = try client.send(asked, .vaultUnlock) { body in
            #expect(try JSONDecoder().decode(VaultUnlockRequestV4.self, from: body) == asked)
            return VaultUnlockResponseV4(key: try server.keys.deviceKeyEncryption)
        }
        let device = try #require(server.deviceKeys)
        let data = Data("data".utf8)
        let signature = try client.session.deviceSignatureV4(of: data, by: .ecdsa, vaultKey: unlocked.key)
        #expect(device.ec.verify(signature: signature, of: data))
        if suite == .ecP384 {
            #expect(
                refusal { _ = try client.session.deviceSignatureV4(of: data, by: .mldsa, vaultKey: unlocked.key) }
                    == .wrongParam)
        } else {
            let lattice = try client.session.deviceSignatureV4(of: data, by: .mldsa, vaultKey: unlocked.key)
            #expect(device.verifyLattice(signature: lattice, of: data))
        }
        let names = try CertificateRequest(distinguishedNames: ["CN": "Eva"])
        let request = try client.session.signCertificateRequestV4(names, vaultKey: unlocked.key)
        #expect(request.range(of: device.ec.uncompressed) != nil, "the request is for the device's key")
        let jws = try client.session.deviceJWS(payload: data, vaultKey: unlocked.key)
        #expect(try jws.verified(by: device) == data)
        #expect((jws.compact == nil) == (suite != .ecP384))
        #expect(refusal { _ = try client.session.deviceJWS(payload: data, vaultKey: .random()) } == .encryption)
        let vault = try client.send(
            VaultUnlockRequestV4(keyIdentifier: .twoFactorVault, reason: .fetchEncryptionKey), .vaultUnlock
        ) { _ in VaultUnlockResponseV4(key: try server.keys.twoFactorVault) }
        #expect(try vault.key == server.keys.twoFactorVault)
    }

    @Test(arguments: ServerV4.suites)
    func `A password changes with the server's answer, and a lost answer leaves the old one in use`(
        suite: CryptographySuite
    ) throws {
        let client = try ClientV4.activated(suite: suite)
        let before = client.session.serializedState()
        let lost = try client.session.passwordChangeV4(to: PowerAuthCorePassword(string: "lost"))
        _ = try client.send(lost.request, .passwordChange) { try client.server.changePassword($0) }
        #expect(client.session.serializedState() == before)
        #expect(try client.accepted(.possession_Knowledge), "the server accepts the current key beside the next one")
        #expect(try !client.accepted(.possession_Knowledge, password: "lost"))

        let snapshot = client.session.activationSnapshot
        let change = try client.session.passwordChangeV4(to: PowerAuthCorePassword(string: "next"))
        let answer = try client.send(change.request, .passwordChange) { try client.server.changePassword($0) }
        try client.session.finish(change, with: answer)
        #expect(snapshot.change(until: client.session.activationSnapshot, of: [.password]) == .part(.password))
        #expect(try client.accepted(.possession_Knowledge, password: "next"))
        client.server.knowledge.removeFirst()
        #expect(try client.accepted(.possession_Knowledge, password: "next"), "the next key is the current one now")
        #expect(try !client.accepted(.possession_Knowledge))
        // An answer of another exchange gives another key, without an error in hybrid suites and on the curve.
        let other = try client.session.passwordChangeV4(to: PowerAuthCorePassword(string: "third"))
        try client.session.finish(other, with: answer)
        #expect(try !client.accepted(.possession_Knowledge, password: "third"))
    }

    @Test(arguments: ServerV4.suites, [16, 32])
    func `Biometry is added with the server's answer, and removed`(suite: CryptographySuite, size: Int) throws {
        let client = try ClientV4.activated(suite: suite)
        let session = client.session
        #expect(!session.hasBiometryFactor() && session.biometryFactorIdentity == BiometryFactorIdentity.none)
        #expect(refusal { _ = try client.code(.possession_Biometry) } == .wrongState)
        let unlock = PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: ClientFixture.possessionKey, biometryUnlockKey: Data(repeating: 0x42, count: size))
        var names: Set<BiometryFactorIdentity> = []
        for _ in 0..<2 {
            let addition = try session.biometryAdditionV4(unlock)
            let answer = try client.send(addition.request, .biometryAdd) { try client.server.addBiometry($0) }
            try session.finish(addition, with: answer)
            #expect(session.hasBiometryFactor())
            names.insert(session.biometryFactorIdentity)
            let code = try session.authenticationCode(
                PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test"), keys: unlock, factor: .possession_Biometry)
            #expect(try client.server.verify(code))
        }
        #expect(names.count == 2, "a factor that is replaced has another name")
        try session.removeBiometryV4()
        #expect(!session.hasBiometryFactor())
        #expect(refusal { _ = try client.code(.possession_Biometry) } == .wrongState)
        try session.removeBiometryV4()
    }

    @Test(arguments: AeadPurpose.allCases)
    func `An encryptor serves one request and its answer`(purpose: AeadPurpose) throws {
        let client = try ClientV4.activated()
        let encryptor = try client.session.requestEncryptorV4(for: purpose, keys: client.keys())
        let header = try AeadHeader(
            parsing: encryptor.headerValue, scope: purpose.scope == .activation ? .activation : .application)
        #expect(header.activationId == (purpose.scope == .activation ? client.server.activationId : nil))
        let answer = AeadResponse(encryptedData: Data(count: 44), timestamp: 0)
        #expect(refusal { _ = try encryptor.decryptResponse(answer) } == .wrongState, "nothing was sent")
        let request = try encryptor.encryptRequest(Data("one".utf8))
        #expect(refusal { _ = try encryptor.encryptRequest(Data("two".utf8)) } == .wrongState)
        let (plaintext, response) = try client.server.decrypt(request, purpose)
        #expect(plaintext == Data("one".utf8))
        let encrypted = try response.encrypt(Data("answer".utf8), timestamp: 1_735_689_600_000)
        #expect(try encryptor.decryptResponse(encrypted) == Data("answer".utf8))
        #expect(refusal { _ = try encryptor.decryptResponse(encrypted) } == .wrongState)

        let other = try client.session.requestEncryptorV4(for: purpose, keys: client.keys())
        _ = try other.encryptRequest(Data())
        #expect(refusal { _ = try other.decryptResponse(encrypted) } == .encryption, "it answers another request")
        client.session.removeTemporaryKeyV4(for: purpose.scope)
        #expect(
            refusal { _ = try client.session.requestEncryptorV4(for: purpose, keys: client.keys()) } == .wrongState)
    }

    @Test func `A payload for an approval without a connection is checked with the key that it names`() throws {
        let client = try ClientV4.activated()
        let master = try OfflinePayloadV4(data: "text", master: client.server.masterKeys.ec)
        let own = try OfflinePayloadV4(data: "text", personalized: client.server.keys.utility.personalizedData)
        for payload in [master, own] {
            #expect(refusal { try client.session.verify(payload, keys: client.keys()) } == nil)
            let read = try OfflinePayloadV4(payload.text)
            #expect(refusal { try client.session.verify(read, keys: client.keys()) } == nil)
        }
        for foreign in [
            try OfflinePayloadV4(data: "text", master: client.server.serverKeys.ec),
            try OfflinePayloadV4(data: "text", personalized: .random()),
            try OfflinePayloadV4(master.text.replacingOccurrences(of: "text", with: "next")),
        ] {
            #expect(refusal { try client.session.verify(foreign, keys: client.keys()) } == .encryption)
        }
        let none = PowerAuthCoreSignatureUnlockKeys()
        #expect(refusal { try client.session.verify(master, keys: none) } == nil)
        #expect(refusal { try client.session.verify(own, keys: none) } == .wrongParam)
    }
}
