// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static func activation() throws -> [ParserProperty] {
        let key = try PrivateKey.generate().publicKey
        let cryptogram = EciesRequest(
            ephemeralPublicKey: key.compressed, encryptedData: Data(count: 16), mac: Data(count: 32))
        let recovery = try RecoveryData(recoveryCode: "W65WE-3T7VI-7FBS2-A4OYA", puk: "0123456789")
        let identities: [ActivationIdentity] = [
            .code(try ActivationCode("W65WE-3T7VI-7FBS2-A4OYA")), .custom(["username": "eva"]), .recovery(recovery),
            .openIDConnect(.init(providerId: "idp", code: "c", nonce: "n", codeVerifier: "v")),
            .direct(["method": "other"]),
        ]
        let request = KeyExchangeRequest(
            devicePublicKey: SentPublicKey(key), activationName: "Eva's phone", platform: "iOS")
        let response = KeyExchangeResponse(
            activationId: Example.activationId, serverPublicKey: key, counter: .random(), recovery: recovery)
        return [
            roundTrip(
                "activation-request",
                identities.map {
                    ActivationRequest(identity: $0, customAttributes: ["a": "b"], activationData: cryptogram)
                }),
            roundTrip("key-exchange-request", [request]),
            roundTrip("key-exchange-response", [response]),
        ]
    }

    /// JSON of a message that is read and can be written and read again.
    private static func roundTrip<Message: Codable & Equatable & Sendable>(
        _ name: String, _ messages: [Message]
    ) -> ParserProperty {
        // Encoding a value of strings and numbers cannot fail; without examples the drivers would say so.
        ParserProperty(name, examples: messages.compactMap { try? JSONEncoder().encode($0) }) { data in
            guard let read = try? JSONDecoder().decode(Message.self, from: data) else { return }
            let again = try? JSONDecoder().decode(Message.self, from: JSONEncoder().encode(read))
            try require(again == read, "it can be written again", data)
        }
    }

    static let headers: [ParserProperty] = [
        ParserProperty("header-grammar", examples: [#"PowerAuth a="1", b=2 ,c="""#.bytes]) { data in
            guard let header = PowerAuthHeader(data.text) else { return }
            try require(!header.attributes.isEmpty, "an accepted header has attributes", data)
            for name in header.attributes.keys {
                try require(!name.isEmpty && header[name] != "", "no name and no answer is empty", data)
            }
        },
        ParserProperty("signature-header", examples: [signatureHeader.value.bytes]) { data in
            guard let header = try? SignatureHeader(parsing: data.text) else { return }
            try require((try? SignatureHeader(parsing: header.value)) == header, "it can be written again", data)
        },
        ParserProperty("encryption-header", examples: [encryptionHeader.value.bytes]) { data in
            for scope in EciesScope.allCases {
                guard let header = try? EncryptionHeader(parsing: data.text, scope: scope) else { continue }
                try require((header.activationId == nil) == (scope == .application), "the id fits the scope", data)
                let again = try? EncryptionHeader(parsing: header.value, scope: scope)
                try require(again == header, "it can be written again", data)
            }
        },
        ParserProperty("token-header", examples: [tokenHeader.value.bytes]) { data in
            guard let header = try? TokenHeader(parsing: data.text) else { return }
            try require((try? TokenHeader(parsing: header.value)) == header, "it can be written again", data)
            try require(UInt64(header.timestampText) == header.timestamp, "the timestamp is a number", data)
        },
    ]

    private static let signatureHeader = SignatureHeader(
        version: .v3_3, activationId: Example.activationId, applicationKey: Example.applicationKey,
        nonce: Example.nonce, signatureType: .possessionKnowledge, signature: StrictBase64.encode(Data(count: 32)))
    private static let encryptionHeader = EncryptionHeader(
        version: .v3_3, applicationKey: Example.applicationKey, activationId: Example.activationId)
    private static let tokenHeader = TokenHeader(
        version: .v3_3, tokenId: Example.activationId, secret: .random(), timestamp: Example.timestamp)
}
