// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The parsers of protocol 4, with the suite that needs no lattices.
extension ParserProperty {
    static func version4() throws -> [ParserProperty] {
        try signedTexts() + encryptedMessages() + headersOfVersion4() + messagesOfVersion4() + keysOfVersion4()
    }

    private static func signedTexts() throws -> [ParserProperty] {
        let keys = try SuitePrivateKeys.generate(suite: .ecP384)
        let payload = "{}".bytes
        let jws = try JWS(payload: payload, keys: keys)
        let key = TemporaryKeyRequestV4.Key.random()
        let request = TemporaryKeyRequestV4(
            applicationKey: Example.applicationKey, activationId: Example.activationId,
            sharedSecretRequest: try SharedSecretClient(suite: .ecP384).request)
        let answer = try SharedSecretServer.answer(request.sharedSecretRequest, suite: .ecP384).response
        let response = TemporaryKeyResponseV4(
            to: request, keyId: Example.keyId, sharedSecretResponse: answer, issuedAt: Example.timestamp,
            expiresAt: Example.timestamp + 300_000)
        return [
            ParserProperty("jws", examples: [jws.general.bytes, (jws.compact ?? "").bytes]) { data in
                guard let read = try? JWS(data.text) else { return }
                try require((try? JWS(read.general)) == read, "it can be written again", data)
                let verified = try? read.verified(by: keys.publicKeys)
                try require(verified == nil || verified == payload, "only the signed payload is verified", data)
            },
            ParserProperty("temporary-key-request-4", examples: [try request.jwt(key: key).bytes]) { data in
                guard let read = try? TemporaryKeyRequestV4.Received(jwt: data.text) else { return }
                try require(!read.isAuthentic(key: key) || read.request == request, "claims are signed", data)
            },
            ParserProperty("temporary-key-response-4", examples: [try response.jws(keys: keys).general.bytes]) { data in
                guard let jws = try? JWS(data.text) else { return }
                let read = try? TemporaryKeyResponseV4(verifying: jws, keys: keys.publicKeys, request: request)
                try require(read == nil || read == response, "claims are signed", data)
            },
        ]
    }

    private static func encryptedMessages() throws -> [ParserProperty] {
        let parameters = AeadParameters(
            purpose: .applicationGeneric, applicationKey: Example.applicationKey, applicationSecret: .random(),
            temporaryKeyId: Example.keyId, secret: .random())
        let client = AeadClientEncryptor(parameters: parameters)
        let server = AeadServerDecryptor(parameters: parameters)
        let plaintext = "plain".bytes
        let (request, _) = try client.encrypt(plaintext, timestamp: 1)
        let response = try server.decrypt(request).encryptor.encrypt(plaintext, timestamp: 2)
        let key = Key256<KeyPurpose.Envelope>.random()
        let context = "context".bytes
        let message = try AEAD.seal(plaintext, key: key, keyContext: context, associatedData: context)
        return [
            ParserProperty("aead-message", examples: [message]) { data in
                let opened = try? AEAD.open(data, key: key, keyContext: context, associatedData: context)
                try require(
                    opened == nil || (data == message && opened == plaintext), "only the message itself can be opened",
                    data)
            },
            ParserProperty("aead-request", examples: [try JSONEncoder().encode(request)]) { data in
                guard let read = try? JSONDecoder().decode(AeadRequest.self, from: data) else { return }
                try require(
                    (try? JSONDecoder().decode(AeadRequest.self, from: JSONEncoder().encode(read))) == read,
                    "it can be written again", data)
                guard let opened = try? server.decrypt(read).plaintext else { return }
                try require(read == request && opened == plaintext, "only the message itself can be opened", data)
            },
            ParserProperty("aead-response", examples: [try JSONEncoder().encode(response)]) { data in
                guard let read = try? JSONDecoder().decode(AeadResponse.self, from: data) else { return }
                let (_, decryptor) = try client.encrypt(plaintext, timestamp: 1)
                try require((try? decryptor.decrypt(read)) == nil, "another request's response stays closed", data)
            },
        ]
    }

    private static func headersOfVersion4() -> [ParserProperty] {
        let code = AuthenticationHeader(
            activationId: Example.activationId, applicationKey: Example.applicationKey, nonce: Example.nonce,
            type: .possession, code: StrictBase64.encode(Data(count: 32)))
        let token = TokenHeaderV4(tokenId: Example.activationId, secret: .random(), timestamp: Example.timestamp)
        let encryption = AeadHeader(applicationKey: Example.applicationKey, activationId: Example.activationId)
        return [
            ParserProperty("authentication-header-4", examples: [code.value.bytes]) { data in
                guard let read = try? AuthenticationHeader(parsing: data.text) else { return }
                try require((try? AuthenticationHeader(parsing: read.value)) == read, "it can be written again", data)
            },
            ParserProperty("token-header-4", examples: [token.value.bytes]) { data in
                guard let read = try? TokenHeaderV4(parsing: data.text) else { return }
                try require((try? TokenHeaderV4(parsing: read.value)) == read, "it can be written again", data)
            },
            ParserProperty("encryption-header-4", examples: [encryption.value.bytes]) { data in
                for scope in EciesScope.allCases {
                    guard let read = try? AeadHeader(parsing: data.text, scope: scope) else { continue }
                    try require(
                        (try? AeadHeader(parsing: read.value, scope: scope)) == read, "it can be written again", data)
                }
            },
        ]
    }

    private static func messagesOfVersion4() throws -> [ParserProperty] {
        let utility = UtilityKeys(derivationKey: .random())
        let status = AuthenticatedStatus(
            state: .active, counterByte: 1, failedAttempts: 0, maxFailedAttempts: 5, lookAhead: 20,
            counterHash: Data(count: 32))
        let offline = try OfflinePayloadV4(data: "A1*A100CZK", personalized: utility.personalizedData)
        let configuration = try SdkConfigurationV4(
            applicationKey: Data(count: 16), applicationSecret: .random(), keys: [.p384: Data(count: 97)])
        let request = try SharedSecretClient(suite: .ecP384).request
        let response = try SharedSecretServer.answer(request, suite: .ecP384).response
        return [
            ParserProperty("status-4", examples: [try status.encoded(key: utility.statusCode)]) { data in
                let read = try? AuthenticatedStatus(data, key: utility.statusCode)
                try require(read == nil || read == status, "it is authentic", data)
            },
            ParserProperty("offline-payload-4", examples: [offline.text.bytes]) { data in
                guard let read = try? OfflinePayloadV4(data.text) else { return }
                try require((try? OfflinePayloadV4(read.text)) == read, "it can be written again", data)
                try require(
                    !read.isAuthentic(key: utility.personalizedData) || read == offline, "its text is authentic", data)
            },
            ParserProperty("sdk-configuration-4", examples: [configuration.string.bytes]) { data in
                guard let read = try? SdkConfigurationV4(data.text) else { return }
                try require((try? SdkConfigurationV4(read.string)) == read, "it can be written again", data)
                _ = try? read.masterKeys(suite: .ecP384)
            },
            ParserProperty("shared-secret-request", examples: [try JSONEncoder().encode(request)]) { data in
                guard let read = try? JSONDecoder().decode(SharedSecretRequest.self, from: data) else { return }
                _ = try? SharedSecretServer.answer(read, suite: .ecP384)
                let again = try? JSONDecoder().decode(SharedSecretRequest.self, from: JSONEncoder().encode(read))
                try require(again == read, "it can be written again", data)
            },
            ParserProperty("shared-secret-response", examples: [try JSONEncoder().encode(response)]) { data in
                guard let read = try? JSONDecoder().decode(SharedSecretResponse.self, from: data) else { return }
                let again = try? JSONDecoder().decode(SharedSecretResponse.self, from: JSONEncoder().encode(read))
                try require(again == read, "it can be written again", data)
            },
        ]
    }

    private static func keysOfVersion4() throws -> [ParserProperty] {
        let keys = try SuitePrivateKeys.generate(suite: .ecP384)
        let containers = [LatticeAlgorithm.mlkem768, .mldsa65].map { $0.container(of: Data(count: $0.publicKeySize)) }
        return [
            ParserProperty("point-of-p384", examples: [keys.publicKeys.ec.uncompressed]) { data in
                guard let read = try? P384PublicKey(encoded: data) else { return }
                try require(read.uncompressed == data, "a point has one spelling", data)
            },
            ParserProperty("private-keys-4", examples: [try keys.encoded().rawData]) { data in
                _ = try? SuitePrivateKeys(encoded: SecretBytes(data), suite: .ecP384)
            },
            ParserProperty("lattice-key-container", examples: containers) { data in
                for algorithm in LatticeAlgorithm.allCases {
                    guard let key = try? algorithm.key(in: data, field: "key") else { continue }
                    try require(algorithm.container(of: key) == data, "a key has one container", data)
                }
            },
        ]
    }
}
