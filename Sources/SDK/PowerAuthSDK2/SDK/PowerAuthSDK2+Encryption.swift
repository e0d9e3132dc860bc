// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol
public import PowerAuthShared

/// End-to-end encryption for the application's own requests.
extension PowerAuthSDK {
    /// Gives an encryptor for one request that needs no activation.
    /// - Parameter callback: takes the encryptor, or an error with the code `networkError`, `operationCancelled`,
    ///   `timeSynchronization` or `encryption`, or one of the transport. When the server's key and its time are known
    ///   already, it is called before the function returns.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func encryptorForApplicationScope(
        callback: @escaping (PowerAuthEncryptor?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard makesVersion4 else {
            return base.eciesEncryptorForApplicationScope { encryptor, error in
                callback(encryptor.map { PowerAuthEncryptor($0) }, error)
            }
        }
        return encryptor(for: .applicationGeneric, callback)
    }

    /// Gives an encryptor for one request that belongs to the activation. It stays usable after the removal of the
    /// activation.
    /// - Parameter callback: as ``encryptorForApplicationScope(callback:)``; without an activation it takes the error
    ///   `missingActivation` before the function returns.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func encryptorForActivationScope(
        callback: @escaping (PowerAuthEncryptor?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else {
            return base.eciesEncryptorForActivationScope { encryptor, error in
                callback(encryptor.map { PowerAuthEncryptor($0) }, error)
            }
        }
        return encryptor(for: .activationGeneric, callback)
    }

    private func encryptor(
        for purpose: AeadPurpose, _ callback: @escaping (PowerAuthEncryptor?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let base = base
        let make: @Sendable () -> TaskResult<PowerAuthEncryptor> = {
            Result { () throws(NSError) in
                let keys = purpose.scope == .activation ? try base.factorKeys.possessionKeys() : nil
                return try sdkError {
                    try base.session.read { core in
                        PowerAuthEncryptor(try core.requestEncryptorV4(for: purpose, keys: keys))
                    }
                }
            }
        }
        guard let missing = base.client.prerequisite(ofEncryptionFor: purpose.scope, isVersion4: true) else {
            switch make() {
            case .success(let encryptor): callback(encryptor, nil)
            case .failure(let error): callback(nil, error)
            }
            return nil
        }
        let task = OperationTask<PowerAuthEncryptor>(callback)
        task.add(base.client.meet(missing) { result in task.complete(result.flatMap { make() }) })
        return task
    }
}
