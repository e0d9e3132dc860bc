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
    /// Locked access to the session.
    package let session: any SessionInterface
    /// Signs requests of the application.
    package let signer: RequestSigner
    let factorKeys: FactorKeySource
    /// Where the server says its time.
    let serverStatusEndpoint: RestEndpoint
    private let speaksVersion4: Bool
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

    /// How often the server is asked at most for one thing, when answers are lost or do not fit the state.
    package static let mostAttempts = 3

    /// Makes a further attempt after a pause, of real time as the transport's time-outs.
    /// - Parameter attempt: number of the one before, from 1.
    package static func retry(after attempt: Int, _ next: @escaping @Sendable () -> Void) {
        concurrentQueue.asyncAfter(deadline: .now() + .milliseconds(attempt == 1 ? 100 : 400), execute: next)
    }

    /// - Parameters:
    ///   - session: locked access to the session.
    ///   - factorKeys: where unlock keys come from.
    ///   - settings: base URL and client configuration.
    ///   - transport: the way to the network.
    ///   - time: server time.
    ///   - speaksVersion4: whether the SDK makes activations of protocol 4, and asks its resources where both have one.
    ///   - sandbox: the device.
    package init(
        session: any SessionInterface, factorKeys: FactorKeySource, settings: HTTPSettings,
        transport: any HTTPTransport, time: SynchronizedTime, speaksVersion4: Bool = false, sandbox: Sandbox
    ) {
        serverStatusEndpoint = speaksVersion4 ? .serverStatusV4 : .serverStatus
        self.speaksVersion4 = speaksVersion4
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
        admit(operation)
        return operation
    }

    /// Lets a call take its turn, once everything is known that it needs.
    func admit(_ operation: RestOperation) {
        guard let missing = prerequisite(of: operation.endpoint) else { return enqueue(operation) }
        operation.start(after: { done in meet(missing, callback: done) })
    }

    /// Whether the activation is one of protocol 4. An SDK that has none of them takes no lock to find that out.
    package var hasVersion4Activation: Bool { speaksVersion4 && session.readBoolTask { $0.hasVersion4Activation } }

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

    // MARK: Prerequisites

    /// What the server is asked for before a request can be made.
    package enum Prerequisite: Equatable, Sendable {
        /// A temporary key; its answer usually brings the time, too.
        case temporaryKey(TemporaryKeyKind)
        /// The server's time.
        case time
    }

    /// What is missing before requests of a scope can be encrypted; nil when everything is known.
    /// - Parameters:
    ///   - scope: the scope of the requests.
    ///   - isVersion4: whether they are requests of protocol 4.
    package func prerequisite(
        ofEncryptionFor scope: PowerAuthCoreEciesEncryptorScope, isVersion4: Bool = false
    ) -> Prerequisite? {
        prerequisite(ofEncryptionWith: TemporaryKeyKind(scope: scope, isVersion4: isVersion4))
    }

    private func prerequisite(ofEncryptionWith key: TemporaryKeyKind) -> Prerequisite? {
        guard temporaryKeys.hasUsableKey(key, client: self) else { return .temporaryKey(key) }
        return time.isTimeSynchronized ? nil : .time
    }

    private func prerequisite(of endpoint: RestEndpoint) -> Prerequisite? {
        if let encryption = endpoint.encryption { return prerequisite(ofEncryptionWith: encryption.key) }
        return endpoint.needsTime && !time.isTimeSynchronized ? .time : nil
    }

    /// Asks the server for what is missing, together with other callers at the same time.
    /// - Parameter callback: takes nothing, or an error. For a key: `missingActivation` or `activationPending` without an
    ///   activation, `networkError` or `encryption` for an answer that cannot be used; for the time:
    ///   `timeSynchronization`; for both, one of the transport. Called on a background queue.
    package func meet(
        _ prerequisite: Prerequisite, callback: @escaping (TaskResult<Void>) -> Void
    ) -> any PowerAuthOperationTask {
        switch prerequisite {
        case .temporaryKey(let kind): temporaryKeys.obtain(kind, client: self, callback: callback)
        case .time: synchronizeTime(callback: callback)
        }
    }

    // MARK: Keys that the server does not know

    /// Forgets a key of a scope, because the server no longer has it.
    package func forgetTemporaryKey(_ keyId: String, for scope: PowerAuthCoreEciesEncryptorScope) {
        forgetTemporaryKey(keyId, TemporaryKeyKind(scope: scope, isVersion4: false))
    }

    func forgetTemporaryKey(_ keyId: String, _ kind: TemporaryKeyKind) {
        temporaryKeys.forget(keyId, kind, client: self)
    }

    /// Finds out whether the server still has a key of the activation, and gets another one if not.
    ///
    /// A request that is signed, too, is refused for an unknown key as it is for a wrong signature. To repeat it without
    /// knowing which would count one wrong password twice. So the user info is asked for, which no factor signs: it is
    /// refused for its envelope alone, and gets the key by itself (sdk.md, section 15, item 30).
    /// - Parameters:
    ///   - keyId: the key that the refused request was encrypted with.
    ///   - callback: takes whether another key is in its place. Called on a background thread.
    package func replaceTemporaryKeyIfUnknown(
        _ keyId: String, callback: @escaping @Sendable (Bool) -> Void
    ) -> any PowerAuthOperationTask {
        replaceTemporaryKeyIfUnknown(
            keyId, TemporaryKeyKind(scope: .activation, isVersion4: false), callback: callback)
    }

    func replaceTemporaryKeyIfUnknown(
        _ keyId: String, _ kind: TemporaryKeyKind, callback: @escaping @Sendable (Bool) -> Void
    ) -> any PowerAuthOperationTask {
        let endpoint: RestEndpoint = kind.isVersion4 ? .userInfoV4 : .userInfo
        return post(RestRequest(endpoint), LocalStep<Void>.answer { _ in }) { [session] result in
            // A blocked activation, for instance, is refused with any key. Other failures say nothing about the key.
            if case .failure(let error) = result, endpoint.encryption?.isRefused(by: error) == true {
                return callback(false)
            }
            let current = session.readTask { core in kind.keyId(in: core) }
            callback(current != nil && current != keyId)
        }
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
