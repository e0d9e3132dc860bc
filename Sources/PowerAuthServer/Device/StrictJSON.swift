import Foundation

/// Reads JSON objects that may not have keys the protocol does not know (rest-api.md, section 2.3).
enum StrictJSON {
    /// Decodes an object whose keys are all in `keys`.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, keys: Set<String>) throws -> Value {
        let found = try JSONDecoder().decode(KeySet.self, from: data).keys
        if let unknown = found.subtracting(keys).sorted().first {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "\"\(unknown)\" is not a known key"))
        }
        return try JSONDecoder().decode(type, from: data)
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
