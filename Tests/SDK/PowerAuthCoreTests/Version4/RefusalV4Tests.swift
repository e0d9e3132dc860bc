// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

@Suite("Protocol 4: reasons to refuse", .endsInTime)
struct RefusalV4Tests {
    private typealias Call = (name: String, body: (PowerAuthCoreSession) throws -> Void)

    private static var keys: PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: ClientFixture.possessionKey, biometryUnlockKey: ClientFixture.biometryKey,
            userPassword: PowerAuthCorePassword(string: ClientFixture.password))
    }

    private static var request: PowerAuthCoreHTTPRequestData {
        PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
    }

    /// Calls that need a confirmed activation of protocol 4, with parameters of the right form.
    private static var calls: [Call] {
        [
            (
                "authenticationCode",
                { _ = try $0.authenticationCode(request, keys: keys, factor: .possession_Knowledge) }
            ),
            ("decodeStatusV4", { _ = try $0.decodeStatusV4("AAAA", keys: keys) }),
            (
                "temporaryKeyExchangeV4",
                { _ = try $0.temporaryKeyExchangeV4(for: .activation, keys: keys) }
            ),
            ("requestEncryptorV4", { _ = try $0.requestEncryptorV4(for: .activationGeneric, keys: keys) }),
            ("passwordChangeV4", { _ = try $0.passwordChangeV4(to: PowerAuthCorePassword(string: "next")) }),
            ("biometryAdditionV4", { _ = try $0.biometryAdditionV4(keys) }),
            ("removeBiometryV4", { try $0.removeBiometryV4() }),
            (
                "deviceSignatureV4",
                { _ = try $0.deviceSignatureV4(of: Data(), by: .ecdsa, vaultKey: .random()) }
            ),
            (
                "signCertificateRequestV4",
                { session in
                    let request = try CertificateRequest(distinguishedNames: ["CN": "Eva"])
                    _ = try session.signCertificateRequestV4(request, vaultKey: .random())
                }
            ),
            ("deviceJWS", { _ = try $0.deviceJWS(payload: Data(), vaultKey: .random()) }),
            ("verify", { try $0.verify(OfflinePayloadV4(data: "text", personalized: .random()), keys: keys) }),
            ("finishUpgradeV4", { try $0.finishUpgradeV4() }),
            ("upgradeConfirmationCode", { _ = try $0.upgradeConfirmationCode(body: Data(), keys: keys) }),
            ("activationConfirmationCode", { _ = try $0.activationConfirmationCode(body: Data(), keys: keys) }),
            ("completeActivationV4", { try $0.completeActivationV4(keys) }),
            ("confirmActivationV4", { try $0.confirmActivationV4() }),
        ]
    }

    @Test func `Without an activation of protocol 4 every call that needs one is refused`() throws {
        let version3 = try ClientV4()
        try version3.activateVersion3()
        for (name, session) in [
            ("empty", try ClientV4().session), ("version 3", version3.session),
            ("without suites", try ClientFixture.activated().session),
        ] {
            let state = session.serializedState()
            for call in Self.calls {
                #expect(refusal { try call.body(session) } == .wrongState, "\(name): \(call.name)")
            }
            #expect(session.serializedState() == state && !session.hasVersion4Activation)
        }
        let old = try ClientFixture().session
        #expect(refusal { _ = try old.startActivationV4() } == .wrongState, "a session without suites")
        #expect(refusal { _ = try old.temporaryKeyExchangeV4(for: .application, keys: nil) } == .wrongState)
        #expect(refusal { _ = try version3.session.startActivationV4() } == .wrongState)
        #expect(try version3.accepted3(.possession_Knowledge), "the activation of version 3 works as before")
    }

    @Test func `An activation of protocol 4 refuses every call of version 3`() throws {
        let client = try ClientV4.activated(biometry: true)
        let (session, keys) = (client.session, client.keys(biometry: true))
        let state = session.serializedState()
        let text = StrictBase64.encode(Data(repeating: 1, count: 16))
        #expect(client.sign(.possession_Knowledge) == nil && client.sign(.possession) == nil)
        #expect(session.startActivation(PowerAuthCoreActivationStep1Param()) == nil)
        #expect(!session.completeActivation(keys))
        let password = PowerAuthCorePassword(string: ClientFixture.password)
        #expect(!session.changeUserPassword(password, newPassword: password))
        #expect(!session.addBiometryFactor(text, keys: keys) && !session.removeBiometryFactor())
        #expect(session.deriveCryptographicKey(fromVaultKey: text, keys: keys, keyIndex: 1) == nil)
        #expect(session.signData(withDevicePrivateKey: text, keys: keys, data: Data(), format: .default) == nil)
        #expect(!session.hasActivationRecoveryData && session.activationRecoveryData(text, keys: keys) == nil)
        let status = PowerAuthCoreEncryptedActivationStatus(challenge: text, encryptedStatusBlob: text, nonce: text)
        #expect(session.decodeActivationStatus(status, keys: keys) == nil)
        #expect(!session.setPublicKey(forEciesScope: .activation, publicKey: text, publicKeyId: "id"))
        #expect(refusal { _ = try session.temporaryKeyExchange(for: .activation, keys: keys) } == .wrongState)
        #expect(!session.startProtocolUpgrade() && !session.finishProtocolUpgrade())
        #expect(!session.hasProtocolUpgradeAvailable && session.pendingProtocolUpgradeVersion == .NA)
        let key = Data(repeating: 7, count: 16)
        #expect(session.setExternalEncryptionKey(key) == .wrongState)
        #expect(session.addExternalEncryptionKey(key) == .wrongState)
        #expect(session.removeExternalEncryptionKey() == .wrongState)
        #expect(session.serializedState() == state)
        #expect(try client.accepted(.possession_Knowledge_Biometry))
    }

    @Test func `A setup needs the master keys of its first suite, and new activations no external key`() throws {
        for suite in ServerV4.suites {
            let older = try ProtocolServer()
            let setup = try #require(PowerAuthCoreSessionSetup(configuration: try older.configuration))
            setup.suites = [suite]
            let session = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: FixedTime()))
            #expect(!session.hasValidSetup && refusal { _ = try session.startActivationV4() } == .wrongState)
            #expect(session.sessionSetup.suites == [suite])
        }
        let client = try ClientV4()
        #expect(client.session.setExternalEncryptionKey(Data(repeating: 7, count: 16)) == .ok)
        #expect(refusal { _ = try client.session.startActivationV4() } == .wrongState)
        #expect(client.session.canStartActivation)
    }

    // MARK: Answers

    private typealias Answer = KeyExchangeResponseV4
    private typealias Mistake = (name: String, answer: Answer)

    /// The answer with other parts.
    private static func changed(
        _ answer: Answer, salt: Data? = nil, keys: [Data]? = nil, server: EncodedSuiteKeys? = nil
    ) -> Answer {
        let secret = answer.sharedSecretResponse
        return Answer(
            sharedSecretResponse: SharedSecretResponse(
                salt: salt ?? secret.salt, encapsulatedKeys: keys ?? secret.encapsulatedKeys),
            serverPublicKeys: server ?? answer.serverPublicKeys, activationId: answer.activationId,
            counter: answer.counter)
    }

    private static func mistakes(in answer: Answer, of suite: CryptographySuite) -> [Mistake] {
        let (keys, server) = (answer.sharedSecretResponse.encapsulatedKeys, answer.serverPublicKeys)
        var moved = keys[0]
        moved[50] ^= 1
        let salts: [Mistake] = [0, 31, 33].map { count in
            ("salt of \(count) bytes", changed(answer, salt: Data(repeating: 1, count: count)))
        }
        let common: [Mistake] = [
            ("no encapsulated key", changed(answer, keys: [])),
            ("a further encapsulated key", changed(answer, keys: keys + [Data(count: 32)])),
            ("a point of another size", changed(answer, keys: [keys[0].dropLast()] + keys.dropFirst())),
            ("a point beside the curve", changed(answer, keys: [moved] + keys.dropFirst())),
            ("no server key", changed(answer, server: EncodedSuiteKeys(ecdsa: Data(), mldsa: server.mldsa))),
            (
                "a server key beside the curve",
                changed(answer, server: EncodedSuiteKeys(ecdsa: moved, mldsa: server.mldsa))
            ),
        ]
        guard suite != .ecP384 else {
            let foreign = EncodedSuiteKeys(ecdsa: server.ecdsa, mldsa: Data(count: 1974))
            let further: Mistake = ("a key of another suite", changed(answer, server: foreign))
            return salts + common + [further]
        }
        let hybrid: [Mistake] = [
            ("a missing cipher text", changed(answer, keys: [keys[0]])),
            ("a short cipher text", changed(answer, keys: [keys[0], keys[1].dropLast()])),
            ("a long cipher text", changed(answer, keys: [keys[0], keys[1] + [0]])),
            ("a missing ML-DSA key", changed(answer, server: EncodedSuiteKeys(ecdsa: server.ecdsa))),
            (
                "an ML-DSA key without container",
                changed(
                    answer, server: EncodedSuiteKeys(ecdsa: server.ecdsa, mldsa: server.mldsa.map { $0.dropFirst(22) }))
            ),
        ]
        return salts + common + hybrid
    }

    @Test(arguments: ServerV4.suites)
    func `An answer that is not one of the suite ends the activation`(suite: CryptographySuite) throws {
        let client = try ClientV4(suite: suite)
        func started() throws -> Answer {
            try client.fetchTemporaryKey(.application)
            let request = try client.session.startActivationV4()
            return try client.send(request, .activationLayer2) { try client.server.activate($0) }
        }
        let count = Self.mistakes(in: try started(), of: suite).count
        client.session.resetSession(false)
        for index in 0..<count {
            let mistake = Self.mistakes(in: try started(), of: suite)[index]
            #expect(
                refusal { _ = try client.session.validateActivationResponseV4(mistake.answer) } == .encryption,
                "\(mistake.name)")
            #expect(client.session.canStartActivation && client.session.activationIdentifier == nil, "\(mistake.name)")
        }
        // An answer of a server that chose another suite.
        for other in ServerV4.suites where other != suite {
            _ = try started()
            let foreign = try ServerV4(suite: other)
            let exchange = try SharedSecretClient(suite: other)
            let body = try JSONEncoder().encode(
                KeyExchangeRequestV4(
                    sharedSecretRequest: exchange.request,
                    devicePublicKeys: SuitePrivateKeys.generate(suite: other).publicKeys.encoded))
            let answer = try foreign.activate(body)
            #expect(
                refusal { _ = try client.session.validateActivationResponseV4(answer) } == .encryption, "\(other)")
        }
        try client.activate()
        #expect(try client.accepted(.possession_Knowledge))
    }

    @Test func `Unlock keys that cannot be used may be corrected`() throws {
        let client = try ClientV4()
        try client.fetchTemporaryKey(.application)
        let request = try client.session.startActivationV4()
        let answer = try client.send(request, .activationLayer2) { try client.server.activate($0) }
        _ = try client.session.validateActivationResponseV4(answer)
        func keys(_ possession: Data?, _ biometry: Data?, _ password: String?) -> PowerAuthCoreSignatureUnlockKeys {
            PowerAuthCoreSignatureUnlockKeys(
                possessionUnlockKey: possession, biometryUnlockKey: biometry,
                userPassword: password.map { PowerAuthCorePassword(string: $0) })
        }
        let possession = ClientFixture.possessionKey
        for wrong in [
            keys(nil, nil, "1234"), keys(Data(count: 16), nil, "1234"), keys(possession.dropLast(), nil, "1234"),
            keys(possession, nil, nil), keys(possession, nil, "123"),
            keys(possession, nil, String(repeating: "1", count: 513)), keys(possession, Data(), "1234"),
            keys(possession, Data(count: 16), "1234"), keys(possession, Data(count: 32), "1234"),
            keys(possession, Data(repeating: 1, count: 15), "1234"),
            keys(possession, Data(repeating: 1, count: 31), "1234"),
        ] {
            #expect(refusal { try client.session.completeActivationV4(wrong) } == .wrongParam)
            #expect(client.session.hasPendingActivation)
        }
        #expect(refusal { try client.session.confirmActivationV4() } == .wrongState)
        let longest = keys(possession, nil, String(repeating: "1", count: 512))
        try client.session.completeActivationV4(longest)
        #expect(refusal { _ = try client.code(.possession) } == .wrongState, "it is not confirmed")
        #expect(refusal { try client.session.completeActivationV4(keys(possession, nil, "123")) } == .wrongParam)

        // The answer to the first confirmation is lost, and the factors are chosen again.
        let body = ClientV4.confirmation(biometry: false)
        let lost = try client.session.activationConfirmationCode(body: body, keys: longest)
        #expect(try client.server.verify(lost, uri: "/pa/activation/confirm", body: body))
        let before = client.session.activationSnapshot
        try client.session.completeActivationV4(client.keys())
        let now = client.session.activationSnapshot
        #expect(before.change(until: now) == nil && before.change(until: now, of: [.knowledge]) == .part(.knowledge))
        let code = try client.session.activationConfirmationCode(body: body, keys: client.keys())
        #expect(try client.server.verify(code, uri: "/pa/activation/confirm", body: body))
    }

    @Test func `A parameter of a wrong form and one that does not decrypt have their own reasons`() throws {
        let client = try ClientV4.activated()
        let session = client.session
        let state = session.serializedState()
        let none = PowerAuthCoreSignatureUnlockKeys()
        let foreign = PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: Data(repeating: 9, count: 16))
        let status = try client.server.status()
        #expect(refusal { _ = try session.decodeStatusV4(status, keys: none) } == .wrongParam)
        #expect(refusal { _ = try session.decodeStatusV4(status, keys: foreign) } == .encryption)
        for wrong in ["", "?", "AAAA", String(status.dropLast(4)), status + "AAAA", "A" + String(status.dropFirst())] {
            #expect(refusal { _ = try session.decodeStatusV4(wrong, keys: client.keys()) } == .encryption, "\(wrong)")
        }
        for purpose in [AeadPurpose.activationGeneric, .vaultUnlock] {
            #expect(refusal { _ = try session.requestEncryptorV4(for: purpose, keys: nil) } == .wrongParam)
            #expect(refusal { _ = try session.requestEncryptorV4(for: purpose, keys: none) } == .wrongParam)
            #expect(refusal { _ = try session.requestEncryptorV4(for: purpose, keys: foreign) } == .encryption)
        }
        #expect(refusal { _ = try session.temporaryKeyExchangeV4(for: .activation, keys: nil) } == .wrongParam)
        #expect(refusal { _ = try session.temporaryKeyExchangeV4(for: .activation, keys: foreign) } == .encryption)
        #expect(refusal { _ = try session.temporaryKeyExchangeV4(for: .application, keys: nil) } == nil)

        func code(
            _ method: String = "POST", _ uri: String = "/test", nonce: String? = nil, digits: UInt = 8,
            keys: PowerAuthCoreSignatureUnlockKeys? = nil, factor: PowerAuthCoreSignatureFactor = .possession_Knowledge
        ) -> PowerAuthCoreErrorCode? {
            refusal {
                _ = try session.authenticationCode(
                    PowerAuthCoreHTTPRequestData(
                        method: method, uri: uri, offlineNonce: nonce, offlineSignatureSize: digits),
                    keys: keys ?? client.keys(), factor: factor)
            }
        }
        #expect(code("BAD") == .wrongParam && code("POST", "") == .wrongParam)
        #expect(code(factor: []) == .wrongParam && code(factor: [.knowledge, .biometry]) == .wrongParam)
        #expect(code(keys: none) == .wrongParam && code(factor: .possession_Biometry) == .wrongState)
        #expect(code(keys: PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: Data(count: 16))) == .wrongParam)
        let nonce = SymmetricSignature.randomNonce()
        #expect(code(nonce: nonce, digits: 3) == .wrongParam && code(nonce: nonce, digits: 9) == .wrongParam)
        #expect(code(nonce: "short") == .wrongParam)
        #expect(code(nonce: "not Base64 but 24 chars.") == .encryption)
        for password in ["", "123", String(repeating: "1", count: 513)] {
            #expect(
                refusal { _ = try session.passwordChangeV4(to: PowerAuthCorePassword(string: password)) }
                    == .wrongParam)
        }
        #expect(refusal { _ = try session.biometryAdditionV4(client.keys()) } == .wrongParam)
        #expect(session.serializedState() == state, "a refused call does not count")
    }

    @Test(arguments: ServerV4.suites)
    func `An answer to a change of a factor that is not one of the suite changes nothing`(
        suite: CryptographySuite
    ) throws {
        let client = try ClientV4.activated(suite: suite)
        let state = client.session.serializedState()
        let change = try client.session.passwordChangeV4(to: PowerAuthCorePassword(string: "next"))
        let addition = try client.session.biometryAdditionV4(client.keys(biometry: true))
        let answer = try client.server.changePassword(JSONEncoder().encode(change.request))
        let keys = answer.encapsulatedKeys
        for wrong in [
            SharedSecretResponse(salt: answer.salt.dropLast(), encapsulatedKeys: keys),
            SharedSecretResponse(salt: answer.salt, encapsulatedKeys: []),
            SharedSecretResponse(salt: answer.salt, encapsulatedKeys: keys + [Data()]),
            SharedSecretResponse(salt: answer.salt, encapsulatedKeys: keys.map { $0.dropLast() }),
        ] {
            #expect(refusal { try client.session.finish(change, with: wrong) } == .encryption)
            #expect(refusal { try client.session.finish(addition, with: wrong) } == .encryption)
        }
        #expect(client.session.serializedState() == state)
        // The session has another activation meanwhile.
        client.session.resetSession(false)
        client.server.activationId = "8f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
        try client.activate()
        #expect(refusal { try client.session.finish(change, with: answer) } == .wrongState)
        #expect(refusal { try client.session.finish(addition, with: answer) } == .wrongState)
        #expect(try client.accepted(.possession_Knowledge))
    }
}
