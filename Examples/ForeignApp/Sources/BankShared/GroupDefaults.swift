// SPDX-License-Identifier: Apache-2.0

import Foundation
import UIKit

/// What app and widget know of each other: preferences and a folder of their app group.
public struct GroupDefaults {
    public static let suiteName = "group.com.example.mobilebank"

    private enum Key {
        static let waiting = "waitingOperations"
        static let hidesBalance = "hidesBalance"
        static let balance = "balance"
        static let language = "language"
    }

    private let defaults: UserDefaults

    /// - Returns: nil without the entitlement.
    public init?(suiteName: String = GroupDefaults.suiteName) {
        guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
        self.defaults = defaults
    }

    public var waitingOperations: Int {
        get { defaults.integer(forKey: Key.waiting) }
        nonmutating set { defaults.set(newValue, forKey: Key.waiting) }
    }

    public var hidesBalance: Bool {
        get { defaults.bool(forKey: Key.hidesBalance) }
        nonmutating set { defaults.set(newValue, forKey: Key.hidesBalance) }
    }

    public var balance: Double? {
        get { defaults.object(forKey: Key.balance) as? Double }
        nonmutating set {
            if let balance = newValue {
                defaults.set(balance, forKey: Key.balance)
            } else {
                defaults.removeObject(forKey: Key.balance)
            }
        }
    }

    public var language: String {
        get { defaults.string(forKey: Key.language) ?? "en" }
        nonmutating set { defaults.set(newValue, forKey: Key.language) }
    }

    /// The folder of the group; nil without the entitlement.
    public static func folder(of group: String = GroupDefaults.suiteName) -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
    }
}
