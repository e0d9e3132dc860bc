// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuth2
import PowerAuthShared
import SimulatedDevice
import WultraPowerAuthNetworking

/// The operations service (mobile-token.md, section 6). `Item` is the class of the operations, everywhere.
///
/// Thread rule: any thread; the list and the register change on the main queue.
final class OperationsService<Item: WMTUserOperation>: WMTOperations, Sendable {
    private typealias Task = CancellableCall<Result<[WMTUserOperation], WMTError>>

    private struct State {
        weak var delegate: (any WMTOperationsDelegate)?
        var tasks: [Task] = []
        var isLoading = false
        var lastFetchResult: Result<[WMTUserOperation], WMTError>?
        var register: OperationRegister
    }

    let pollingOptions: WMTOperationsPollingOptions
    let calls: ServiceCalls
    private let state: Guarded<State>
    private let polling: OperationPolling
    private let pause: PollingPause?

    init(_ networking: WPNNetworkingService, pollingOptions: WMTOperationsPollingOptions) {
        self.pollingOptions = pollingOptions
        calls = ServiceCalls(networking)
        state = Guarded(
            State(register: OperationRegister(keepsOldOperations: calls.sandbox.keeps(.registerKeepsOldOperations))))
        let service = Guarded(WeakService())
        polling = OperationPolling(time: DeviceTime(calls.sandbox)) {
            service.withLock { $0.value }?.refreshOperations()
        }
        pause = pollingOptions.contains(.pauseWhenOnBackground) ? PollingPause(polling) : nil
        service.withLock { $0.value = self }
    }

    /// The service is released when the application drops it, also while it polls.
    private struct WeakService { weak var value: OperationsService? }

    var delegate: (any WMTOperationsDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    var config: WMTConfig { WMTConfig(calls.networking.config) }

    var acceptLanguage: String {
        get { calls.networking.acceptLanguage }
        set { calls.networking.acceptLanguage = newValue }
    }

    var lastFetchResult: Result<[WMTUserOperation], WMTError>? { state.withLock { $0.lastFetchResult } }
    var isLoadingOperations: Bool { state.withLock { $0.isLoading } }

    // MARK: The list

    func refreshOperations() {
        DispatchQueue.main.async { [self] in
            if !isLoadingOperations { getOperations { _ in } }
        }
    }

    @discardableResult
    func getOperations(completion: @escaping GetOperationsCompletion) -> any WMTCancellable {
        let task = Task(completion)
        DispatchQueue.main.async { [self] in join(task) }
        return task
    }

    /// On the main queue.
    private func join(_ task: Task) {
        let isFirst = state.withLock { state in
            state.tasks.append(task)
            defer { state.isLoading = true }
            return !state.isLoading
        }
        guard isFirst else { return }
        delegate?.operationsLoading(loading: true)
        _ = calls.call(OperationEndpoint.list, WPNRequestBase()) { [self] in loaded($0) }
    }

    private func loaded(_ response: Result<WMTOperationListResponse<Item>, WMTError>) {
        let tasks = state.withLock { $0.tasks }
        let result = take(response, isWanted: !tasks.allSatisfy(\.isCanceled))
        for task in tasks { task.complete(result) }
        state.withLock { state in
            state.tasks = []
            state.isLoading = false
        }
        delegate?.operationsLoading(loading: false)
    }

    private func take(
        _ response: Result<WMTOperationListResponse<Item>, WMTError>, isWanted: Bool
    ) -> Result<[WMTUserOperation], WMTError> {
        let result = operations(response)
        // Without an activation nothing was loaded.
        if case .failure(let error) = result, error.reason == .missingActivation { return result }
        guard isWanted else { return .failure(WMTError(reason: .unknown)) }
        switch result {
        case .success(let operations): tell(state.withLock { $0.register.replace(with: operations) })
        case .failure(let error): delegate?.operationsFailed(error: error)
        }
        state.withLock { $0.lastFetchResult = result }
        return result
    }

    private func operations(
        _ response: Result<WMTOperationListResponse<Item>, WMTError>
    ) -> Result<[WMTUserOperation], WMTError> {
        response.flatMap { response in
            for mistake in response.mistakes { WMTLogger.error("An operation cannot be read: \(mistake.error)") }
            if let mistake = response.mistakes.first, calls.sandbox.keeps(.badOperationFailsList) {
                return .failure(WMTError(reason: .network_invalidResponseObject, error: mistake.error))
            }
            for mistake in response.mistakes {
                calls.sandbox.trace(
                    .operationsLeftOut,
                    [.leftOutOperation: mistake.id.map(TraceValue.text), .leftOutCause: .text(mistake.reason)])
            }
            return ServiceCalls.result(response.responseObject, nil)
        }
    }

    private func tell(_ change: OperationRegister.Change?) {
        guard let change else { return }
        delegate?.operationsChanged(operations: change.operations, removed: change.removed, added: change.added)
    }

    // MARK: Single operations

    func getHistory(
        authentication: PowerAuthAuthentication, completion: @escaping (Result<[WMTUserOperation], WMTError>) -> Void
    ) -> Operation? {
        calls.call(
            OperationEndpoint.history, uriId: OperationEndpoint.historyId, WPNRequestBase(), signedWith: authentication
        ) { [self] in completion(operations($0)) }
    }

    func getDetail(
        operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void
    ) -> Operation? {
        operation(OperationEndpoint.detail, operationId, completion)
    }

    func claim(operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void) -> Operation? {
        operation(OperationEndpoint.claim, operationId) { [self] result in
            if case .success(let operation) = result { tell(state.withLock { $0.register.add(operation) }) }
            completion(result)
        }
    }

    private func operation(
        _ path: String, _ id: String, _ completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void
    ) -> Operation? {
        calls.call(path, WPNRequest(WMTOperationIdData(id: id))) { (response: Result<WPNResponse<Item>, WMTError>) in
            completion(
                response.mapError { $0.aboutOperation(authorizes: false) }
                    .flatMap { ServiceCalls.result($0.responseObject, nil) })
        }
    }

    func authorize(
        operation: any WMTOperation, with authentication: PowerAuthAuthentication,
        completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        let time = calls.powerAuth.timeSynchronizationService
        let data = WMTAuthorizationData(
            operation: operation, now: Date(timeIntervalSince1970: time.currentTime()),
            adjustment: time.localTimeAdjustment)
        return decide(
            operation.id, OperationEndpoint.authorize, OperationEndpoint.authorizeId, WPNRequest(data), authentication,
            authorizes: true, completion)
    }

    func reject(
        operation: any WMTOperation, with reason: WMTRejectionReason,
        completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        decide(
            operation.id, OperationEndpoint.cancel, OperationEndpoint.cancelId,
            WPNRequest(WMTRejectionData(operationId: operation.id, reason: reason)), .possession(), authorizes: false,
            completion)
    }

    private func decide(
        _ id: String, _ path: String, _ uriId: String, _ request: WPNRequestBase,
        _ authentication: PowerAuthAuthentication, authorizes: Bool,
        _ completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        calls.call(path, uriId: uriId, request, signedWith: authentication) {
            [self] (response: Result<WPNResponseBase, WMTError>) in
            if case .success = response { tell(state.withLock { $0.register.remove(id: id) }) }
            completion(response.map { _ in () }.mapError { $0.aboutOperation(authorizes: authorizes) })
        }
    }

    func authorize(
        qrOperation: WMTQROperation, uriId: String, authentication: PowerAuthAuthentication,
        completion: @escaping (Result<String, WMTError>) -> Void
    ) -> Operation {
        let authentication = UncheckedTransfer(authentication)
        let work = { @Sendable [powerAuth = calls.powerAuth] () throws(WMTError) -> String in
            do {
                return try powerAuth.offlineSignature(
                    with: authentication.value, uriId: uriId, body: qrOperation.dataForOfflineSigning,
                    nonce: qrOperation.nonceForOfflineSigning)
            } catch {
                throw WMTError(reason: .operations_QROperationFailed, error: error)
            }
        }
        return calls.compute(work, completion: completion)
    }

    // MARK: Polling

    var isPollingOperations: Bool { polling.isPolling }

    func startPollingOperations(interval: TimeInterval, delayStart: Bool) {
        polling.start(interval: interval, delayStart: delayStart)
    }

    func stopPollingOperations() { polling.stop() }
}
