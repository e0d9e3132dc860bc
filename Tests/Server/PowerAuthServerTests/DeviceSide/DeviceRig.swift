// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// One request as it goes over the wire, ready to be tampered with.
struct WireRequest {
    var uri: String
    var method: HTTPRequest.Method
    var headers: [(name: String, value: String)]
    var body: Data
    /// Opens an answer: decrypts it where it is encrypted.
    let open: (Answer) throws -> JSONValue

    /// Sends the request, which must be answered with success.
    func expectAccepted(_ client: ServerClient, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await send(client)
        #expect(
            answer.status == 200, "\(uri) answered \(answer.status) \(answer.code ?? "")",
            sourceLocation: sourceLocation)
    }

    /// Sends the request as it is.
    func send(_ client: ServerClient) async throws -> Answer {
        try await client.send(uri, method: method, fields: headers, body: body)
    }
}

/// The difference of a request from a right one; everything else stays right, including signatures.
struct Twist: Sendable {
    var factors: SignatureType?
    var isSignatureCorrect = true
    var uriId: String?
    var sharedInfo1: EciesSharedInfo1?
    var scope: EciesScope?
    /// Takes the place of what is encrypted, and signed where that comes first.
    var plaintext: Data?
    /// Changes the object that is encrypted, or that is the body where nothing is.
    var content: @Sendable (inout [String: Any]) -> Void = { _ in }
    /// Changes the inner layer of an activation.
    var inner: @Sendable (inout [String: Any]) -> Void = { _ in }
    /// Changes the envelope's JSON, before it is signed where that is the order.
    var envelope: @Sendable (inout [String: Any]) -> Void = { _ in }
    /// Takes the place of the body, before it is signed where bodies are signed.
    var body: Data?
}

/// A device that has everything one endpoint asks for, and makes requests for it.
struct DeviceRig {
    let client: ServerClient
    let call: DeviceCall
    let version: ProtocolVersion
    var device: TestDevice
    var scopes: [EciesScope: TestDevice.Scope] = [:]
    private var code = ""
    private var token: TestDevice.CreatedToken?

    /// Many failures fit into the activation, so that refusals are never for their number.
    static let maxFailedAttempts = 100_000

    /// - Parameter isStarted: whether an upgrade that is to be committed was started.
    init(_ client: ServerClient, _ call: DeviceCall, _ version: ProtocolVersion, isStarted: Bool = true) async throws {
        self.client = client
        self.call = call
        self.version = version
        switch call {
        case .startUpgrade, .commitUpgrade:
            device = try await client.deviceOfProtocol2(version)
            if call == .commitUpgrade, isStarted { device.counter = try await device.startUpgrade() }
        case .confirmRecovery:
            try await client.enableRecovery()
            device = try await client.activeDevice(version, ["maxFailureCount": Self.maxFailedAttempts])
        case .createActivation, .exchangeApplication, .exchangeApplicationGenerics, .serverStatus, .identityProvider:
            device = try TestDevice(client, version)
            if call == .createActivation { code = try await client.initiate().code }
        default:
            device = try await client.activeDevice(version, ["maxFailureCount": Self.maxFailedAttempts])
        }
        switch call {
        case .balance, .activationDetail, .exchangeToken, .exchangeTokenGenerics, .removeToken:
            token = try await device.createToken(type: .possessionKnowledge)
        default: break
        }
        // The key of either scope is fetched once, while the activation can still have one.
        if case .sealed(let scope) = call.form { _ = try await keys(of: scope) }
        if DeviceCall.sealed.contains(call), call.form != .sealed(.application) { _ = try await keys(of: .activation) }
    }

    /// The keys of a scope, fetched when they are needed first.
    mutating func keys(of scope: EciesScope) async throws -> TestDevice.Scope {
        if let known = scopes[scope] { return known }
        let keys = try await scope == .application ? device.applicationScope() : device.activationScope()
        scopes[scope] = keys
        return keys
    }

    /// A request that the server accepts, but for the twist.
    mutating func request(_ twist: Twist = Twist()) async throws -> WireRequest {
        switch call.form {
        case .plain:
            return wire([], try twist.body ?? content(twist))
        case .signed:
            let body = try twist.body ?? content(twist)
            return wire([try signature(over: body, twist)], body)
        case .sealed(let scope):
            let keys = try await keys(of: twist.scope ?? scope)
            let (body, open) = try sealed(try await plaintext(twist), keys, twist)
            return wire([(EncryptionHeader.name, device.encryptionHeader(keys).value)], body, open)
        case .sealedThenSigned:
            let keys = try await keys(of: twist.scope ?? .activation)
            let (body, open) = try sealed(try content(twist), keys, twist)
            return wire([try signature(over: body, twist)], body, open)
        case .signedThenSealed:
            let plaintext = try content(twist)
            let (body, open) = try sealed(plaintext, try await keys(of: twist.scope ?? .activation), twist)
            return wire([try signature(over: plaintext, twist)], body, open)
        case .token:
            return wire([try tokenHeader()], twist.body ?? Data())
        case .tokenAndSealed:
            let keys = try await keys(of: twist.scope ?? .activation)
            let (body, open) = try sealed(try content(twist), keys, twist)
            return wire([try tokenHeader(), (EncryptionHeader.name, device.encryptionHeader(keys).value)], body, open)
        }
    }

    /// Makes and sends a request. Where the refusal did not move the server's counter, it is taken back here.
    mutating func send(_ twist: Twist = Twist()) async throws -> Answer {
        let counter = device.counter
        let answer = try await request(twist).send(client)
        if answer.status != 200, !verifiesFirst(answer) { device.counter = counter }
        return answer
    }

    /// Whether a right signature had been accepted before the request was refused for something else.
    private func verifiesFirst(_ answer: Answer) -> Bool {
        switch call {
        case .createToken, .removeToken, .confirmRecovery: true
        default: call.form == .signedThenSealed && answer.status == 400
        }
    }

    /// Takes the token away that the requests show.
    func removeToken() async throws {
        let token = try #require(token)
        try await client.backOffice(
            "token/remove", ["tokenId": token.tokenId, "activationId": device.activationId]
        ).expectOK()
    }

    /// Makes and sends a right request, which must be answered with success.
    mutating func expectAccepted(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await request().expectAccepted(client, sourceLocation: sourceLocation)
    }

    /// Resets the server for other devices: recovery codes, which are slow to create, only for this one.
    func leave() async throws {
        guard call == .confirmRecovery else { return }
        try await client.enableRecovery(["activationRecoveryEnabled": false])
    }

    private func wire(
        _ headers: [(name: String, value: String)], _ body: Data,
        _ open: @escaping (Answer) throws -> JSONValue = { try JSONValue.parse($0.body) }
    ) -> WireRequest {
        WireRequest(uri: call.uri, method: call == .balance ? .get : .post, headers: headers, body: body, open: open)
    }

    private mutating func signature(over body: Data, _ twist: Twist) throws -> (name: String, value: String) {
        let header = try device.signature(
            uriId: twist.uriId ?? call.uriId, body: body, type: twist.factors ?? call.factors,
            correct: twist.isSignatureCorrect)
        return (SignatureHeader.name, header.value)
    }

    private func tokenHeader() throws -> (name: String, value: String) {
        let header = try #require(token).header(version, timestamp: client.timestamp)
        return (TokenHeader.name, header.value)
    }

    private func sealed(
        _ plaintext: Data, _ keys: TestDevice.Scope, _ twist: Twist
    ) throws -> (body: Data, open: (Answer) throws -> JSONValue) {
        let (request, decryptor) = try device.seal(plaintext, keys, twist.sharedInfo1 ?? call.sharedInfo1)
        return (
            try twist.body ?? Self.json(of: request, twist.envelope),
            { try JSONValue.parse(decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: $0.body))) }
        )
    }

    private static func json(
        of request: EciesRequest, _ change: (inout [String: Any]) -> Void
    ) throws -> Data {
        var object = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(request)) as? [String: Any])
        change(&object)
        return try JSONSerialization.data(withJSONObject: object)
    }

    /// The content of an envelope: for an activation, another envelope.
    private mutating func plaintext(_ twist: Twist) async throws -> Data {
        guard call == .createActivation else { return try content(twist) }
        var inner: [String: Any] = ["devicePublicKey": StrictBase64.encode(device.deviceKey.publicKey.compressed)]
        twist.inner(&inner)
        let (sealedInner, _) = try device.seal(inner, try await keys(of: .application), .activationLayer2)
        var outer: [String: Any] = [
            "type": "CODE", "identityAttributes": ["code": code],
            "activationData": try JSONSerialization.jsonObject(with: JSONEncoder().encode(sealedInner)),
        ]
        twist.content(&outer)
        return try JSONSerialization.data(withJSONObject: outer)
    }

    private func content(_ twist: Twist) throws -> Data {
        if let plaintext = twist.plaintext { return plaintext }
        if call == .exchangeString { return Data("\"abc\"".utf8) }
        var object: [String: Any]
        switch call {
        case .activationStatus:
            var query = ["activationId": device.activationId]
            if version.usesStatusChallenge { query["challenge"] = StrictBase64.encode(Random.nonZeroBytes(16)) }
            object = ["requestObject": query]
        case .renameActivation: object = ["activationName": "New name"]
        case .removeToken: object = ["requestObject": ["tokenId": try #require(token).tokenId]]
        case .unlockVault: object = ["reason": "ADD_BIOMETRY"]
        case .confirmRecovery: object = ["recoveryCode": try #require(device.recovery).code.text]
        case .createTemporaryKey:
            object = ["requestObject": ["jwt": try device.temporaryKeyRequest(activation: true).jwt]]
        case .exchangeGenerics, .exchangeApplicationGenerics, .exchangeActivationGenerics, .exchangeTokenGenerics:
            object = ["requestObject": ["data": "hello"]]
        case .exchangeApplication, .exchangeActivation, .exchangeSigned, .exchangeRaw, .exchangeToken:
            object = ["data": "hello"]
        case .identityProvider: object = ["providerId": "corporate"]
        case .activationCode: object = ["requestObject": ["applicationId": "lab", "otp": DeviceCall.otpOfCode]]
        default: object = [:]
        }
        twist.content(&object)
        return try JSONSerialization.data(withJSONObject: object)
    }
}

/// The state of an activation that a refused request must not change.
struct ActivationTrace: Equatable {
    let status: String?
    let failedAttempts: Int?
    /// Nil where the status blob does not contain it.
    let counter: UInt8?
}

extension DeviceRig {
    /// The activation as the server knows it.
    func trace() async throws -> ActivationTrace? {
        guard !device.activationId.isEmpty else { return nil }
        let detail = try await client.activationStatus(device.activationId)
        return ActivationTrace(
            status: detail.text("activationStatus"), failedAttempts: detail.number("failedAttempts"),
            counter: try await device.status()?.counter?.byte)
    }
}
