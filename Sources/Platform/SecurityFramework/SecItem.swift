// SPDX-License-Identifier: Apache-2.0

public import CFNetwork
public import Foundation
import LabPoints
public import SimulatedDevice

/// Adds an item to the device's keychain (sharing.md, section 21.4).
/// - Parameters:
///   - attributes: class, service, account, access group, accessibility and bytes. An empty text stands for a service or an
///     account that is missing, no bytes for missing bytes, the app's first group for a missing access group.
///   - result: takes what `kSecReturnData` and `kSecReturnAttributes` ask for; untouched without them.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecMissingEntitlement`, `errSecParam`, `errSecUnimplemented` for
///   another class than generic passwords, `errSecInteractionNotAllowed` while the device's lock closes the item, or what
///   the storage refuses with.
///
/// Thread rule: any thread; a call may wait for another process.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainCalls(sandbox: Sandbox.current).add(attributes, result)
}

/// Finds items of the device's keychain in the access groups of the app.
/// - Parameters:
///   - query: class, and what the items must have; `kSecMatchLimit` and what shall be given of them.
///   - result: takes bytes, a dictionary, or a list of them where more than one item is asked for; untouched when nothing is
///     asked for.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecMissingEntitlement`, `errSecParam`,
///   `errSecInteractionNotAllowed`, `errSecUserCanceled`, `errSecAuthFailed` or `errSecDecode`.
///
/// Thread rule: any thread; the bytes of a protected item open a dialog, which the call waits for.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainCalls(sandbox: Sandbox.current).copyMatching(query, result)
}

/// Changes bytes and accessibility of all items that a query finds; each item is changed by itself.
/// - Parameters:
///   - query: class, and what the items must have.
///   - attributesToUpdate: the new bytes, the new accessibility, or both.
/// - Returns: as ``SecItemCopyMatching(_:_:)``.
///
/// Thread rule: any thread; a call may wait for another process.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    KeychainCalls(sandbox: Sandbox.current).update(query, attributesToUpdate)
}

/// Deletes all items that a query finds.
/// - Parameter query: class, and what the items must have.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecMissingEntitlement` or `errSecParam`.
///
/// Thread rule: any thread; a call may wait for another process.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    KeychainCalls(sandbox: Sandbox.current).delete(query)
}

/// The keychain calls of one app. Thread rule: any thread.
package struct KeychainCalls: Sendable {
    private let sandbox: Sandbox

    /// - Parameter sandbox: what the system gives the app.
    package init(sandbox: Sandbox) { self.sandbox = sandbox }

    /// As ``SecItemAdd(_:_:)``.
    package func add(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        answering { () throws(KeychainQuery.Refusal) -> OSStatus in
            let query = try self.query(attributes)
            guard query.itemClass == .genericPassword else {
                throw KeychainQuery.Refusal(
                    status: errSecUnimplemented,
                    reason: "The simulated keychain keeps generic passwords only; use kSecClassGenericPassword.")
            }
            let accessibility = query.accessibility ?? .whenUnlocked
            let (value, service, account) = (query.value ?? Data(), query.service ?? "", query.account ?? "")
            let group = query.accessGroup ?? sandbox.identity.defaultAccessGroup
            let status = sandbox.keychain.add(
                value, service: service, account: account, accessGroup: group, accessibility: accessibility
            ).status
            if status == errSecSuccess {
                give([Found(service, account, group, accessibility, value)], to: result, query)
            }
            return status
        }
    }

    /// As ``SecItemCopyMatching(_:_:)``.
    package func copyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        answering { () throws(KeychainQuery.Refusal) -> OSStatus in
            let query = try self.query(query)
            let (status, items) = find(query, readingValues: query.returnsData)
            if status == errSecSuccess { give(items, to: result, query) }
            return status
        }
    }

    /// As ``SecItemUpdate(_:_:)``.
    package func update(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
        answering { () throws(KeychainQuery.Refusal) -> OSStatus in
            let change = try KeychainQuery(attributesToUpdate)
            guard change.service == nil, change.account == nil, change.accessGroup == nil, change.itemClass == nil,
                change.value != nil || change.accessibility != nil
            else {
                throw KeychainQuery.Refusal(
                    status: errSecParam,
                    reason: "SecItemUpdate changes the bytes and the accessibility of an item only; "
                        + "delete the item and add it again for any other change.")
            }
            let (status, items) = find(try self.query(query), limit: .max, readingValues: change.value == nil)
            guard status == errSecSuccess else { return status }
            for item in items {
                if sandbox.keychain.isClosed(item.accessibility) { return errSecInteractionNotAllowed }
                let status = sandbox.keychain.update(
                    change.value ?? item.value, service: item.service, account: item.account,
                    accessGroup: item.accessGroup, accessibility: change.accessibility
                ).status
                guard status == errSecSuccess else { return status }
            }
            return errSecSuccess
        }
    }

    /// As ``SecItemDelete(_:)``.
    package func delete(_ query: CFDictionary) -> OSStatus {
        answering { () throws(KeychainQuery.Refusal) -> OSStatus in
            let (status, items) = find(try self.query(query), limit: .max, readingValues: false)
            guard status == errSecSuccess else { return status }
            for item in items {
                let status = sandbox.keychain.delete(
                    service: item.service, account: item.account, accessGroup: item.accessGroup)
                // Another process may have been first.
                guard status == errSecSuccess || status == errSecItemNotFound else { return status }
            }
            return errSecSuccess
        }
    }

    /// An item with what a call needs of it.
    private struct Found {
        let service: String
        let account: String
        let accessGroup: String
        let accessibility: KeychainAccessibility
        /// Empty where it was not asked for.
        let value: Data

        init(
            _ service: String, _ account: String, _ accessGroup: String, _ accessibility: KeychainAccessibility,
            _ value: Data
        ) {
            (self.service, self.account, self.accessGroup) = (service, account, accessGroup)
            (self.accessibility, self.value) = (accessibility, value)
        }
    }

    /// Reads a query, which must have a class.
    private func query(_ dictionary: CFDictionary) throws(KeychainQuery.Refusal) -> KeychainQuery {
        let query = try KeychainQuery(dictionary)
        guard query.itemClass != nil else {
            throw KeychainQuery.Refusal(
                status: errSecParam, reason: "A keychain query has no kSecClass; name the class.")
        }
        return query
    }

    private func find(
        _ query: KeychainQuery, limit: Int? = nil, readingValues: Bool
    ) -> (status: OSStatus, items: [Found]) {
        // The simulated keychain keeps generic passwords only, so none of another class is there.
        guard query.itemClass == .genericPassword else { return (errSecItemNotFound, []) }
        let (status, items) = sandbox.keychain.matches(
            service: query.service, account: query.account, accessGroup: query.accessGroup,
            accessibility: query.accessibility, limit: limit ?? query.limit,
            authentication: readingValues ? query.authentication(sandbox.authentication) : nil)
        return (
            status,
            items.map { item in
                Found(
                    item.key.service, item.key.account, item.key.accessGroup, item.accessibility, item.value ?? Data())
            }
        )
    }

    private func give(_ items: [Found], to result: UnsafeMutablePointer<CFTypeRef?>?, _ query: KeychainQuery) {
        guard let result, query.returnsData || query.returnsAttributes else { return }
        let objects = items.map { item -> NSObject in
            guard query.returnsAttributes else { return item.value as NSData }
            var attributes: [KeychainAttribute: Any] = [
                .itemClass: KeychainWord.genericPassword.rawValue, .service: item.service, .account: item.account,
                .accessGroup: item.accessGroup, .accessible: item.accessibility.word,
            ]
            if query.returnsData { attributes[.valueData] = item.value }
            let texts = attributes.map { ($0.key.rawValue, $0.value) }
            return [String: Any](uniqueKeysWithValues: texts) as NSDictionary
        }
        if query.isForList { result.pointee = objects as NSArray } else { result.pointee = objects.first }
    }

    /// Gives the status of a call, and writes into the app's log why it was refused without a look at the keychain.
    private func answering(_ call: () throws(KeychainQuery.Refusal) -> OSStatus) -> OSStatus {
        do throws(KeychainQuery.Refusal) {
            return try call()
        } catch {
            sandbox.trace(.log, [.logLevel: .text("error"), .logMessage: .text(error.reason)])
            return error.status
        }
    }
}
