// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import Testing

@testable import PowerAuthCore

/// The server's side of one activation of protocol 4, made of the protocol's mathematics only.
final class ServerV4 {
    static let suites = CryptographySuite.Name.allCases.map { CryptographySuite.named($0) }

    let suite: CryptographySuite
    /// The same application in version 3.3.
    let older: ProtocolServer
    let masterKeys: SuitePrivateKeys
    var serverKeys: SuitePrivateKeys
    var activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    private(set) var deviceKeys: SuitePublicKeys?
    private var derived: ActivationKeys?
    /// The current key, and the next one after a change.
    var knowledge: [Key256<KeyPurpose.Knowledge>] = []
    var biometry: [Key256<KeyPurpose.Biometry>] = []
    var counter = HashBasedCounter.random()
    var counterNumber = 0
    var state = ActivationState.created
    var currentVersion: UInt8 = 4
    var flags: AuthenticatedStatus.Flags = []
    private var temporaryKeys: [String: TemporaryKeySecret] = [:]

    init(suite: CryptographySuite) throws {
        self.suite = suite
        older = try ProtocolServer()
        masterKeys = try .generate(suite: suite)
        serverKeys = try .generate(suite: suite)
    }

    static func applicationSecret() throws -> ApplicationSecretKey {
        try ApplicationSecretKey(ProtocolServer.applicationSecret)
    }

    var configuration: String {
        get throws {
            let keys = masterKeys.publicKeys.encoded
            var all: [SdkConfigurationV4.KeyKind: Data] = [
                .p256: older.masterKey.publicKey.uncompressed, .p384: keys.ecdsa,
            ]
            all[suite.name == .ecP384MLL5 ? .mldsa87 : .mldsa65] = keys.mldsa
            return try SdkConfigurationV4(
                applicationKey: ProtocolServer.applicationKey, applicationSecret: Self.applicationSecret(), keys: all
            ).string
        }
    }

    var keys: ActivationKeys { get throws { try #require(derived) } }

    var fingerprint: String {
        get throws {
            Fingerprint.v4(
                device: try #require(deviceKeys), activationId: activationId, server: serverKeys.publicKeys)
        }
    }

    // MARK: Exchanges

    private func exchange(
        _ request: SharedSecretRequest, _ encoded: EncodedSuiteKeys, hasBiometry: Bool
    ) throws -> SharedSecretResponse {
        let (response, secret) = try SharedSecretServer.answer(request, suite: suite)
        let keys = ActivationKeys(secret: secret.converted(to: KeyPurpose.ActivationSecret.self))
        deviceKeys = try SuitePublicKeys(encoded, suite: suite)
        derived = keys
        knowledge = [keys.knowledge]
        biometry = hasBiometry ? [keys.biometry] : []
        counter = .random()
        counterNumber = 0
        return response
    }

    /// Answers the inner layer of an activation.
    func activate(_ body: Data, hasBiometry: Bool = true) throws -> KeyExchangeResponseV4 {
        let request = try JSONDecoder().decode(KeyExchangeRequestV4.self, from: body)
        let response = try exchange(
            request.sharedSecretRequest, request.devicePublicKeys, hasBiometry: hasBiometry)
        state = .active
        flags = .confirmationPending
        return KeyExchangeResponseV4(
            sharedSecretResponse: response, serverPublicKeys: serverKeys.publicKeys.encoded,
            activationId: activationId, counter: counter)
    }

    /// Answers the start of an upgrade.
    func upgrade(_ body: Data) throws -> UpgradeStartResponse {
        let request = try JSONDecoder().decode(UpgradeStartRequest.self, from: body)
        // Another attempt has other keys.
        serverKeys = try .generate(suite: suite)
        let response = try exchange(
            request.sharedSecretRequest, request.devicePublicKeys, hasBiometry: request.enableBiometry)
        state = .active
        currentVersion = 3
        flags = .upgradeConfirmationPending
        return UpgradeStartResponse(
            sharedSecretResponse: response, serverPublicKeys: serverKeys.publicKeys.encoded, counter: counter)
    }

    /// Answers a change of the password.
    func changePassword(_ body: Data) throws -> SharedSecretResponse {
        let request = try JSONDecoder().decode(SharedSecretRequest.self, from: body)
        let (response, secret) = try SharedSecretServer.answer(request, suite: suite)
        knowledge = [try #require(knowledge.first), secret.converted(to: KeyPurpose.Knowledge.self)]
        return response
    }

    /// Answers the addition of biometry.
    func addBiometry(_ body: Data) throws -> SharedSecretResponse {
        let request = try JSONDecoder().decode(SharedSecretRequest.self, from: body)
        let (response, secret) = try SharedSecretServer.answer(request, suite: suite)
        biometry = Array(biometry.prefix(1)) + [secret.converted(to: KeyPurpose.Biometry.self)]
        return response
    }

    // MARK: Encryption

    /// Answers a request for a temporary key.
    func temporaryKey(_ jwt: String) throws -> JWS {
        let received = try TemporaryKeyRequestV4.Received(jwt: jwt)
        let isOfActivation = received.request.activationId != nil
        let key =
            try isOfActivation
            ? keys.utility.temporaryKeyRequest : TemporaryKeyRequestV4.key(Self.applicationSecret())
        try #require(received.isAuthentic(key: key))
        let (response, secret) = try SharedSecretServer.answer(received.request.sharedSecretRequest, suite: suite)
        let id = UUID().uuidString.lowercased()
        temporaryKeys[id] = secret.converted(to: KeyPurpose.TemporaryKey.self)
        let now: UInt64 = 1_735_689_600_000
        return try TemporaryKeyResponseV4(
            to: received.request, keyId: id, sharedSecretResponse: response, issuedAt: now, expiresAt: now + 300_000
        ).jws(keys: isOfActivation ? serverKeys : masterKeys)
    }

    /// Decrypts a request.
    func decrypt(_ request: AeadRequest, _ purpose: AeadPurpose) throws -> (Data, AeadResponseEncryptor) {
        let secret = try #require(temporaryKeys[request.temporaryKeyId])
        let applicationKey = StrictBase64.encode(ProtocolServer.applicationKey)
        let parameters: AeadParameters =
            switch purpose.scope {
            case .application:
                AeadParameters(
                    purpose: purpose, applicationKey: applicationKey, applicationSecret: try Self.applicationSecret(),
                    temporaryKeyId: request.temporaryKeyId, secret: secret)
            case .activation:
                AeadParameters(
                    purpose: purpose, applicationKey: applicationKey, applicationSecret: try Self.applicationSecret(),
                    activationId: activationId, key: try keys.utility.sharedInfo2,
                    temporaryKeyId: request.temporaryKeyId, secret: secret)
            }
        let (plaintext, encryptor) = try AeadServerDecryptor(parameters: parameters).decrypt(request)
        return (plaintext, encryptor)
    }

    // MARK: Codes and status

    /// Verifies an online code the way a server does.
    func verify(_ code: ComputedCode, uri: String = "/test", body: Data = Data()) throws -> Bool {
        let header = try AuthenticationHeader(parsing: code.headerValue)
        let request = SignedRequest(
            method: "POST", uriId: uri, nonce: header.nonce, body: body,
            applicationSecretText: StrictBase64.encode(ProtocolServer.applicationSecret))
        return try match(header.code, .base64, header.type.factors, data: request.normalizedData)
    }

    /// Verifies a code without a connection.
    func verifyOffline(_ code: ComputedCode, digits: Int, uri: String = "/test", body: Data = Data()) throws -> Bool {
        let request = SignedRequest(
            method: "POST", uriId: uri, nonce: code.nonce, body: body,
            applicationSecretText: SymmetricSignature.offlineSecretText)
        return try match(
            code.code, .decimal(length: digits), code.type.factors, data: request.normalizedData)
    }

    private func match(
        _ code: String, _ form: AuthenticationCode.Form, _ factors: SignatureFactors, data: Data
    ) throws -> Bool {
        let possession: Key256<KeyPurpose.Possession>? = try factors.contains(.possession) ? keys.possession : nil
        let knowledgeKeys: [Key256<KeyPurpose.Knowledge>?] =
            if factors.contains(.knowledge) { knowledge } else { [nil] }
        let biometryKeys: [Key256<KeyPurpose.Biometry>?] = if factors.contains(.biometry) { biometry } else { [nil] }
        let candidates = knowledgeKeys.flatMap { knowledge in
            biometryKeys.map { biometry in
                AuthenticationCode.Candidate(
                    keys: AuthenticationKeys(possession: possession, knowledge: knowledge, biometry: biometry),
                    data: data)
            }
        }
        let match = try AuthenticationCode.match(
            code: code, form: form, candidates: candidates, counter: counter, lookAhead: 20)
        guard let match else { return false }
        counter = match.nextCounter
        counterNumber += match.distance + 1
        return true
    }

    /// Moves the server's counter without the client.
    func advance(by count: Int) {
        counter = counter.advanced(by: count)
        counterNumber += count
    }

    /// `activationStatus`.
    func status() throws -> String {
        let utility = try keys.utility
        let status = AuthenticatedStatus(
            state: state, currentVersion: currentVersion, flags: flags,
            counterByte: UInt8(truncatingIfNeeded: counterNumber), failedAttempts: 0, maxFailedAttempts: 5,
            lookAhead: 20, counterHash: AuthenticatedStatus.counterHash(counter, key: utility.counterCode))
        return StrictBase64.encode(try status.encoded(key: utility.statusCode))
    }
}
