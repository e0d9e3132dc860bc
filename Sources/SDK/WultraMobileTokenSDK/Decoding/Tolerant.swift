// SPDX-License-Identifier: Apache-2.0

/// A value that is decoded, or the reason why it is not; an array of them survives a bad element.
struct Tolerant<Value: Decodable>: Decodable {
    let result: Result<Value, any Error>

    init(from decoder: any Decoder) throws { result = Result { try Value(from: decoder) } }
}

extension KeyedDecodingContainer {
    /// The value of a key; nil where it is missing or null, and, with a line in the log, where it is of no use.
    func lenient<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
        do {
            return try decodeIfPresent(type, forKey: key)
        } catch {
            WMTLogger.warning("\"\(key.stringValue)\" cannot be used and is left out: \(error)")
            return nil
        }
    }

    /// The good elements of an array; nil where it is missing, null or no array. Each bad one is left out with a line in
    /// the log.
    func lenientElements<Element: Decodable>(_ type: Element.Type, forKey key: Key) -> [Element]? {
        lenient([Tolerant<Element>].self, forKey: key)?.compactMap { element in
            switch element.result {
            case .success(let value): return value
            case .failure(let error):
                WMTLogger.warning("An element of \"\(key.stringValue)\" cannot be used and is left out: \(error)")
                return nil
            }
        }
    }

    func unusable(_ key: Key, _ reason: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: reason)
    }
}
