package import Foundation

/// A token as the keychain and the watch link keep it (sharing.md, section 15.1, and watch.md, section 3.7).
package struct TokenRecord: Equatable, Sendable {
    /// Symbolic name.
    package let name: String
    /// Identifier from the server.
    package let identifier: String
    /// Exactly 16 bytes.
    package let secret: Data
    /// Activation that the token belongs to; nil in records from 1.6 and older.
    package var activationId: String?
    /// Factors used when the token was made: possession 1, knowledge 2, biometry 4; 0 for unknown.
    package var factors: Int

    /// - Returns: nil unless the secret has 16 bytes.
    package init?(name: String, identifier: String, secret: Data, activationId: String?, factors: Int) {
        guard secret.count == Self.secretLength else { return nil }
        self.name = name
        self.identifier = identifier
        self.secret = secret
        self.activationId = activationId
        self.factors = factors
    }

    /// Reads a record; nil for anything that is not one.
    package init?(_ data: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let name = object[Key.name] as? String,
            let identifier = object[Key.identifier] as? String,
            let text = object[Key.secret] as? String,
            let secret = Data(base64Encoded: text)
        else { return nil }
        self.init(
            name: name, identifier: identifier, secret: secret, activationId: object[Key.activationId] as? String,
            factors: (object[Key.factors] as? NSNumber)?.intValue ?? 0)
    }

    /// The record as JSON. The identifier is always written; the original omits it in records without an
    /// activation, which makes them unreadable (sharing.md, D19).
    package func serialized() -> Data {
        var object: [String: Any] = [
            Key.name: name, Key.identifier: identifier, Key.secret: secret.base64EncodedString(),
        ]
        if let activationId { object[Key.activationId] = activationId }
        if factors != 0 { object[Key.factors] = factors }
        // Strings and numbers always make JSON.
        return try! JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    }

    private static let secretLength = 16

    private enum Key {
        static let name = "name"
        static let identifier = "id"
        static let secret = "sec"
        static let activationId = "aid"
        static let factors = "af"
    }
}

extension TokenRecord: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the token without its secret.
    package var description: String { "TokenRecord(\(name), \(identifier))" }
    package var debugDescription: String { description }
}
