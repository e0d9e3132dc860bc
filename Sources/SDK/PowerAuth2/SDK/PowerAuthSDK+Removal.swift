public import Foundation
import SimulatedDevice
import Synchronization

/// Ending an activation (sdk.md, sections 9.6 and 10).
extension PowerAuthSDK {
    /// Removes the activation from the server, then from the device. When the server refuses, nothing changes here.
    ///
    /// - Parameters:
    ///   - authentication: the factors; possession alone is not accepted by the server.
    ///   - callback: takes nil, or an error with the code `networkError`, `signatureError`, `missingActivation`,
    ///     `biometryNotAvailable`, `biometryCancel`, `biometryFailed` or `pendingProtocolUpgrade`, or one of the
    ///     transport.
    /// - Returns: the task, never nil.
    @discardableResult
    public func removeActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let task = OperationTask<Void> { result in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        }
        // The object is kept until the answer arrived: an activation removed on the server must not stay here.
        task.add(
            client.post(
                RestRequest(.removeActivation, authentication: authentication),
                .write { core, _ in core.resetSession(false) }
            ) { [self] result in
                if case .success = result {
                    endRequests()
                    removeLeftovers()
                }
                task.complete(result)
            })
        return task
    }

    /// Removes the activation from the device: state, biometry key, tokens, cached results. The server is not notified.
    ///
    /// Works in every state; requests of the activation that are on their way end with `operationCancelled`.
    public func removeActivationLocal() {
        endRequests()
        session.writeVoidTask { $0.resetSession(false) }
        removeLeftovers()
    }

    private func endRequests() {
        cancelSharedRequests()
        client.abortCallsOfActivation()
    }

    /// Removes what belongs to the activation besides the state, unless another application has made the next one.
    private func removeLeftovers() {
        cache.withLock { $0 = Cache() }
        validatedPassword.withLock { $0 = nil }
        // Not before the state is saved: a process that dies in between must not leave an activation without its key,
        // or without tokens that still exist on the server.
        factorKeys.biometry.removeKeyOfRemovedFactor()
        tokens.removeTokensOfRemovedActivation()
        sandbox.trace(.stateRemoved)
    }
}
