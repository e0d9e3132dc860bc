// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Foundation
package import LabHTTP
import LabPoints
package import SimulatedDevice

/// Calls the server: prerequisites, queue, encryption, signature, response (sdk.md, section 7.2).
///
/// Thread rule: any thread; nothing blocks the caller. Requests are built, sent and completed on background threads.
package final class RestClient: Sendable {
    let session: any SessionInterface
    /// Signs requests of the application.
    package let signer: RequestSigner
    let factorKeys: FactorKeySource
    let settings: HTTPSettings
    /// The way to the server, also for the SDKs that stand on this one.
    package let network: DeviceNetwork
    let sandbox: Sandbox
    /// Server time, as far as it is known.
    package let time: SynchronizedTime
    let temporaryKeys = TemporaryKeyStore()
    /// Calls that have not ended.
    let running = RunningOperations()
    private let serialQueue: SerialOperationQueue

    /// Where requests that need no order are built, for all instances of the process.
    package static let concurrentQueue = DispatchQueue(label: "com.wultra.powerauth.rest", attributes: .concurrent)

    /// - Parameters:
    ///   - session: locked access to the session.
    ///   - factorKeys: where unlock keys come from.
    ///   - settings: base URL and client configuration.
    ///   - transport: the way to the network.
    ///   - time: server time.
    ///   - sandbox: the device.
    package init(
        session: any SessionInterface, factorKeys: FactorKeySource, settings: HTTPSettings,
        transport: any HTTPTransport, time: SynchronizedTime, sandbox: Sandbox
    ) {
        self.session = session
        self.factorKeys = factorKeys
        self.settings = settings
        network = DeviceNetwork(transport: transport, sandbox: sandbox)
        self.time = time
        self.sandbox = sandbox
        signer = RequestSigner(session: session, factorKeys: factorKeys, sandbox: sandbox)
        serialQueue = SerialOperationQueue(label: "com.wultra.powerauth.serial")
    }

    /// Makes a call.
    /// - Parameters:
    ///   - request: what to ask.
    ///   - step: the effect of the answer on the device.
    ///   - completion: takes the result of the step, or an error of the request or the step. Called at most once, on a
    ///     background thread where it may block, before the next serialized request starts. Never called after a
    ///     cancel.
    /// - Returns: the whole call, prerequisites included, as one task.
    @discardableResult
    package func post<Value>(
        _ request: RestRequest, _ step: LocalStep<Value>, completion: @escaping @Sendable (TaskResult<Value>) -> Void
    ) -> any PowerAuthOperationTask {
        let operation = RestOperation(request, client: self) { [session] result in
            completion(result.flatMap { response in step.run(with: response, in: session) })
        }
        running.add(operation)
        if let encryption = request.endpoint.encryption,
            !temporaryKeys.hasUsableKey(for: encryption.scope, client: self)
        {
            operation.start(after: { done in
                self.temporaryKeys.obtain(encryption.scope, client: self, callback: done)
            })
        } else if request.endpoint.encryption != nil || request.endpoint.needsTime, !time.isTimeSynchronized {
            operation.start(after: { done in self.synchronizeTime(callback: done) })
        } else {
            enqueue(operation)
        }
        return operation
    }

    /// What an answer is compared with; nil when it is not, as in the original (sharing.md, D30).
    package func basis(in core: PowerAuthCoreSession) -> ActivationSnapshot? {
        sandbox.keeps(.lateAnswerIsApplied) ? nil : core.activationSnapshot
    }

    /// Ends every call that belongs to the activation with `operationCancelled`: its answer must not act on another
    /// one. The original leaves them alone (sdk.md, section 15, item 13).
    package func abortCallsOfActivation() {
        guard !sandbox.keeps(.removalLeavesRequests) else { return }
        // All of them first: the end of one gives the next its turn.
        let endings = running.all.filter(\.belongsToActivation).compactMap { $0.abort() }
        for end in endings { end() }
    }

    /// Lets a call whose prerequisites are met take its turn.
    func enqueue(_ operation: RestOperation) {
        if operation.isSerialized {
            runSerially(operation)
        } else {
            Self.concurrentQueue.async { operation.run {} }
        }
    }

    /// Adds a unit of work to the queue of signed requests. From inside a session task it is added once the task is over,
    /// because the queue may wait for another process that waits for the session (sharing.md, section 7.8).
    package func runSerially(_ operation: any SerialOperation) {
        session.executeOutsideOfTask(queue: Self.concurrentQueue) { [session, serialQueue] in
            session.addOperation(operation, toSharedQueue: serialQueue)
        }
    }

    // MARK: Temporary keys

    /// True when requests of the scope can be encrypted without asking the server for a key first.
    package func hasUsableTemporaryKey(for scope: PowerAuthCoreEciesEncryptorScope) -> Bool {
        temporaryKeys.hasUsableKey(for: scope, client: self)
    }

    /// Asks the server for the key of a scope, together with other callers at the same time.
    /// - Parameter callback: takes nothing, or an error: `missingActivation` or `activationPending` without an
    ///   activation, `networkError` or `encryption` for an answer that cannot be used, or one of the transport. Called
    ///   on a background queue.
    package func obtainTemporaryKey(
        for scope: PowerAuthCoreEciesEncryptorScope, callback: @escaping (TaskResult<Void>) -> Void
    ) -> any PowerAuthOperationTask {
        temporaryKeys.obtain(scope, client: self, callback: callback)
    }

    /// Forgets a key of a scope, because the server no longer has it.
    package func forgetTemporaryKey(_ keyId: String, for scope: PowerAuthCoreEciesEncryptorScope) {
        temporaryKeys.forget(keyId, of: scope, client: self)
    }

    // MARK: Time

    private let statusRequests = ServerStatusRequests()

    /// Asks for the server's status, together with other callers at the same time.
    package func serverStatus(
        queue: DispatchQueue = .main, callback: @escaping (TaskResult<ServerStatusReading>) -> Void
    ) -> any PowerAuthOperationTask {
        statusRequests.join(client: self, queue: queue, callback: callback)
    }

    /// Synchronises time with the server, together with other callers at the same time.
    /// - Parameters:
    ///   - queue: where the callback is called.
    ///   - callback: takes nothing, or an error: `timeSynchronization` when the measurement was refused, or one of the
    ///     request.
    package func synchronizeTime(
        queue: DispatchQueue = concurrentQueue, callback: @escaping (TaskResult<Void>) -> Void
    ) -> any PowerAuthOperationTask {
        serverStatus(queue: queue) { result in
            callback(
                result.flatMap { reading in
                    reading.isTimeAccepted ? .success(()) : .failure(.powerAuth(.timeSynchronization))
                })
        }
    }
}
