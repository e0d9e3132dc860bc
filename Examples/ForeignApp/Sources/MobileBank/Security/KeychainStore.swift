// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Small secrets of the app in the keychain of the phone.
public struct KeychainStore {
    private let service: String
    private let accessGroup: String?

    public init(service: String, accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// Stores bytes under an account, also over those that are there.
    public func set(_ data: Data, for account: String) throws {
        var query = self.query(account)
        let status = SecItemUpdate(query as CFDictionary, [kSecValueData as String: data] as CFDictionary)
        guard status == errSecItemNotFound else { return try check(status) }
        query[kSecValueData as String] = data
        query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        try check(SecItemAdd(query as CFDictionary, nil))
    }

    public func data(for account: String) throws -> Data? {
        var query = self.query(account)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return item as? Data
    }

    public func accounts() throws -> [String] {
        var query = self.query(nil)
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        var items: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &items)
        if status == errSecItemNotFound { return [] }
        try check(status)
        return (items as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
    }

    /// - Parameter account: nil removes all of the service.
    public func remove(_ account: String?) throws {
        let status = SecItemDelete(query(account) as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    private func query(_ account: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        ]
        if let account = account { query[kSecAttrAccount as String] = account }
        if let accessGroup = accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    private func check(_ status: OSStatus) throws {
        if status != errSecSuccess { throw BankFailure.keychain(status) }
    }
}
