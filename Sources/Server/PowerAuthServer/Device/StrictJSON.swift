import Foundation

/// Reads JSON objects and refuses keys that the protocol does not define (rest-api.md, section 2.3).
enum StrictJSON {
    /// Decodes an object whose keys are all in `keys`.
    /// - Parameter nested: a member that is an object, and the keys that it may have.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, keys: Set<String>, nested: (member: String, keys: Set<String>)? = nil
    ) throws -> Value {
        try JSONText.check(data)
        _ = try JSONDecoder().decode(
            KnownKeys.self, from: data, configuration: KnownKeys.Rule(keys: keys, nested: nested))
        return try JSONDecoder().decode(type, from: data)
    }

    /// The keys of an encrypted request.
    static let envelopeKeys: Set<String> = [
        "temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp",
    ]

    /// Reads an object and refuses unknown keys; nothing is kept.
    private struct KnownKeys: DecodableWithConfiguration {
        struct Rule {
            var keys: Set<String>
            var nested: (member: String, keys: Set<String>)?
        }

        init(from decoder: any Decoder, configuration rule: Rule) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            let found = Set(container.allKeys.map(\.stringValue))
            if let unknown = found.subtracting(rule.keys).min() {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "\"\(unknown)\" is not a known key"))
            }
            guard let nested = rule.nested, found.contains(nested.member) else { return }
            _ = try container.decode(
                KnownKeys.self, forKey: AnyKey(stringValue: nested.member), configuration: Rule(keys: nested.keys))
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }
}
