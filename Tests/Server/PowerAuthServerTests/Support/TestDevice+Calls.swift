// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

extension TestDevice {
    /// Sends an encrypted request in activation scope and opens its answer, which must come.
    func encrypted(
        _ path: String, _ object: [String: Any], sharedInfo1: EciesSharedInfo1 = .activationGeneric,
        headers: [String: String] = [:]
    ) async throws -> JSONValue {
        let scope = try await activationScope()
        let (request, decryptor) = try seal(object, scope, sharedInfo1)
        let all = headers.merging([EncryptionHeader.name: encryptionHeader(scope).value]) { $1 }
        let answer = try await client.send(path, headers: all, body: JSONEncoder().encode(request))
        try #require(answer.status == 200, "\(path) answered \(answer.status) \(answer.code ?? "")")
        return try JSONValue.parse(decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body)))
    }

    /// Signs an object, then encrypts it, as applications do.
    mutating func signedEncrypted(
        _ path: String, uriId: String, _ object: [String: Any], type: SignatureType = .possessionKnowledge
    ) async throws -> Answer {
        let plaintext = try JSONSerialization.data(withJSONObject: object)
        let header = try signature(uriId: uriId, body: plaintext, type: type)
        let (request, _) = try seal(plaintext, try await activationScope(), .activationGeneric)
        return try await client.send(
            path, headers: [SignatureHeader.name: header.value], body: JSONEncoder().encode(request))
    }

    /// Confirms a recovery code: encrypts, then signs the encrypted bytes.
    mutating func confirmRecovery(
        _ code: String, type: SignatureType = .possessionKnowledge, correct: Bool = true
    ) async throws -> (answer: Answer, plaintext: JSONValue?) {
        let (request, decryptor) = try seal(["recoveryCode": code], try await activationScope(), .confirmRecovery)
        let answer = try await sendSigned(
            "/pa/v3/recovery/confirm", uriId: "/pa/recovery/confirm", body: JSONEncoder().encode(request), type: type,
            correct: correct)
        guard answer.status == 200 else { return (answer, nil) }
        let response = try JSONDecoder().decode(EciesResponse.self, from: answer.body)
        return (answer, try JSONValue.parse(decryptor.decrypt(response)))
    }
}

extension TestDevice {
    /// Has the back office verify a signature.
    @discardableResult
    mutating func verifySignature(
        type: SignatureType = .possessionKnowledge, correct: Bool = true
    ) async throws -> Answer {
        let header = try signature(uriId: "/login", body: Data("{}".utf8), type: type, correct: correct)
        let data = [
            "POST", StrictBase64.encode(Data("/login".utf8)), header.nonce, StrictBase64.encode(Data("{}".utf8)),
        ]
        return try await client.backOffice(
            "signature/verify",
            [
                "activationId": activationId, "applicationKey": header.applicationKey,
                "data": data.joined(separator: "&"), "signature": header.signature, "signatureType": type.name,
                "signatureVersion": version.rawValue,
            ])
    }
}

extension ServerClient {
    /// A device whose activation is of protocol 2, which only seeding can make.
    func deviceOfProtocol2(_ version: ProtocolVersion = .v3_3) async throws -> TestDevice {
        var device = try TestDevice(self, version)
        let body = try JSONEncoder().encode(
            JSONValue.object([
                "activations": [
                    [
                        "userId": "alice", "version": 2,
                        "devicePublicKey": .string(StrictBase64.encode(device.deviceKey.publicKey.compressed)),
                    ]
                ]
            ]))
        let answer = try await send("/lab/seed", body: body)
        try #require(answer.status == 200)
        let seeded = try JSONValue.parse(answer.body)["activations"]?[0]
        let key = try #require(seeded?["serverPublicKey"]?.stringValue.flatMap { StrictBase64.decode($0) })
        try device.bind(
            activationId: #require(seeded?["activationId"]?.stringValue), serverPublicKey: key,
            counterData: CounterData.random().rawData)
        return device
    }
}

extension TestDevice {
    /// Starts the upgrade.
    /// - Returns: the counter that it continues with.
    func startUpgrade() async throws -> CounterData {
        let answer = try await encrypted("/pa/v3/upgrade/start", [:], sharedInfo1: .upgrade)
        let text = try #require(answer["ctrData"]?.stringValue)
        return try CounterData(#require(StrictBase64.decode(text)))
    }
}
