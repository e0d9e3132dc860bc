// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import PowerAuth2ForExtensions

/// The text of the widget, and the header with which it asks the bank for the balance.
public final class BalanceWidget {
    public enum Content: Equatable {
        case logIn
        case hidden(waiting: Int)
        case balance(String, waiting: Int)
    }

    private let defaults: GroupDefaults
    private let isActivated: () -> Bool
    private let powerAuth: PowerAuthExtensionSDK?

    public init(configuration: PowerAuthConfiguration, defaults: GroupDefaults) {
        let keychain = PowerAuthKeychainConfiguration()
        keychain.keychainAttribute_UserDefaultsSuiteName = GroupDefaults.suiteName
        let powerAuth = PowerAuthExtensionSDK(configuration: configuration, keychainConfiguration: keychain)
        self.powerAuth = powerAuth
        self.defaults = defaults
        isActivated = { powerAuth?.hasValidActivation() ?? false }
    }

    /// For previews.
    public init(defaults: GroupDefaults, isActivated: @escaping () -> Bool) {
        self.defaults = defaults
        self.isActivated = isActivated
        powerAuth = nil
    }

    public var content: Content {
        guard isActivated() else { return .logIn }
        guard !defaults.hidesBalance, let balance = defaults.balance else {
            return .hidden(waiting: defaults.waitingOperations)
        }
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.numberStyle = .decimal
        formatter.minimumFractionDigits = 2
        formatter.maximumFractionDigits = 2
        let text = formatter.string(from: NSNumber(value: balance)) ?? "\(balance)"
        return .balance(text, waiting: defaults.waitingOperations)
    }

    public func request(for url: URL) -> URLRequest? {
        guard let token = powerAuth?.tokenStore.localToken(withName: "balance"), token.canGenerateHeader,
            let header = token.generateHeader()
        else { return nil }
        var request = URLRequest(url: url)
        request.setValue(header.value, forHTTPHeaderField: header.key)
        return request
    }
}
