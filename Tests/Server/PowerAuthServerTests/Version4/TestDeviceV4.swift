// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthPostQuantum
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// A device of protocol 4, written on the client halves of the protocol: what an SDK would do, step by step.
struct TestDeviceV4: Sendable {
    let client: ServerClient
    let suite: CryptographySuite
    var configuration: SdkConfigurationV4
    let deviceKeys: SuitePrivateKeys
    var activationId = ""
    /// What the device shares with the server; the server's own type serves for it.
    var secrets: ActivationSecrets?
    var serverKeys: SuitePublicKeys?
    var counter = HashBasedCounter.random()

    init(_ client: ServerClient, _ suite: CryptographySuite = .ecP384) async throws {
        self.client = client
        self.suite = suite
        let detail = try await client.backOfficeV4("application/detail", ["applicationId": "lab"])
        configuration = try SdkConfigurationV4(detail.required("versions.0.mobileSdkConfig"))
        deviceKeys = try SuitePrivateKeys.generate(suite: suite)
    }

    var applicationKey: String { StrictBase64.encode(configuration.applicationKey) }

    // MARK: Encryption

    /// An agreed temporary key.
    struct Scope: Sendable {
        var activationId: String?
        let temporaryKeyId: String
        let secret: TemporaryKeySecret
    }

    /// The request for a temporary key.
    func temporaryKeyRequest(
        _ exchange: SharedSecretClient, activation: Bool
    ) throws -> (request: TemporaryKeyRequestV4, key: TemporaryKeyRequestV4.Key) {
        let request = TemporaryKeyRequestV4(
            applicationKey: applicationKey, activationId: activation ? activationId : nil,
            sharedSecretRequest: exchange.request)
        let key =
            try activation
            ? #require(secrets).keys.utility.temporaryKeyRequest
            : TemporaryKeyRequestV4.key(configuration.applicationSecret)
        return (request, key)
    }

    func requestTemporaryKey(jwt: String) async throws -> Answer {
        try await client.send("/pa/v4/keystore/create", body: JSONEncoder().encode(["requestObject": ["jwt": jwt]]))
    }

    func scope(activation: Bool) async throws -> Scope {
        let exchange = try SharedSecretClient(suite: suite)
        let (request, key) = try temporaryKeyRequest(exchange, activation: activation)
        let answer = try await requestTemporaryKey(jwt: request.jwt(key: key))
        try #require(answer.status == 200, "keystore/create answered \(answer.code ?? "nothing")")
        let signer = try activation ? #require(serverKeys) : configuration.masterKeys(suite: suite)
        let response = try TemporaryKeyResponseV4(
            verifying: JWS(answer.required("jwt")), keys: signer, request: request, currentTime: client.timestamp)
        let secret = try exchange.secret(of: response.sharedSecretResponse)
        return Scope(
            activationId: activation ? activationId : nil, temporaryKeyId: response.keyId,
            secret: secret.converted(to: KeyPurpose.TemporaryKey.self))
    }

    func seal(
        _ plaintext: Data, _ scope: Scope, _ purpose: AeadPurpose
    ) throws -> (request: AeadRequest, decryptor: AeadResponseDecryptor) {
        let parameters: AeadParameters
        if let activationId = scope.activationId {
            parameters = AeadParameters(
                purpose: purpose, applicationKey: applicationKey, applicationSecret: configuration.applicationSecret,
                activationId: activationId, key: try #require(secrets).keys.utility.sharedInfo2,
                temporaryKeyId: scope.temporaryKeyId, secret: scope.secret)
        } else {
            parameters = AeadParameters(
                purpose: purpose, applicationKey: applicationKey, applicationSecret: configuration.applicationSecret,
                temporaryKeyId: scope.temporaryKeyId, secret: scope.secret)
        }
        return try AeadClientEncryptor(parameters: parameters).encrypt(plaintext, timestamp: client.timestamp)
    }

    func encryptionHeader(_ scope: Scope) -> String {
        AeadHeader(applicationKey: applicationKey, activationId: scope.activationId).value
    }

    /// Sends an encrypted request with its own header, and opens the answer, which must come.
    func encrypted(_ path: String, _ plaintext: Data = Data(), activation: Bool = true) async throws -> JSONValue {
        let scope = try await scope(activation: activation)
        let (request, decryptor) = try seal(
            plaintext, scope, activation ? .activationGeneric : .applicationGeneric)
        let answer = try await client.send(
            path, headers: [EncryptionHeader.name: encryptionHeader(scope)], body: JSONEncoder().encode(request))
        try #require(answer.status == 200, "\(path) answered \(answer.status) \(answer.code ?? "")")
        return try JSONValue.parse(decryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: answer.body)))
    }

    // MARK: Activation

    private struct OuterAnswer: Decodable { let activationData: AeadResponse }

    /// Sends the key exchange for a code. The device is usable when the answer has status 200.
    /// - Parameter change: changes the inner layer.
    @discardableResult
    mutating func activate(
        code: String, otp: String? = nil, change: (inout KeyExchangeRequestV4) -> Void = { _ in }
    ) async throws -> Answer {
        let exchange = try SharedSecretClient(suite: suite)
        var inner = KeyExchangeRequestV4(
            sharedSecretRequest: exchange.request, devicePublicKeys: deviceKeys.publicKeys.encoded,
            activationName: "Lab phone", activationOtp: otp, platform: "iOS", deviceInfo: "iPhone15,2", extras: "blue")
        change(&inner)
        let scope = try await scope(activation: false)
        let (sealedInner, innerDecryptor) = try seal(JSONEncoder().encode(inner), scope, .activationLayer2)
        let outer: [String: Any] = [
            "type": "CODE", "identityAttributes": ["code": code],
            "activationData": try JSONSerialization.jsonObject(with: JSONEncoder().encode(sealedInner)),
        ]
        let (sealedOuter, outerDecryptor) = try seal(
            JSONSerialization.data(withJSONObject: outer), scope, .applicationGeneric)
        let answer = try await client.send(
            "/pa/v4/activation/create", headers: [EncryptionHeader.name: encryptionHeader(scope)],
            body: JSONEncoder().encode(sealedOuter))
        guard answer.status == 200 else { return answer }
        let plaintext = try outerDecryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: answer.body))
        let result = try JSONDecoder().decode(OuterAnswer.self, from: plaintext)
        let response = try JSONDecoder().decode(
            KeyExchangeResponseV4.self, from: innerDecryptor.decrypt(result.activationData))
        try bind(
            exchange.secret(of: response.sharedSecretResponse), response.serverPublicKeys, response.counter,
            hasBiometry: false)
        activationId = response.activationId
        return answer
    }

    /// Takes over what an exchange has agreed on.
    mutating func bind(
        _ secret: Key256<KeyPurpose.SharedSecret>, _ serverKeys: EncodedSuiteKeys, _ counter: HashBasedCounter,
        hasBiometry: Bool
    ) throws {
        secrets = ActivationSecrets(
            activation: secret.converted(to: KeyPurpose.ActivationSecret.self), hasBiometry: hasBiometry)
        self.serverKeys = try SuitePublicKeys(serverKeys, suite: suite)
        self.counter = counter
    }

    /// Confirms the activation.
    @discardableResult
    mutating func confirm(biometry: Bool = false) async throws -> Answer {
        let answer = try await sendCoded(
            "/pa/v4/activation/confirm", body: Data(#"{"requestObject":{"enableBiometry":\#(biometry)}}"#.utf8))
        if answer.status == 200, biometry {
            let key = try #require(secrets).keys.biometry
            secrets?.biometry = FactorKey(current: key)
        }
        return answer
    }

    /// The authenticated status.
    func status() async throws -> AuthenticatedStatus {
        let answer = try await encrypted("/pa/v4/activation/status")
        let text = try #require(answer["activationStatus"]?.stringValue)
        return try AuthenticatedStatus(
            #require(StrictBase64.decode(text)), key: #require(secrets).keys.utility.statusCode)
    }

    // MARK: Codes

    /// Makes a code with the next counter value.
    /// - Parameter isCorrect: false makes it with another key of possession.
    mutating func header(
        method: String = "POST", uriId: String, body: Data, type: SignatureType = .possessionKnowledge,
        isCorrect: Bool = true
    ) throws -> AuthenticationHeader {
        let secrets = try #require(self.secrets)
        let factors = type.factors
        let possession = isCorrect ? secrets.keys.possession : .random()
        let keys = AuthenticationKeys(
            possession: factors.contains(.possession) ? possession : nil,
            knowledge: factors.contains(.knowledge) ? secrets.knowledge.current : nil,
            biometry: factors.contains(.biometry) ? secrets.biometry?.current ?? .random() : nil)
        let nonce = Random.nonZeroText(16)
        let code = try AuthenticationCode.online(
            keys: keys, counter: counter,
            request: SignedRequest(
                method: method, uriId: uriId, nonce: nonce, body: body,
                applicationSecretText: StrictBase64.encode(configuration.applicationSecret.rawData)))
        counter = counter.next()
        return AuthenticationHeader(
            activationId: activationId, applicationKey: applicationKey, nonce: nonce, type: type, code: code)
    }

    /// Sends a request with a code; the label is the path without its version.
    @discardableResult
    mutating func sendCoded(
        _ path: String, body: Data = Data("{}".utf8), type: SignatureType = .possessionKnowledge,
        isCorrect: Bool = true
    ) async throws -> Answer {
        let header = try header(
            uriId: path.replacing("/pa/v4/", with: "/pa/"), body: body, type: type, isCorrect: isCorrect)
        return try await client.send(path, headers: [SignatureHeader.name: header.value], body: body)
    }

    /// Encrypts a request, and sends it with a code.
    /// - Returns: the answer, and its content if there is one.
    mutating func sendSealed(
        _ path: String, _ plaintext: Data, _ purpose: AeadPurpose, type: SignatureType = .possessionKnowledge
    ) async throws -> (answer: Answer, content: Data?) {
        let (request, decryptor) = try seal(plaintext, try await scope(activation: true), purpose)
        let answer = try await sendCoded(path, body: JSONEncoder().encode(request), type: type)
        guard answer.status == 200 else { return (answer, nil) }
        return (answer, try decryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: answer.body)))
    }

    /// Validates a code; the status is the result.
    @discardableResult
    mutating func validate(type: SignatureType = .possessionKnowledge, isCorrect: Bool = true) async throws -> Int {
        try await sendCoded("/pa/v4/auth/validate", type: type, isCorrect: isCorrect).status
    }

    /// Lets the back office verify the digits of a code without a connection, with possession and knowledge.
    /// - Returns: whether they were accepted.
    mutating func verifyOffline(isCorrect: Bool = true) async throws -> Bool {
        let secrets = try #require(secrets)
        let body = Data("A2".utf8)
        let nonce = StrictBase64.encode(Data(repeating: 7, count: 16))
        let digits = try AuthenticationCode.offline(
            keys: AuthenticationKeys(possession: secrets.keys.possession, knowledge: secrets.knowledge.current),
            counter: counter, uriId: "/offline", nonce: nonce, body: isCorrect ? body : Data("A3".utf8))
        let data = ["POST", StrictBase64.encode(Data("/offline".utf8)), nonce, StrictBase64.encode(body)]
        let answer = try await client.backOfficeV4(
            "auth/offline/verify",
            [
                "activationId": activationId, "data": data.joined(separator: "&"), "authenticationCode": digits,
                "allowBiometry": false,
            ])
        counter = counter.next()
        return try #require(answer.flag("authenticationValid"))
    }

    /// Changes the password.
    /// - Returns: the new key, which the device has not taken over yet.
    mutating func changePassword() async throws -> Key256<KeyPurpose.Knowledge> {
        let (answer, key) = try await exchange("/pa/v4/password/change", .passwordChange)
        answer.expectOK()
        return try #require(key).converted(to: KeyPurpose.Knowledge.self)
    }

    /// Adds biometry.
    /// - Returns: the new key, which the device has not taken over yet.
    mutating func addBiometry() async throws -> Key256<KeyPurpose.Biometry> {
        let (answer, key) = try await exchange("/pa/v4/biometry/add", .biometryAdd)
        answer.expectOK()
        return try #require(key).converted(to: KeyPurpose.Biometry.self)
    }

    /// Agrees on another factor key.
    /// - Returns: the key, which the device has not taken over yet.
    mutating func exchange(
        _ path: String, _ purpose: AeadPurpose
    ) async throws -> (answer: Answer, key: Key256<KeyPurpose.SharedSecret>?) {
        let exchange = try SharedSecretClient(suite: suite)
        let (answer, content) = try await sendSealed(path, JSONEncoder().encode(exchange.request), purpose)
        let response = try content.map { try JSONDecoder().decode(SharedSecretResponse.self, from: $0) }
        return (answer, try response.map { try exchange.secret(of: $0) })
    }
}

extension ServerClient {
    /// Calls the newer back office with a request object.
    func backOfficeV4(_ path: String, _ object: [String: any Sendable] = [:]) async throws -> Answer {
        try await send("/rest/v4/\(path)", body: try JSONSerialization.data(withJSONObject: ["requestObject": object]))
    }

    /// A device with an activation that was committed.
    func committedDeviceV4(
        _ suite: CryptographySuite = .ecP384, _ extra: [String: any Sendable] = [:]
    ) async throws -> TestDeviceV4 {
        let (id, code) = try await initiate(extra)
        var device = try await TestDeviceV4(self, suite)
        let answer = try await device.activate(code: code)
        try #require(answer.status == 200, "activation/create answered \(answer.code ?? "nothing")")
        try await backOffice("activation/commit", ["activationId": id]).expectOK()
        return device
    }

    /// A device with an activation that it has confirmed.
    func activeDeviceV4(
        _ suite: CryptographySuite = .ecP384, _ extra: [String: any Sendable] = [:], biometry: Bool = false
    ) async throws -> TestDeviceV4 {
        var device = try await committedDeviceV4(suite, extra)
        try await device.confirm(biometry: biometry).expectOK()
        return device
    }

    /// Configures the algorithms of the application, which offers its activations of protocol 3.3 the upgrade.
    func configureAlgorithms(_ names: [String]) async throws {
        try await backOffice(
            "application/config/create",
            ["applicationId": "lab", "key": "cryptography_algorithms_supported", "values": names]
        ).expectOK()
    }
}
