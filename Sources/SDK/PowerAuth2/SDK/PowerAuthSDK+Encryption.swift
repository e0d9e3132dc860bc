// SPDX-License-Identifier: Apache-2.0

package import Dispatch
public import Foundation
import LabPoints
import SimulatedDevice

/// End-to-end encryption for the application's own requests (sdk.md, section 5.11).
extension PowerAuthSDK {
    /// Gives an encryptor for requests that need no activation.
    /// - Parameter callback: takes the encryptor, or an error with the code `networkError`, `operationCancelled`,
    ///   `timeSynchronization` or `encryption`, or one of the transport. When the server's key and its time are known
    ///   already, it is called before the function returns.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func eciesEncryptorForApplicationScope(
        callback: @escaping (PowerAuthCoreEciesEncryptor?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        encryptor(for: .application, callback: callback)
    }

    /// Gives an encryptor for requests that belong to the activation. It stays usable after the removal of the
    /// activation.
    /// - Parameter callback: as ``eciesEncryptorForApplicationScope(callback:)``; without an activation it takes the
    ///   error `missingActivation` before the function returns.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func eciesEncryptorForActivationScope(
        callback: @escaping (PowerAuthCoreEciesEncryptor?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        encryptor(for: .activation, callback: callback)
    }

    /// As ``eciesEncryptorForApplicationScope(callback:)`` and ``eciesEncryptorForActivationScope(callback:)``.
    /// - Parameter queue: where the callback is called when a key or the time had to be fetched.
    package func encryptor(
        for scope: PowerAuthCoreEciesEncryptorScope, queue: DispatchQueue = .main,
        callback: @escaping (PowerAuthCoreEciesEncryptor?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        switch scope {
        case .application:
            return encryptor(for: scope, sharedInfo: Self.applicationPurpose, queue: queue, callback: callback)
        case .activation:
            guard hasValidActivation() else {
                callback(nil, .powerAuth(.missingActivation))
                return nil
            }
            return encryptor(for: scope, sharedInfo: Self.activationPurpose, queue: queue, callback: callback)
        }
    }

    /// Gives an encryptor for requests that need no activation; nil unless the server's key and its time are known
    /// already.
    @available(*, deprecated, message: "Use eciesEncryptorForApplicationScope(callback:), which fetches the key.")
    @_disfavoredOverload
    public func eciesEncryptorForApplicationScope() -> PowerAuthCoreEciesEncryptor? {
        knownEncryptor(for: .application, sharedInfo: Self.applicationPurpose)
    }

    /// Gives an encryptor for requests that belong to the activation; nil without an activation, or unless the server's
    /// key and its time are known already.
    @available(*, deprecated, message: "Use eciesEncryptorForActivationScope(callback:), which fetches the key.")
    @_disfavoredOverload
    public func eciesEncryptorForActivationScope() -> PowerAuthCoreEciesEncryptor? {
        hasValidActivation() ? knownEncryptor(for: .activation, sharedInfo: Self.activationPurpose) : nil
    }

    private static let applicationPurpose = "/pa/generic/application"
    private static let activationPurpose = "/pa/generic/activation"

    /// What has to be fetched before an encryptor can be made; nil when everything is known.
    ///
    /// An envelope has a timestamp. The original forgets the server's time in the background, and then makes encryptors
    /// with that of the device as long as it has a key (sdk.md, section 15, item 29).
    private func missing(for scope: PowerAuthCoreEciesEncryptorScope) -> RestClient.Prerequisite? {
        let missing = client.prerequisite(ofEncryptionFor: scope)
        return missing == .time && sandbox.keeps(.encryptorIgnoresTime) ? nil : missing
    }

    private func knownEncryptor(
        for scope: PowerAuthCoreEciesEncryptorScope, sharedInfo: String
    ) -> PowerAuthCoreEciesEncryptor? {
        guard missing(for: scope) == nil else { return nil }
        return try? Self.makeEncryptor(for: scope, sharedInfo: sharedInfo, session: session, factorKeys: factorKeys)
    }

    private static func makeEncryptor(
        for scope: PowerAuthCoreEciesEncryptorScope, sharedInfo: String, session: any SessionInterface,
        factorKeys: FactorKeySource
    ) throws(NSError) -> PowerAuthCoreEciesEncryptor {
        let keys = scope == .activation ? try factorKeys.possessionKeys() : nil
        return try nsError {
            try session.read { core in
                guard let encryptor = core.eciesEncryptor(for: scope, keys: keys, sharedInfo1: sharedInfo)
                else { throw NSError.powerAuth(.encryption, "Failed to create ECIES encryptor") }
                return encryptor
            }
        }
    }

    private func encryptor(
        for scope: PowerAuthCoreEciesEncryptorScope, sharedInfo: String, queue: DispatchQueue,
        callback: @escaping (PowerAuthCoreEciesEncryptor?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let make = { @Sendable [session, factorKeys] in
            Result { () throws(NSError) in
                try Self.makeEncryptor(for: scope, sharedInfo: sharedInfo, session: session, factorKeys: factorKeys)
            }
        }
        func report(_ result: TaskResult<PowerAuthCoreEciesEncryptor>) {
            switch result {
            case .success(let encryptor): callback(encryptor, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        guard let missing = missing(for: scope) else {
            report(make())
            return nil
        }
        let task = OperationTask<PowerAuthCoreEciesEncryptor>(queue: queue) { report($0) }
        task.add(client.meet(missing) { result in task.complete(result.flatMap { make() }) })
        return task
    }
}

/// A key of the application that additionally protects knowledge and biometry (sdk.md, section 5.14).
extension PowerAuthSDK {
    /// True when a key is set in memory. It does not tell whether the activation uses one.
    public var hasExternalEncryptionKey: Bool { session.readBoolTask { $0.hasExternalEncryptionKey } }

    /// Provides the key before an activation, or to an activation that uses one.
    /// - Parameter externalEncryptionKey: 16 bytes.
    /// - Throws: `wrongParameter` for another key than the one that is set, or for one of another size;
    ///   `invalidActivationState` when none is set and the activation uses none.
    public func setExternalEncryptionKey(_ externalEncryptionKey: Data) throws {
        try nsError {
            try session.read { core in
                try check(
                    core.setExternalEncryptionKey(externalEncryptionKey), wrongState: "Activation is not using EEK")
            }
        }
        setConfiguredExternalEncryptionKey(externalEncryptionKey)
    }

    /// Starts to protect the activation with the key.
    /// - Parameter externalEncryptionKey: 16 bytes.
    /// - Throws: `missingActivation` without an activation, `invalidActivationState` when a key is set or in use,
    ///   `wrongParameter` for a key of another size, `encryption` otherwise.
    public func addExternalEncryptionKey(_ externalEncryptionKey: Data) throws {
        try changeKey { core in
            if core.hasExternalEncryptionKey {
                throw NSError.powerAuth(.invalidActivationState, "EEK is already set")
            }
            guard core.hasValidActivation else { throw NSError.powerAuth(.missingActivation) }
            try check(
                core.addExternalEncryptionKey(externalEncryptionKey), wrongState: "Activation is already using EEK")
        }
        setConfiguredExternalEncryptionKey(externalEncryptionKey)
    }

    /// Stops to protect the activation with the key.
    /// - Throws: `invalidActivationState` when no key is set or in use, `missingActivation` without an activation,
    ///   `encryption` otherwise.
    public func removeExternalEncryptionKey() throws {
        try changeKey { core in
            guard core.hasExternalEncryptionKey else {
                throw NSError.powerAuth(.invalidActivationState, "EEK is not set")
            }
            guard core.hasValidActivation else { throw NSError.powerAuth(.missingActivation) }
            try check(core.removeExternalEncryptionKey(), wrongState: "EEK is not set")
        }
        setConfiguredExternalEncryptionKey(nil)
    }

    /// Runs a change of state and key as a write task.
    ///
    /// A state that cannot be stored is loaded again, but the key is in memory only: it would stay changed, fit the state no
    /// more, and neither signatures nor another change would be possible.
    private func changeKey(_ change: (PowerAuthCoreSession) throws -> Void) throws(NSError) {
        var undo: (() -> Void)?
        do throws(NSError) {
            try nsError {
                try session.write { core in
                    let before = core.sessionSetup.externalEncryptionKey
                    try change(core)
                    undo = { core.restoreExternalEncryptionKey(before) }
                }
            }
        } catch {
            // Not as a task, which may be refused for the same reason; the core has a lock of its own.
            undo?()
            throw error
        }
    }

    private func check(_ code: PowerAuthCoreErrorCode, wrongState: String) throws(NSError) {
        switch code {
        case .ok: return
        case .wrongState: throw .powerAuth(.invalidActivationState, wrongState)
        case .wrongParam: throw .powerAuth(.wrongParameter, "Invalid key size")
        case .encryption: throw .powerAuth(.encryption)
        }
    }
}
