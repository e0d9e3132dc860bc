// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// A device written on the protocol's primitives: what an SDK would do, step by step and without mercy.
struct TestDevice: Sendable {
    let client: ServerClient
    let version: ProtocolVersion
    var configuration: MobileSdkConfiguration
    let deviceKey: PrivateKey
    var activationId = ""
    var keys: DerivedKeys?
    var serverPublicKey: PublicKey?
    var counter = CounterData.random()
    var fingerprint = ""
    var recovery: RecoveryData?
    var userInfo: JSONValue?

    init(_ client: ServerClient, _ version: ProtocolVersion) throws {
        self.client = client
        self.version = version
        configuration = try #require(client.configuration)
        deviceKey = try PrivateKey.generate()
    }

    /// The parameters of the encryption of one scope.
    struct Scope {
        let publicKey: PublicKey
        let temporaryKeyId: String?
        let activationId: String?
        let sharedInfo2: Data
    }

    // MARK: Activation

    struct Created {
        let answer: Answer
        let customAttributes: [String: String]
    }

    /// Sends the key exchange for a code. The device is usable when the answer has status 200.
    @discardableResult
    mutating func activate(
        code: String, otp: String? = nil, name: String = "Lab phone", attributes: [String: String]? = nil,
        devicePublicKey: String? = nil
    ) async throws -> Answer {
        try await activate(
            type: "CODE", identity: ["code": code], otp: otp, name: name, attributes: attributes,
            devicePublicKey: devicePublicKey)
    }

    /// Sends the key exchange with any identity.
    @discardableResult
    mutating func activate(
        type: String, identity: [String: String], otp: String? = nil, name: String = "Lab phone",
        attributes: [String: String]? = nil, expectedAttributes: [String: String]? = nil,
        devicePublicKey: String? = nil
    ) async throws -> Answer {
        let scope = try await applicationScope()
        var inner: [String: String] = [
            "devicePublicKey": devicePublicKey ?? StrictBase64.encode(deviceKey.publicKey.compressed),
            "activationName": name, "platform": "iOS", "deviceInfo": "iPhone15,2", "extras": "blue", "unknown": "x",
        ]
        inner["activationOtp"] = otp
        let (sealedInner, innerDecryptor) = try seal(inner, scope, .activationLayer2)
        var outer: [String: Any] = [
            "type": type, "identityAttributes": identity,
            "activationData": try JSONSerialization.jsonObject(with: JSONEncoder().encode(sealedInner)),
        ]
        if let attributes { outer["customAttributes"] = attributes }
        let (sealedOuter, outerDecryptor) = try seal(outer, scope, .applicationGeneric)
        let answer = try await client.send(
            "/pa/v3/activation/create",
            headers: [EncryptionHeader.name: encryptionHeader(scope).value], body: JSONEncoder().encode(sealedOuter))
        guard answer.status == 200 else { return answer }
        let plaintext = try outerDecryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body))
        let result = try JSONDecoder().decode(OuterAnswer.self, from: plaintext)
        #expect(result.customAttributes == expectedAttributes ?? attributes ?? [:])
        userInfo = result.userInfo
        let innerAnswer = try JSONDecoder().decode(
            InnerAnswer.self, from: innerDecryptor.decrypt(result.activationData))
        try bind(
            activationId: innerAnswer.activationId,
            serverPublicKey: #require(StrictBase64.decode(innerAnswer.serverPublicKey)),
            counterData: #require(StrictBase64.decode(innerAnswer.ctrData)))
        recovery = innerAnswer.activationRecovery
        return answer
    }

    /// Takes over what the key exchange agreed on.
    mutating func bind(activationId: String, serverPublicKey: Data, counterData: Data) throws {
        let exchange = try ActivationKeyExchange(
            deviceKey: deviceKey, activationId: activationId, serverPublicKey: serverPublicKey,
            counterData: counterData)
        self.activationId = exchange.activationId
        keys = exchange.keys
        self.serverPublicKey = exchange.peerPublicKey
        counter = exchange.counter
        fingerprint = exchange.fingerprint
    }

    private struct OuterAnswer: Decodable {
        let activationData: EciesResponse
        let customAttributes: [String: String]
        let userInfo: JSONValue
    }

    private struct InnerAnswer: Decodable {
        let activationId: String
        let serverPublicKey: String
        let ctrData: String
        let activationRecovery: RecoveryData?
    }

    /// Asks for the encrypted status and opens it; nil when it does not open.
    func status() async throws -> StatusBlob? {
        var query = ["activationId": activationId]
        let challenge = Random.nonZeroBytes(16)
        if version.usesStatusChallenge { query["challenge"] = StrictBase64.encode(challenge) }
        let answer = try await client.send(
            "/pa/v3/activation/status", body: JSONEncoder().encode(["requestObject": query]))
        #expect(answer.status == 200)
        let blob = try answer.bytes("encryptedStatusBlob")
        let nonce = answer.text("nonce").flatMap { StrictBase64.decode($0) }
        #expect((nonce != nil) == version.usesStatusChallenge)
        let exchange = try nonce.map { try StatusBlob.Exchange(challenge: challenge, nonce: $0) }
        return try? StatusBlob(decrypting: blob, transportKey: #require(keys).transport, exchange: exchange)
    }

    // MARK: Encryption

    func applicationScope() async throws -> Scope {
        let temporary = try await version.usesTemporaryKey ? temporaryKey(activation: false) : nil
        return Scope(
            publicKey: try temporary?.publicKey ?? configuration.masterServerKey(), temporaryKeyId: temporary?.keyId,
            activationId: nil, sharedInfo2: SharedInfo2.application(configuration.applicationSecretText))
    }

    func activationScope() async throws -> Scope {
        let keys = try #require(self.keys)
        let temporary = try await version.usesTemporaryKey ? temporaryKey(activation: true) : nil
        return Scope(
            publicKey: try temporary?.publicKey ?? #require(serverPublicKey), temporaryKeyId: temporary?.keyId,
            activationId: activationId,
            sharedInfo2: SharedInfo2.activation(keys.transport, configuration.applicationSecretText))
    }

    /// The signed request for a temporary key.
    func temporaryKeyRequest(activation: Bool) throws -> (request: TemporaryKeyRequest, jwt: String) {
        let secret = try ApplicationSecretKey(configuration.applicationSecret)
        let request = TemporaryKeyRequest(
            applicationKey: configuration.applicationKeyText, activationId: activation ? activationId : nil)
        let key =
            try activation
            ? TemporaryKeyRequest.signingKey(secret, transportKey: #require(keys).transport)
            : TemporaryKeyRequest.signingKey(secret)
        return (request, try request.jwt(key: key))
    }

    func temporaryKey(activation: Bool) async throws -> TemporaryKeyResponse {
        let (request, jwt) = try temporaryKeyRequest(activation: activation)
        let answer = try await client.send(
            "/pa/v3/keystore/create", body: JSONEncoder().encode(["requestObject": ["jwt": jwt]]))
        try #require(answer.status == 200, "keystore/create answered \(answer.code ?? "nothing")")
        let signer = try activation ? #require(serverPublicKey) : configuration.masterServerKey()
        return try TemporaryKeyResponse(
            verifying: #require(answer.text("jwt")), key: signer, request: request, currentTime: client.timestamp)
    }

    func seal(
        _ object: [String: Any], _ scope: Scope, _ sharedInfo1: EciesSharedInfo1
    ) throws -> (request: EciesRequest, decryptor: EciesResponseDecryptor) {
        try seal(JSONSerialization.data(withJSONObject: object), scope, sharedInfo1)
    }

    func seal(
        _ plaintext: Data, _ scope: Scope, _ sharedInfo1: EciesSharedInfo1
    ) throws -> (request: EciesRequest, decryptor: EciesResponseDecryptor) {
        let parameters = EciesParameters(
            version: version, sharedInfo1: sharedInfo1, applicationKey: configuration.applicationKeyText,
            activationId: scope.activationId, temporaryKeyId: scope.temporaryKeyId)
        return try EciesClientEncryptor(
            parameters: parameters, serverPublicKey: scope.publicKey, sharedInfo2: scope.sharedInfo2
        ).encrypt(plaintext, timestamp: client.timestamp)
    }

    func encryptionHeader(_ scope: Scope) -> EncryptionHeader {
        EncryptionHeader(
            version: version, applicationKey: configuration.applicationKeyText, activationId: scope.activationId)
    }

    // MARK: Signatures

    /// Signs with the next counter value.
    /// - Parameter correct: false signs with one key that is not the activation's: that of the password, else of the finger.
    mutating func signature(
        method: String = "POST", uriId: String, body: Data, type: SignatureType = .possessionKnowledge,
        correct: Bool = true
    ) throws -> SignatureHeader {
        let keys = try #require(self.keys)
        let nonce = StrictBase64.encode(Random.nonZeroBytes(16))
        let data = SymmetricSignature.normalize(
            method: method, uriId: uriId, nonce: nonce, body: body,
            applicationSecretText: configuration.applicationSecretText)
        let factors = type.factors
        let signatureKeys = SignatureKeys(
            possession: factors.contains(.possession)
                ? (correct || factors != .possession ? keys.possession : .random()) : nil,
            knowledge: factors.contains(.knowledge) ? (correct ? keys.knowledge : .random()) : nil,
            biometry: factors.contains(.biometry)
                ? (correct || factors.contains(.knowledge) ? keys.biometry : .random()) : nil)
        let signature = try SymmetricSignature.online(
            version: version, keys: signatureKeys, counter: counter, data: data)
        counter = counter.next()
        return SignatureHeader(
            version: version, activationId: activationId, applicationKey: configuration.applicationKeyText,
            nonce: nonce, signatureType: type, signature: signature)
    }

    /// Sends a signed request.
    @discardableResult
    mutating func sendSigned(
        _ path: String, uriId: String, body: Data = Data("{}".utf8), type: SignatureType = .possessionKnowledge,
        correct: Bool = true
    ) async throws -> Answer {
        let header = try signature(uriId: uriId, body: body, type: type, correct: correct)
        return try await client.send(path, headers: [SignatureHeader.name: header.value], body: body)
    }

    /// Validates a signature; the status code is the result.
    @discardableResult
    mutating func validateSignature(
        type: SignatureType = .possessionKnowledge, correct: Bool = true
    ) async throws -> Int {
        try await sendSigned(
            "/pa/v3/signature/validate", uriId: "/pa/signature/validate", type: type, correct: correct
        ).status
    }

    /// Loses `count` signatures on the way.
    mutating func skip(_ count: Int) { counter = counter.advanced(by: count) }

    // MARK: Tokens

    struct CreatedToken: Decodable {
        let tokenId: String
        let tokenSecret: String

        func header(_ version: ProtocolVersion, timestamp: UInt64) throws -> TokenHeader {
            TokenHeader(
                version: version, tokenId: tokenId, secret: try TokenSecret(#require(StrictBase64.decode(tokenSecret))),
                timestamp: timestamp)
        }
    }

    mutating func createToken(type: SignatureType = .possession) async throws -> CreatedToken {
        let (request, decryptor) = try seal([:], try await activationScope(), .createToken)
        let answer = try await sendSigned(
            "/pa/v3/token/create", uriId: "/pa/token/create", body: JSONEncoder().encode(request), type: type)
        try #require(answer.status == 200, "token/create answered \(answer.code ?? "nothing")")
        let plaintext = try decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body))
        return try JSONDecoder().decode(CreatedToken.self, from: plaintext)
    }
}

extension ServerClient {
    /// An activation that waits for its device.
    func initiate(_ extra: [String: any Sendable] = [:]) async throws -> (id: String, code: String) {
        let request = ["userId": "alice", "applicationId": "lab"].merging(extra) { $1 }
        let answer = try await backOffice("activation/init", request)
        try #require(answer.status == 200, "activation/init answered \(answer.code ?? "nothing")")
        return (try answer.required("activationId"), try answer.required("activationCode"))
    }

    /// A device with an active activation.
    func activeDevice(
        _ version: ProtocolVersion = .v3_3, _ extra: [String: any Sendable] = [:]
    ) async throws -> TestDevice {
        let (id, code) = try await initiate(extra)
        var device = try TestDevice(self, version)
        let answer = try await device.activate(code: code)
        try #require(answer.status == 200, "activation/create answered \(answer.code ?? "nothing")")
        try #require(try await backOffice("activation/commit", ["activationId": id]).status == 200)
        return device
    }

    /// The back office's view of an activation.
    func activationStatus(_ id: String) async throws -> Answer {
        try await backOffice("activation/status", ["activationId": id])
    }

    func validate(_ header: TokenHeader) async throws -> Answer {
        try await backOffice(
            "token/validate",
            [
                "tokenId": header.tokenId, "tokenDigest": StrictBase64.encode(header.tokenDigest),
                "nonce": StrictBase64.encode(header.nonce), "timestamp": header.timestampText,
                "protocolVersion": header.version.rawValue,
            ])
    }
}
