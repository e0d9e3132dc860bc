// SPDX-License-Identifier: Apache-2.0

import CFNetwork
import Foundation
import LocalAuthentication
import SimulatedDevice

/// The dictionary of a keychain call, read.
struct KeychainQuery {
    /// Why a call is refused.
    struct Refusal: Error {
        /// What the app gets.
        let status: OSStatus
        /// Why, in a sentence for the log, with what to do.
        let reason: String
    }

    private(set) var itemClass: KeychainWord?
    private(set) var service: String?
    private(set) var account: String?
    private(set) var accessGroup: String?
    private(set) var accessibility: KeychainAccessibility?
    private(set) var value: Data?
    private(set) var returnsData = false
    private(set) var returnsAttributes = false
    /// The most items.
    private(set) var limit = 1
    /// Whether what is found is given as a list.
    private(set) var isForList = false
    private var opensNoDialog = false
    private var context: LAContext?
    private var prompt: String?

    /// Reads the dictionary of a call.
    /// - Throws: ``Refusal`` with ``errSecParam`` for a key that the simulated keychain has no meaning for, and for a value of
    ///   another kind than its key has.
    init(_ dictionary: CFDictionary) throws(Refusal) {
        guard let members = dictionary as? [String: Any] else {
            throw Refusal(status: errSecParam, reason: "A keychain query has a key that is not a text.")
        }
        // In one order, so that of several mistakes the same one is reported each time.
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let attribute = KeychainAttribute(rawValue: key) else {
                throw Refusal(
                    status: errSecParam,
                    reason: "A keychain query has the attribute '\(key)', which the simulated keychain does not keep; "
                        + "leave it out.")
            }
            guard take(attribute, value) else {
                throw Refusal(
                    status: errSecParam,
                    reason: "A keychain query has a \(type(of: value)) for '\(key)' that the simulated keychain has no "
                        + "meaning for; docs/own-app.md lists what it has.")
            }
        }
    }

    /// How a read asks for the owner of the device.
    func authentication(_ service: AuthenticationService) -> KeychainAuthentication {
        if opensNoDialog { return .forbidden }
        if let context { return .context(context.conversation) }
        return prompt.map { .context(LAContext(service: service, prompt: $0).conversation) } ?? .systemDialog
    }

    /// - Returns: whether the value is one that the attribute can have.
    private mutating func take(_ attribute: KeychainAttribute, _ value: Any) -> Bool {
        switch attribute {
        case .itemClass: return read(value, \.itemClass) { ($0 as? String).flatMap(KeychainWord.init(rawValue:)) }
        case .service: return read(value, \.service) { $0 as? String }
        case .account: return read(value, \.account) { $0 as? String }
        case .accessGroup: return read(value, \.accessGroup) { $0 as? String }
        case .accessible:
            return read(value, \.accessibility) { value in
                KeychainAccessibility.allCases.first { $0.word == value as? String }
            }
        case .valueData: return read(value, \.value) { $0 as? Data }
        case .useAuthenticationContext: return read(value, \.context) { $0 as? LAContext }
        case .useOperationPrompt: return read(value, \.prompt) { $0 as? String }
        case .returnData: return read(value, \.returnsData)
        case .returnAttributes: return read(value, \.returnsAttributes)
        case .useDataProtectionKeychain: return value is Bool
        case .synchronizable:
            return value as? Bool == false || value as? String == KeychainWord.anySynchronizable.rawValue
        case .useAuthenticationUI:
            opensNoDialog = value as? String == KeychainWord.failUI.rawValue
            return opensNoDialog || value as? String == KeychainWord.allowUI.rawValue
        case .matchLimit:
            let word = (value as? String).flatMap(KeychainWord.init(rawValue:))
            let number = value as? Int ?? (word == .one ? 1 : word == .all ? Int.max : 0)
            (limit, isForList) = (number, number > 1)
            return number > 0
        }
    }

    private mutating func read<Value>(
        _ value: Any, _ member: WritableKeyPath<KeychainQuery, Value?>, as make: (Any) -> Value?
    ) -> Bool {
        self[keyPath: member] = make(value)
        return self[keyPath: member] != nil
    }

    private mutating func read(_ value: Any, _ member: WritableKeyPath<KeychainQuery, Bool>) -> Bool {
        guard let isWanted = value as? Bool else { return false }
        self[keyPath: member] = isWanted
        return true
    }
}
