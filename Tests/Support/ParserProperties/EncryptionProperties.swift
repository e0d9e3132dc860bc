// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static func encryption() throws -> [ParserProperty] {
        let serverKey = try PrivateKey.generate()
        let parameters = EciesParameters(
            version: .v3_3, sharedInfo1: .activationGeneric, applicationKey: Example.applicationKey,
            activationId: Example.activationId, temporaryKeyId: Example.keyId)
        let sharedInfo2 = SharedInfo2.application(Example.applicationSecret)
        let client = EciesClientEncryptor(
            parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: sharedInfo2)
        let server = EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: sharedInfo2)
        let plaintext = "plain".bytes
        let (request, _) = try client.encrypt(plaintext, timestamp: 1)
        let response = try server.decrypt(request).encryptor.encrypt(plaintext, timestamp: 2)
        return [
            ParserProperty("ecies-request", examples: [try JSONEncoder().encode(request)]) { data in
                guard let read = try? JSONDecoder().decode(EciesRequest.self, from: data) else { return }
                try require(
                    (try? JSONDecoder().decode(EciesRequest.self, from: JSONEncoder().encode(read))) == read,
                    "it can be written again", data)
                for version in ProtocolVersion.allCases { _ = try? read.validate(for: version) }
                guard let opened = try? server.decrypt(read).plaintext else { return }
                try require(read == request && opened == plaintext, "only the message itself can be opened", data)
            },
            ParserProperty("ecies-response", examples: [try JSONEncoder().encode(response)]) { data in
                guard let read = try? JSONDecoder().decode(EciesResponse.self, from: data) else { return }
                try require(
                    (try? JSONDecoder().decode(EciesResponse.self, from: JSONEncoder().encode(read))) == read,
                    "it can be written again", data)
                let (_, decryptor) = try client.encrypt(plaintext, timestamp: 1)
                try require((try? decryptor.decrypt(read)) == nil, "another request's response stays closed", data)
            },
        ]
    }

    static func tokens() throws -> [ParserProperty] {
        let key = TemporaryKeyRequestKey.random()
        let serverKey = try PrivateKey.generate()
        let request = TemporaryKeyRequest(applicationKey: Example.applicationKey, activationId: Example.activationId)
        let response = TemporaryKeyResponse(
            to: request, keyId: Example.keyId, publicKey: serverKey.publicKey, issuedAt: Example.timestamp,
            expiresAt: Example.timestamp + 300_000)
        return [
            ParserProperty("temporary-key-request", examples: [try request.jwt(key: key).bytes]) { data in
                guard let parsed = try? TemporaryKeyRequest.parse(jwt: data.text) else { return }
                try require(!parsed.token.isAuthentic(key: key) || parsed.request == request, "claims are signed", data)
            },
            ParserProperty("temporary-key-response", examples: [try response.jwt(key: serverKey).bytes]) { data in
                let read = try? TemporaryKeyResponse(verifying: data.text, key: serverKey.publicKey, request: request)
                try require(read == nil || read == response, "claims are signed", data)
            },
        ]
    }
}
