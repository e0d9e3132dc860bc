// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import SimulatedDevice

/// The token records of one instance in the keychain (sharing.md, section 15).
///
/// Thread rule: callers hold the ``TokenStoreLock`` of the instance.
package struct TokenRecordStore: Sendable {
    let keychain: PowerAuthKeychain
    let instanceId: String
    private let prefix: String
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - keychain: the token service.
    ///   - instanceId: the instance that owns the records.
    ///   - sandbox: the device.
    package init(keychain: PowerAuthKeychain, instanceId: String, sandbox: Sandbox) {
        self.keychain = keychain
        self.instanceId = instanceId
        self.sandbox = sandbox
        prefix = "powerAuthToken__" + instanceId + "__"
    }

    /// The keychain account of a token.
    package func account(_ name: String) -> String { prefix + name }

    /// The record with a name; nil if it is not found or cannot be used.
    package func record(named name: String) -> TokenRecord? {
        guard let data = keychain.data(forKey: account(name)), let record = TokenRecord(data) else { return nil }
        // Instance `a` with token `b__x` and instance `a__b` with token `x` have one account.
        return record.name == name ? record : nil
    }

    /// Stores a record under its name; false when the keychain refused.
    package func store(_ record: TokenRecord) -> Bool { store(record.serialized(), named: record.name) }

    /// Stores bytes as they are.
    package func store(_ data: Data, named name: String) -> Bool {
        guard keychain.set(data, forKey: account(name)) == errSecSuccess else { return false }
        sandbox.trace(.tokenStored, [.token: .text(name)])
        return true
    }

    /// Removes a record, if it exists.
    /// - Returns: false when the keychain refused.
    @discardableResult
    package func remove(named name: String) -> Bool {
        guard let wasThere = try? keychain.remove(account(name)) else { return false }
        if wasThere { sandbox.trace(.tokenRemoved, [.token: .text(name)]) }
        return true
    }

    /// Removes every record of the instance, or finds out that it cannot.
    /// - Returns: false when the keychain cannot be read or refused one.
    package func removeEvery() -> Bool {
        keychain.isReadable && accounts().allSatisfy { remove(named: String($0.dropFirst(prefix.count))) }
    }

    /// Removes every record of the instance.
    /// - Returns: their names.
    @discardableResult
    package func removeAll() -> [String] {
        let names = accounts().map { String($0.dropFirst(prefix.count)) }
        for name in names { remove(named: name) }
        return names
    }

    /// The keychain accounts of every record of the instance.
    ///
    /// An account alone does not show where the instance identifier ends, but the record has its name. The original
    /// removes the tokens of instance `a__b` together with those of `a` (sharing.md, D19).
    func accounts() -> [String] {
        keychain.allValues().compactMap { account, data in
            guard account.hasPrefix(prefix) else { return nil }
            if sandbox.keeps(.removesTokensByPrefix) { return account }
            let isForeign = TokenRecord(data).map { prefix + $0.name != account } ?? false
            return isForeign ? nil : account
        }
    }
}

/// A token as the keychain and the watch link keep it (sharing.md, section 15.1, and watch.md, section 3.7).
package struct TokenRecord: Equatable, Sendable {
    /// Symbolic name.
    package let name: String
    /// Identifier from the server.
    package let identifier: String
    /// 16 bytes, or 32 for a token of protocol 4.
    package let secret: Data
    /// Activation that the token belongs to; nil in records from 1.6 and older.
    package var activationId: String?
    /// Factors used when the token was made: possession 1, knowledge 2, biometry 4; 0 for unknown.
    package var factors: Int

    /// - Returns: nil unless the secret has 16 or 32 bytes.
    package init?(name: String, identifier: String, secret: Data, activationId: String?, factors: Int) {
        guard [Self.secretLength, Self.secretLengthV4].contains(secret.count) else { return nil }
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

    /// Whether the token is one of protocol 4 (protocol-4.md, section 11).
    package var isVersion4: Bool { secret.count == Self.secretLengthV4 }

    private static let secretLength = 16
    private static let secretLengthV4 = 32

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
