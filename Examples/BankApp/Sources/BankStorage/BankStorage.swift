// SPDX-License-Identifier: Apache-2.0

// As an app for iOS has it: no line knows the lab.
import Foundation
import Security
import UIKit
import os.log

/// What the app keeps about its user.
public struct BankStorage {
    private let preferences: UserDefaults
    private let log = Logger(subsystem: "com.example.bank", category: "storage")

    public init(preferences: UserDefaults = .standard) { self.preferences = preferences }

    /// The user who has logged in last.
    public var lastUser: String? {
        get { preferences.string(forKey: "lastUser") }
        nonmutating set { preferences.set(newValue, forKey: "lastUser") }
    }

    /// Keeps the number of a card; nil forgets it.
    /// - Returns: whether the keychain has done it.
    public func keep(card: String?) -> Bool {
        SecItemDelete(query as CFDictionary)
        guard let card else { return true }
        var item = query
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
        item[kSecValueData as String] = Data(card.utf8)
        let status = SecItemAdd(item as CFDictionary, nil)
        if status != errSecSuccess { log.error("The card was not kept: \(status, privacy: .public)") }
        return status == errSecSuccess
    }

    /// The number of the card; nil without one.
    public var card: String? {
        var wanted = query
        wanted[kSecReturnData as String] = true
        wanted[kSecMatchLimit as String] = kSecMatchLimitOne
        var item: CFTypeRef?
        guard SecItemCopyMatching(wanted as CFDictionary, &item) == errSecSuccess, let data = item as? Data else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    private var query: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "card",
            kSecAttrAccount as String: "",
        ]
    }

    /// Which app asks, for the bank's server.
    public var userAgent: String {
        let name = Bundle.main.infoDictionary?[kCFBundleIdentifierKey as String] as? String
        return "\(name ?? "?") \(UIDevice.current.systemName)/\(UIDevice.current.systemVersion)"
    }
}
