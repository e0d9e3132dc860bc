package import Foundation
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
    package func store(_ record: TokenRecord) -> Bool {
        store(record.serialized(), named: record.name)
    }

    /// Stores bytes as they are.
    package func store(_ data: Data, named name: String) -> Bool {
        guard keychain.set(data, forKey: account(name)) == errSecSuccess else { return false }
        sandbox.trace(.tokenStored(name: name))
        return true
    }

    /// Removes a record, if it exists.
    ///
    /// - Returns: false when the keychain refused.
    @discardableResult
    package func remove(named name: String) -> Bool {
        guard let wasThere = try? keychain.remove(account(name)) else { return false }
        if wasThere { sandbox.trace(.tokenRemoved(name: name)) }
        return true
    }

    /// Removes every record of the instance, or finds out that it cannot.
    ///
    /// - Returns: false when the keychain cannot be read or refused one.
    package func removeEvery() -> Bool {
        keychain.isReadable && accounts().allSatisfy { remove(named: String($0.dropFirst(prefix.count))) }
    }

    /// Removes every record of the instance.
    ///
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
