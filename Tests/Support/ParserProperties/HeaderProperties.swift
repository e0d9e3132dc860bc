import Foundation
import PowerAuthProtocol

extension ParserProperty {
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
