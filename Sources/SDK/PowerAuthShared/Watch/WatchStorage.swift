// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthCore
package import SimulatedDevice
import Synchronization

/// What a watch keeps about the phone's activations and tokens (watch.md, section 6.3).
///
/// One lock orders the packets that arrive with the lookups of the application, so that a lookup never deletes a
/// token that has just been stored (watch.md, section 13, item 7). Thread rule: any thread.
package final class WatchStorage: TokenStoreLock, @unchecked Sendable {
    // Safe: the keychains are immutable; `lock` orders what belongs together.

    private let lock = NSRecursiveLock()
    private let status: PowerAuthKeychain
    private let tokens: PowerAuthKeychain
    private let sandbox: Sandbox
    private let orders: DefaultsSuite?
    private let times = Mutex<[String: SynchronizedTime]>([:])

    /// - Parameters:
    ///   - configuration: names of the keychain services; access groups play no part on a watch.
    ///   - sandbox: the device.
    package init(configuration: PowerAuthKeychainConfiguration, sandbox: Sandbox) {
        self.sandbox = sandbox
        orders = sandbox.defaults()
        status = PowerAuthKeychain(
            identifier: configuration.keychainInstanceName_Status, accessGroup: nil, system: sandbox.keychain)
        tokens = PowerAuthKeychain(
            identifier: configuration.keychainInstanceName_TokenStore, accessGroup: nil, system: sandbox.keychain)
    }

    /// The storage of the process, with the service names of the shared keychain configuration.
    package static let shared = WatchStorage(configuration: .sharedInstance(), sandbox: .current)

    /// The token records of an instance.
    package func records(_ instanceId: String) -> TokenRecordStore {
        TokenRecordStore(keychain: tokens, instanceId: instanceId, sandbox: sandbox)
    }

    /// The time of an instance's server, if the phone has sent it; else the watch's clock.
    package func time(_ instanceId: String) -> SynchronizedTime {
        times.withLock { times in
            if let time = times[instanceId] { return time }
            let time = SynchronizedTime { [sandbox] in sandbox.clock.now().timeIntervalSince1970 }
            times[instanceId] = time
            return time
        }
    }

    /// Takes over the server's time from a phone.
    /// - Parameters:
    ///   - milliseconds: since 1970; nil when the phone did not tell.
    ///   - question: what `startTimeSynchronizationTask` gave when the phone was asked; nil if the phone sent it
    ///     unasked.
    package func takeTime(_ milliseconds: Int?, of instanceId: String, askedAt question: Any? = nil) {
        guard let milliseconds else { return }
        let time = time(instanceId)
        time.completeTimeSynchronizationTask(
            question ?? time.startTimeSynchronizationTask(), withServerTime: TimeInterval(milliseconds) / 1000)
    }

    /// Identifier of the phone's activation; nil without an activation or if it is unknown.
    package func activationId(_ instanceId: String) -> String? {
        guard let data = status.data(forKey: instanceId), let text = String(data: data, encoding: .utf8) else {
            return nil
        }
        return text.isEmpty ? nil : text
    }

    /// Takes over the phone's activation. Tokens go with an activation that ended, in the same step; the original
    /// looks for them in the wrong place and keeps them (watch.md, section 6.2 and section 13, item 1).
    /// - Returns: false when the keychain refused.
    @discardableResult
    package func update(activationId new: String?, of instanceId: String, order: WatchOrder? = nil) -> Bool {
        guard !instanceId.isEmpty else {
            PowerAuthLog.write("Watch: a status without an instance identifier was ignored.")
            return true
        }
        return take(order, about: WatchTarget.session(instanceId)) { update(new, of: instanceId) }
    }

    private func update(_ new: String?, of instanceId: String) -> Bool {
        let stored = activationId(instanceId)
        if let new, stored == nil || stored == new {
            return stored == new || status.set(Data(new.utf8), forKey: instanceId) == errSecSuccess
        }
        guard records(instanceId).removeEvery() else { return false }
        guard let new else { return (try? status.remove(instanceId)) != nil }
        return status.set(Data(new.utf8), forKey: instanceId) == errSecSuccess
    }

    /// Stores a received record as it is.
    /// - Returns: false when the keychain refused.
    package func storeToken(_ data: Data, named name: String, of instanceId: String, order: WatchOrder? = nil) -> Bool {
        take(order, about: Self.item(name, instanceId)) { records(instanceId).store(data, named: name) }
    }

    /// Removes a record, if it exists.
    /// - Returns: false when the keychain refused.
    package func removeToken(named name: String, of instanceId: String, order: WatchOrder? = nil) -> Bool {
        take(order, about: Self.item(name, instanceId)) { records(instanceId).remove(named: name) }
    }

    /// Takes note of a token that the phone has given in a reply; the token store stores it.
    /// - Returns: false if a newer message of the phone about the token has arrived meanwhile.
    package func takeReply(aboutTokenNamed name: String, of instanceId: String, order: WatchOrder?) -> Bool {
        var isNewest = false
        _ = take(order, about: Self.item(name, instanceId)) {
            isNewest = true
            return true
        }
        return isNewest
    }

    // MARK: Order

    private static func item(_ name: String, _ instanceId: String) -> String {
        WatchTarget.token(instanceId) + "/" + name
    }

    /// Applies a message of the phone about an item, unless a newer one was applied before (watch.md, section 13, items
    /// 3 and 4). Messages of an older phone have no number, and are applied as they arrive.
    /// - Returns: what `body` gives; true when it did not run.
    private func take(_ order: WatchOrder?, about item: String, _ body: () -> Bool) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        let key = "io.getlime.PowerAuthWatch.Order." + item
        if let order, let last = WatchOrder(stored: orders?.value(forKey: key)), last.origin == order.origin,
            order.number < last.number
        {
            PowerAuthLog.write("Watch: an older message about '\(item)' was ignored.")
            return true
        }
        guard body() else { return false }
        // Stored afterwards: after a crash in between it is done once more.
        if let order { orders?.set(order.stored, forKey: key) }
        return true
    }

    /// Always false: a watch caches nothing.
    package func lockTokenStore() -> Bool {
        lock.lock()
        return false
    }

    package func tokenStoreWillChange() {}
    package func unlockTokenStore() { lock.unlock() }
}
