// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Synchronization

/// The token store of all three SDKs (sharing.md, section 15, and watch.md, section 6.6).
///
/// Thread rule: that of ``PowerAuthTokenStore``. No application callback runs while a lock is held.
package final class KeychainTokenStore: PowerAuthTokenStore, @unchecked Sendable {
    // Safe: `cache` is touched only between `lockTokenStore` and `unlockTokenStore`; `groups`, `provider` and
    // the rules are mutexes; everything else is constant.

    private let currentRules: Mutex<TokenStoreRules>
    let environment: TokenStoreEnvironment
    let records: TokenRecordStore
    private let lock: any TokenStoreLock
    var cache: [String: TokenRecord] = [:]
    let provider = Mutex(WeakProvider())
    let groups = Mutex<[String: Group]>([:])
    private let observer = Mutex(WeakObserver())

    struct WeakProvider: @unchecked Sendable {
        // Safe: reached only inside the mutex above.
        weak var value: (any RemoteTokenProvider)?
    }

    struct WeakObserver: @unchecked Sendable {
        // Safe: reached only inside the mutex above.
        weak var value: (any TokenStoreObserver)?
    }

    /// One request for a name, with all its waiting callers.
    struct Group {
        let factors: Int
        let task: GroupedTask<PowerAuthToken>
    }

    /// - Parameters:
    ///   - rules: what differs between the SDKs.
    ///   - environment: what the SDK object provides.
    ///   - records: the records of the instance.
    ///   - lock: orders the accesses.
    package init(
        rules: TokenStoreRules, environment: TokenStoreEnvironment, records: TokenRecordStore, lock: any TokenStoreLock
    ) {
        currentRules = Mutex(rules)
        self.environment = environment
        self.records = records
        self.lock = lock
    }

    /// The instance that owns the tokens.
    package var instanceId: String { records.instanceId }
    /// What differs between the SDKs.
    package var rules: TokenStoreRules { currentRules.withLock { $0 } }

    /// Changes the rules, from the next call on.
    package func changeRules(_ change: (inout TokenStoreRules) -> Void) { currentRules.withLock { change(&$0) } }
    /// Sets where missing tokens come from; held weakly. Without one, requests end with `invalidToken`.
    package func setProvider(_ provider: any RemoteTokenProvider) { self.provider.withLock { $0.value = provider } }
    /// Sets the observer of changed tokens; held weakly.
    package func setObserver(_ observer: any TokenStoreObserver) { self.observer.withLock { $0.value = observer } }

    /// The observer of changed tokens.
    package var changeObserver: (any TokenStoreObserver)? { observer.withLock { WeakObserver(value: $0.value) }.value }

    /// Ends all requests; their callers get `operationCancelled`.
    package func cancelAllRequests() {
        let running = groups.withLock { groups in
            defer { groups = [:] }
            return groups.values.map(\.task)
        }
        for task in running { task.cancel() }
    }

    // MARK: Local records

    package func canRequestForAccessToken() -> Bool { environment.activation().identifier != nil }
    package func hasLocalToken(withName name: String) -> Bool { localToken(withName: name) != nil }

    package func localToken(withName name: String) -> PowerAuthToken? {
        guard let record = try? lookup(name, factors: nil) else { return nil }
        return PowerAuthToken(record: record, store: self)
    }

    package func removeLocalToken(withName name: String) {
        guard removalIsAllowed() else { return }
        access { change in
            change()
            cache[name] = nil
            records.remove(named: name)
        }
        changeObserver?.tokenChanged(name, to: nil)
    }

    package func removeAllLocalTokens() {
        guard removalIsAllowed() else { return }
        let removed = access { change in
            change()
            return removeAllRecords()
        }
        for name in removed ?? [] { changeObserver?.tokenChanged(name, to: nil) }
    }

    /// Removes all records once the saved state has no activation; those of one that another process has made since, or
    /// whose removal could not be saved, stay.
    package func removeTokensOfRemovedActivation() {
        let removed = access { change -> [String] in
            guard environment.activation() == .none else { return [] }
            change()
            return removeAllRecords()
        }
        for name in removed ?? [] { changeObserver?.tokenChanged(name, to: nil) }
    }

    /// - Returns: the names of what was removed.
    private func removeAllRecords() -> [String] {
        cache = [:]
        return records.removeAll()
    }

    private func removalIsAllowed() -> Bool {
        let isAllowed = rules.allowsLocalRemoval
        if !isAllowed {
            PowerAuthLog.write(
                "ERROR: An extension does not remove the tokens of its application, unless removesLocalTokens is set.")
        }
        return isAllowed
    }

    /// Finds a record, adopting one from 1.6 and dropping one of another activation (sharing.md, section 15.3).
    /// - Parameter factors: the factor mask that the record must have been made with; nil accepts any.
    /// - Throws: `wrongParameter` for a record with other factors.
    func lookup(_ name: String, factors: Int?) throws(NSError) -> TokenRecord? {
        let found = access { change -> TokenRecord? in
            // Asked inside the access: otherwise a token of an activation that was made meanwhile would be dropped.
            let activation = environment.activation()
            let cached = cache[name]
            guard var record = cached ?? records.record(named: name) else { return nil }
            guard let current = activation.identifier, record.activationId ?? current == current else {
                if activation != .unknown {
                    change()
                    cache[name] = nil
                    records.remove(named: name)
                }
                return nil
            }
            let stored = record
            record.activationId = current
            if let factors, record.factors == 0 { record.factors = factors }
            if record != stored {
                change()
                _ = records.store(record)
            }
            if rules.usesCache { cache[name] = record }
            return record
        }
        guard let record = found ?? nil else { return nil }
        if let factors, record.factors != 0, record.factors != factors { throw Self.differentFactors }
        return record
    }

    /// Runs `body` as one access; nil when the store is out of reach.
    /// - Parameter body: gets what announces a change, to be called before the first one.
    func access<T>(_ body: (_ change: () -> Void) -> T) -> T? {
        do {
            if try lock.lockTokenStore() { cache = [:] }
        } catch {
            PowerAuthLog.write("ERROR: The token store cannot be used: \((error as NSError).localizedDescription)")
            return nil
        }
        defer { lock.unlockTokenStore() }
        return body { lock.tokenStoreWillChange() }
    }

    static var differentFactors: NSError {
        .powerAuth(.wrongParameter, "Different PowerAuthAuthentication used for the same token creation.")
    }
}

/// Headers of requests with a token (sdk.md, section 9.5).
extension KeychainTokenStore {
    package func canGenerateHeader(for record: TokenRecord) -> Bool {
        guard let current = environment.activation().identifier else { return false }
        return record.activationId == current
    }

    package func header(for record: TokenRecord) -> PowerAuthAuthorizationHttpHeader? {
        guard canGenerateHeader(for: record) else { return nil }
        return .token(
            record, version: environment.headerVersion() ?? rules.headerVersion, time: environment.currentTime())
    }

    @discardableResult
    package func generateAuthorizationHeader(
        withName name: String, completion: @escaping (PowerAuthAuthorizationHttpHeader?, (any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<PowerAuthAuthorizationHttpHeader> { result in
            switch result {
            case .success(let header): completion(header, nil)
            case .failure(let error): completion(nil, error)
            }
        }
        guard !name.isEmpty else {
            task.complete(.failure(.powerAuth(.wrongParameter, "Missing required parameter.")))
            return task
        }
        guard let token = localToken(withName: name) else {
            task.complete(.failure(.powerAuth(.invalidToken, "Token not found")))
            return task
        }
        let finish: @Sendable (NSError?) -> Void = { error in
            if let error {
                task.complete(.failure(error))
            } else if let header = token.generateHeader() {
                task.complete(.success(header))
            } else {
                task.complete(.failure(.powerAuth(.invalidToken, "Failed to generate authorization header")))
            }
        }
        if let synchronizeTime = environment.synchronizeTime {
            if let part = synchronizeTime(finish) { task.add(part) }
        } else {
            finish(nil)
        }
        return task
    }
}
