// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The difference of a request of protocol 4 from a right one; everything else stays right, including codes.
struct TwistV4: Sendable {
    var factors: SignatureType?
    var isCodeCorrect = true
    var uriId: String?
    var purpose: AeadPurpose?
    /// Changes the object that is encrypted, or that is the body where nothing is.
    var content: @Sendable (inout [String: Any]) -> Void = { _ in }
    /// Changes the envelope's JSON, before its code is made.
    var envelope: @Sendable (inout [String: Any]) -> Void = { _ in }
    /// Takes the place of the body, before its code is made.
    var body: Data?
    /// Changes the values of the PowerAuth headers.
    var header: @Sendable (String) -> String = { $0 }
}

/// A device that has everything one endpoint asks for, and makes requests for it.
struct DeviceRigV4 {
    let client: ServerClient
    let call: DeviceCallV4
    var device: TestDeviceV4
    /// The device of version 3.3 that is upgraded.
    private var former: TestDevice?
    private var scope: TestDeviceV4.Scope?
    private var code = ""
    private var tokenId = ""

    /// Many failures fit into the activation, so that refusals are never for their number.
    private static let extra = ["maxFailureCount": DeviceRig.maxFailedAttempts]

    init(_ client: ServerClient, _ call: DeviceCallV4, _ suite: CryptographySuite = .ecP384) async throws {
        self.client = client
        self.call = call
        switch call {
        case .createActivation, .serverStatus:
            device = try await TestDeviceV4(client, suite)
            if call == .createActivation { code = try await client.initiate().code }
        case .confirmActivation: device = try await client.committedDeviceV4(suite, Self.extra)
        case .startUpgrade, .confirmUpgrade:
            try await client.configureAlgorithms(["EC_P384", "EC_P384_ML_L3", "EC_P384_ML_L5"])
            var former = try await client.activeDevice(.v3_3, Self.extra)
            device = try await TestDeviceV4(client, suite)
            device.activationId = former.activationId
            if call == .confirmUpgrade { try await device.startUpgrade(of: &former).answer.expectOK() }
            self.former = former
        default: device = try await client.activeDeviceV4(suite, Self.extra, biometry: true)
        }
        if call == .removeToken {
            let (answer, content) = try await device.sendSealed(
                "/pa/v4/token/create", Data("{}".utf8), .tokenCreate)
            answer.expectOK()
            let token = try JSONValue.parse(try #require(content))
            tokenId = try #require(token["tokenId"]?.stringValue)
        }
        // The key is agreed on while the activation can still have one.
        switch call.form {
        case .sealed(.application), .upgrade: scope = try await device.scope(activation: false)
        case .sealed(.activation), .sealedThenCoded: scope = try await device.scope(activation: true)
        case .plain, .coded: break
        }
    }

    /// A request that the server accepts, but for the twist.
    mutating func request(_ twist: TwistV4 = TwistV4()) throws -> WireRequest {
        switch call.form {
        case .plain: return wire([], try twist.body ?? content(twist), { try JSONValue.parse($0.body) })
        case .coded:
            let body = try twist.body ?? content(twist)
            return wire([try authorization(over: body, twist)], body, { try JSONValue.parse($0.body) })
        case .sealed:
            let (body, open) = try sealed(twist)
            return wire([try encryption(twist)], body, open)
        case .sealedThenCoded:
            let (body, open) = try sealed(twist)
            return wire([try authorization(over: body, twist)], body, open)
        case .upgrade:
            let (body, open) = try sealed(twist)
            return wire([try authorization(over: body, twist), try encryption(twist)], body, open)
        }
    }

    /// Makes and sends a request.
    mutating func send(_ twist: TwistV4 = TwistV4()) async throws -> Answer { try await request(twist).send(client) }

    /// The failures of the activation; nil without one.
    func failures() async throws -> Int? {
        guard !device.activationId.isEmpty else { return nil }
        return try await client.activationStatus(device.activationId).number("failedAttempts")
    }

    private func wire(
        _ headers: [(name: String, value: String)], _ body: Data, _ open: @escaping (Answer) throws -> JSONValue
    ) -> WireRequest {
        WireRequest(uri: call.rawValue, method: .post, headers: headers, body: body, open: open)
    }

    private mutating func authorization(over body: Data, _ twist: TwistV4) throws -> (name: String, value: String) {
        let (uriId, type) = (twist.uriId ?? call.uriId, twist.factors ?? call.usualFactors)
        let value: String
        if call == .startUpgrade {
            var signing = try #require(former)
            value = try signing.signature(uriId: uriId, body: body, type: type, correct: twist.isCodeCorrect).value
            former = signing
        } else {
            value = try device.header(uriId: uriId, body: body, type: type, isCorrect: twist.isCodeCorrect).value
        }
        return (SignatureHeader.name, twist.header(value))
    }

    private func encryption(_ twist: TwistV4) throws -> (name: String, value: String) {
        (EncryptionHeader.name, twist.header(device.encryptionHeader(try #require(scope))))
    }

    private func sealed(_ twist: TwistV4) throws -> (body: Data, open: (Answer) throws -> JSONValue) {
        let (request, decryptor) = try device.seal(
            content(twist), #require(scope), twist.purpose ?? call.purpose)
        var object = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(request)) as? [String: Any])
        twist.envelope(&object)
        return (
            try twist.body ?? JSONSerialization.data(withJSONObject: object),
            { try JSONValue.parse(decryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: $0.body))) }
        )
    }

    private func content(_ twist: TwistV4) throws -> Data {
        func json(_ value: some Encodable) throws -> Any {
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
        }
        let exchange = try SharedSecretClient(suite: device.suite)
        var object: [String: Any]
        switch call {
        case .createTemporaryKey:
            let (request, key) = try device.temporaryKeyRequest(exchange, activation: true)
            object = ["requestObject": ["jwt": try request.jwt(key: key)]]
        case .createActivation:
            let inner = KeyExchangeRequestV4(
                sharedSecretRequest: exchange.request, devicePublicKeys: device.deviceKeys.publicKeys.encoded)
            let (request, _) = try device.seal(JSONEncoder().encode(inner), #require(scope), .activationLayer2)
            object = [
                "type": "CODE", "identityAttributes": ["code": code], "activationData": try json(request),
            ]
        case .confirmActivation: object = ["requestObject": ["enableBiometry": true]]
        case .removeToken: object = ["requestObject": ["tokenId": tokenId]]
        case .unlockVault: object = ["keyIdentifier": "KEK_DEVICE_PRIVATE", "reason": "FETCH_ENCRYPTION_KEY"]
        case .changePassword, .addBiometry: object = try #require(json(exchange.request) as? [String: Any])
        case .startUpgrade:
            object = [
                "sharedSecretRequest": try json(exchange.request),
                "devicePublicKeys": try json(device.deviceKeys.publicKeys.encoded), "enableBiometry": true,
            ]
        default: object = [:]
        }
        twist.content(&object)
        return try JSONSerialization.data(withJSONObject: object)
    }
}

extension TestDeviceV4 {
    private struct Started: Decodable {
        let sharedSecretResponse: SharedSecretResponse
        let serverPublicKeys: EncodedSuiteKeys
        let ctrData: String
    }

    /// Starts the upgrade of a device of version 3.3 to this one, and takes over what was agreed on.
    mutating func startUpgrade(of former: inout TestDevice) async throws -> (answer: Answer, isStarted: Bool) {
        activationId = former.activationId
        let exchange = try SharedSecretClient(suite: suite)
        let content: [String: Any] = [
            "sharedSecretRequest": try JSONSerialization.jsonObject(with: JSONEncoder().encode(exchange.request)),
            "devicePublicKeys": try JSONSerialization.jsonObject(
                with: JSONEncoder().encode(deviceKeys.publicKeys.encoded)),
            "enableBiometry": true,
        ]
        let scope = try await scope(activation: false)
        let (request, decryptor) = try seal(JSONSerialization.data(withJSONObject: content), scope, .upgradeStart)
        let body = try JSONEncoder().encode(request)
        let header = try former.signature(uriId: "/pa/upgrade/start", body: body)
        let answer = try await client.send(
            "/pa/v4/upgrade/start",
            headers: [SignatureHeader.name: header.value, EncryptionHeader.name: encryptionHeader(scope)], body: body)
        guard answer.status == 200 else { return (answer, false) }
        let started = try JSONDecoder().decode(
            Started.self, from: decryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: answer.body)))
        try bind(
            exchange.secret(of: started.sharedSecretResponse), started.serverPublicKeys,
            HashBasedCounter(#require(StrictBase64.decode(started.ctrData))), hasBiometry: true)
        return (answer, true)
    }
}
