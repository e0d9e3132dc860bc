import Foundation

/// Reads JSON objects that may not have keys the protocol does not know (rest-api.md, section 2.3).
enum StrictJSON {
    /// Decodes an object whose keys are all in `keys`.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, keys: Set<String>) throws -> Value {
        let found = try JSONDecoder().decode(KeySet.self, from: data).keys
        try require(found, in: keys, at: [])
        return try JSONDecoder().decode(type, from: data)
    }

    /// Refuses the object that is about to be decoded if it has a key that is not in `keys`.
    static func requireKeys(of decoder: any Decoder, in keys: Set<String>) throws {
        try require(KeySet(from: decoder).keys, in: keys, at: decoder.codingPath)
    }

    private static func require(_ found: Set<String>, in keys: Set<String>, at path: [any CodingKey]) throws {
        guard let unknown = found.subtracting(keys).sorted().first else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: path, debugDescription: "\"\(unknown)\" is not a known key"))
    }

    /// The keys of an encrypted request.
    static let envelopeKeys: Set<String> = [
        "temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp",
    ]

    private struct KeySet: Decodable {
        let keys: Set<String>

        init(from decoder: any Decoder) throws {
            keys = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
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
