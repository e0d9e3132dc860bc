package import Foundation
import PowerAuthProtocol
import Synchronization

/// The token store of all three SDKs (sharing.md, section 15, and watch.md, section 6.6).
///
/// Thread rule: that of ``PowerAuthTokenStore``. No application callback runs while a lock is held.
package final class KeychainTokenStore: PowerAuthTokenStore, @unchecked Sendable {
    // Safe: `cache` is touched only between `lockTokenStore` and `unlockTokenStore`; `groups` and `provider` are
    // mutexes; everything else is constant.

    private let rules: TokenStoreRules
    private let environment: TokenStoreEnvironment
    private let records: TokenRecordStore
    private let lock: any TokenStoreLock
    private var cache: [String: TokenRecord] = [:]
    private let provider = Mutex(WeakProvider())
    private let groups = Mutex<[String: Group]>([:])

    private struct WeakProvider: @unchecked Sendable {
        // Safe: reached only inside the mutex above.
        weak var value: (any RemoteTokenProvider)?
    }

    /// One request for a name, with everybody who waits for it.
    private struct Group {
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
        self.rules = rules
        self.environment = environment
        self.records = records
        self.lock = lock
    }

    /// The instance that owns the tokens.
    package var instanceId: String { records.instanceId }

    /// Sets where missing tokens come from; held weakly. Without one, requests end with the error 14.
    package func setProvider(_ provider: any RemoteTokenProvider) {
        self.provider.withLock { $0.value = provider }
    }

    /// Ends all requests; their callers get the error 11.
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
    }

    package func removeAllLocalTokens() {
        guard removalIsAllowed() else { return }
        access { change in
            change()
            cache = [:]
            records.removeAll()
        }
    }

    private func removalIsAllowed() -> Bool {
        if !rules.allowsLocalRemoval {
            PowerAuthLog.write("ERROR: An extension does not remove the tokens of its application.")
        }
        return rules.allowsLocalRemoval
    }

    /// Finds a record, adopting one from 1.6 and dropping one of another activation (sharing.md, section 15.3).
    ///
    /// - Parameter factors: the factor mask that the record must have been made with; nil accepts any.
    /// - Throws: the error 13 for a record with other factors.
    private func lookup(_ name: String, factors: Int?) throws(NSError) -> TokenRecord? {
        let activation = environment.activation()
        let found = access { change -> TokenRecord? in
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
    ///
    /// - Parameter body: gets what announces a change, to be called before the first one.
    private func access<T>(_ body: (_ change: () -> Void) -> T) -> T? {
        do {
            if try lock.lockTokenStore() { cache = [:] }
        } catch {
            PowerAuthLog.write("ERROR: The token store cannot be used: \((error as NSError).localizedDescription)")
            return nil
        }
        defer { lock.unlockTokenStore() }
        return body { lock.tokenStoreWillChange() }
    }

    // MARK: Requests

    @discardableResult
    package func requestAccessToken(
        withName name: String, authentication: PowerAuthAuthentication?,
        completion: @escaping (PowerAuthToken?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        do throws(NSError) {
            guard !name.isEmpty else { throw .powerAuth(.wrongParameter, "Missing required parameter.") }
            if rules.requiresAuthentication && authentication == nil {
                throw .powerAuth(.wrongParameter, "Authentication object is missing.")
            }
            guard let activationId = environment.activation().identifier else {
                throw .powerAuth(.missingActivation, "Activation is no longer valid.")
            }
            if let record = try lookup(name, factors: authentication?.tokenFactorMask) {
                completion(PowerAuthToken(record: record, store: self), nil)
                return nil
            }
            return try join(name, activationId: activationId, authentication: authentication) { result in
                switch result {
                case .success(let token): completion(token, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        } catch {
            completion(nil, error)
            return nil
        }
    }

    @discardableResult
    package func requestAccessToken(
        withName name: String, completion: @escaping (PowerAuthToken?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        requestAccessToken(withName: name, authentication: nil, completion: completion)
    }

    private func join(
        _ name: String, activationId: String, authentication: PowerAuthAuthentication?,
        callback: @escaping (TaskResult<PowerAuthToken>) -> Void
    ) throws(NSError) -> any PowerAuthOperationTask {
        guard let provider = provider.withLock({ WeakProvider(value: $0.value) }).value else {
            throw .powerAuth(.invalidToken, "Object is no longer operational.")
        }
        let factors = authentication?.tokenFactorMask ?? 0
        let request = RemoteTokenRequest(
            name: name, activationId: activationId, authentication: authentication,
            existingRecord: { [weak self] in
                guard let record = try? self?.lookup(name, factors: authentication?.tokenFactorMask) else { return nil }
                return record
            })
        while true {
            let group = groups.withLock { groups in
                if let running = groups[name], !running.task.isFinished { return running }
                let group = Group(factors: factors, task: makeGroup(request, provider))
                groups[name] = group
                return group
            }
            guard group.factors == factors else { throw Self.differentFactors }
            if let child = group.task.addChild(callback: callback) { return child }
            // It finished in between; the next round starts a new one.
        }
    }

    private func makeGroup(
        _ request: RemoteTokenRequest, _ provider: any RemoteTokenProvider
    ) -> GroupedTask<PowerAuthToken> {
        GroupedTask(
            GroupedTask.Hooks(start: { [weak self] group in
                group.setOperation(
                    provider.requestToken(request) { [weak self] result in
                        guard let self else {
                            return group.complete(
                                .failure(.powerAuth(.invalidActivationState, "Token store is no longer valid.")))
                        }
                        // After the last caller lost interest nothing is stored.
                        guard !group.isFinished else { return }
                        group.complete(result.flatMap { self.stored($0, for: request) })
                    })
            }))
    }

    /// Stores a new record, unless the activation changed while the request ran (sharing.md, D19).
    private func stored(_ record: TokenRecord, for request: RemoteTokenRequest) -> TaskResult<PowerAuthToken> {
        guard record.name == request.name else {
            return .failure(
                .powerAuth(.invalidToken, "Token '\(record.name)' received, '\(request.name)' was requested."))
        }
        let isStored = access { change -> Bool in
            guard environment.activation().identifier == request.activationId else { return true }
            change()
            guard records.store(record) else { return false }
            if rules.usesCache { cache[record.name] = record }
            return true
        }
        guard isStored == true else {
            return .failure(.powerAuth(.invalidToken, "The token could not be stored in the keychain."))
        }
        return .success(PowerAuthToken(record: record, store: self))
    }

    // MARK: Removal

    @discardableResult
    package func removeAccessToken(
        withName name: String, completion: @escaping (Bool, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        do throws(NSError) {
            guard !name.isEmpty else { throw .powerAuth(.wrongParameter, "Missing required parameter.") }
            guard canRequestForAccessToken() else {
                throw .powerAuth(.missingActivation, "Activation is no longer valid.")
            }
            guard let record = try lookup(name, factors: nil) else {
                throw .powerAuth(.invalidToken, "Token not found.")
            }
            guard let provider = provider.withLock({ WeakProvider(value: $0.value) }).value else {
                throw .powerAuth(.invalidToken, "Object is no longer operational.")
            }
            return remove(record, from: provider, completion: completion)
        } catch {
            completion(false, error)
            return nil
        }
    }

    private func remove(
        _ record: TokenRecord, from provider: any RemoteTokenProvider, completion: @escaping (Bool, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let immediate = Mutex<NSError?>(nil)
        let task = OperationTask<Void> { result in
            switch result {
            case .success: completion(true, nil)
            case .failure(let error): completion(false, error)
            }
        }
        let part = provider.removeToken(record) { [weak self] result in
            if case .success = result { self?.removeLocalToken(withName: record.name) }
            if case .failure(let error) = result { immediate.withLock { $0 = error } }
            task.complete(result)
        }
        guard let part else {
            // A provider that cannot remove says so before it returns; so does this function.
            task.cancel()
            completion(false, immediate.withLock { $0 })
            return nil
        }
        task.add(part)
        return task
    }

    // MARK: Headers

    package func canGenerateHeader(for record: TokenRecord) -> Bool {
        guard let current = environment.activation().identifier else { return false }
        return record.activationId == current
    }

    package func header(for record: TokenRecord) -> PowerAuthAuthorizationHttpHeader? {
        guard canGenerateHeader(for: record) else { return nil }
        return .token(record, version: rules.headerVersion, time: environment.currentTime())
    }

    @discardableResult
    package func generateAuthorizationHeader(
        withName name: String, completion: @escaping (PowerAuthAuthorizationHttpHeader?, NSError?) -> Void
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

    private static var differentFactors: NSError {
        .powerAuth(
            .wrongParameter, "Different PowerAuthAuthentication used for the same token creation.")
    }
}
