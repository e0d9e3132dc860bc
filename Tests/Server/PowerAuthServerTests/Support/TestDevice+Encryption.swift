import Foundation
import LabKit
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
