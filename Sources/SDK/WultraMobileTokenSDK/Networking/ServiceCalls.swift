// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuth2
import PowerAuthShared
import SimulatedDevice
import WultraPowerAuthNetworking

/// How the services call the server (mobile-token.md, sections 2.4, 2.5 and 6.5).
///
/// Thread rule: any thread. Completions run on the main queue, before the operation has finished (mobile-token.md,
/// section 5.4). Those of a cancelled operation do not run.
final class ServiceCalls: Sendable {
    /// One token serves all services of an activation.
    static let tokenName = "possession_universal"

    let networking: WPNNetworkingService
    /// Whether the server refused the last new token too. No other one is made then until it accepts one.
    fileprivate let isNewTokenInVain = Guarded(false)
    private let queue = OperationQueue()
    var powerAuth: PowerAuthSDK { networking.powerAuth }
    var sandbox: Sandbox { powerAuth.sandbox }

    init(_ networking: WPNNetworkingService) { self.networking = networking }

    /// Calls an endpoint that takes the token.
    /// - Returns: nil, with the error `missingActivation` later on, without an activation. The same error ends a call whose
    ///   activation is there no more when the answer is.
    func call<Request: WPNRequestBase, Response: WPNResponseBase>(
        _ path: String, _ request: Request, completion: @escaping (Result<Response, WMTError>) -> Void
    ) -> Operation? {
        guard let isStill = activationCheck(completion) else { return nil }
        let call = TokenCall(self, path, request) { completion(Self.answer($0, ifStill: isStill)) }
        call.run()
        return call.operation
    }

    /// Calls an endpoint with a signed request.
    /// - Returns: nil, with the error `missingActivation` later on, without an activation.
    func call<Request: WPNRequestBase, Response: WPNResponseBase>(
        _ path: String, uriId: String, _ request: Request, signedWith authentication: PowerAuthAuthentication,
        completion: @escaping (Result<Response, WMTError>) -> Void
    ) -> Operation? {
        guard let isStill = activationCheck(completion) else { return nil }
        let endpoint = WPNEndpointSigned<Request, Response>(endpointURLPath: path, uriId: uriId)
        let operation = CallOperation()
        operation.start()
        operation.hold(
            networking.post(data: request, signedWith: authentication, to: endpoint) { response, error in
                operation.finish { completion(Self.answer(Self.result(response, error), ifStill: isStill)) }
            })
        return operation
    }

    /// Runs work without a request, such as computing a code.
    func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws(WMTError) -> Value,
        completion: @escaping (Result<Value, WMTError>) -> Void
    ) -> Operation {
        let completion = Callback(completion)
        let operation = WPNAsyncBlockOperation { operation, finish in
            let (result, finish) = (Result(catching: body), UncheckedTransfer(finish))
            DispatchQueue.main.async {
                guard !operation.isCancelled else { return }
                completion(result)
                finish.value(nil)
            }
        }
        queue.addOperation(operation)
        return operation
    }

    static func result<Response>(_ response: Response?, _ error: WMTError?) -> Result<Response, WMTError> {
        response.map { .success($0) } ?? .failure(error ?? WMTError(reason: .unknown))
    }

    private func activationCheck<Value>(
        _ completion: @escaping (Result<Value, WMTError>) -> Void
    ) -> (@Sendable () -> Bool)? {
        let check = powerAuth.activationCheck()
        if check == nil { fail(.missingActivation, completion) }
        return check
    }

    /// An answer to one activation must not reach the next one, which may be another user's (sharing.md, D30).
    private static func answer<Value>(
        _ result: Result<Value, WMTError>, ifStill isStill: () -> Bool
    ) -> Result<Value, WMTError> {
        result.flatMap { value in isStill() ? .success(value) : .failure(WMTError(reason: .missingActivation)) }
    }

    /// Reports an error that was found before anything was sent.
    func fail<Value>(_ reason: WMTErrorReason, _ completion: @escaping (Result<Value, WMTError>) -> Void) {
        WMTLogger.error("A call was refused before it was sent: \(reason.rawValue)")
        let completion = Callback(completion)
        DispatchQueue.main.async { completion(.failure(WMTError(reason: reason))) }
    }
}

/// A call with the token, and once more with a new one when the server does not know the token (mobile-token.md, section
/// 24, item 19).
///
/// The server reports the same error for a token that it has lost and for an activation that may not do anything. A new
/// token costs a signature, which the server refuses to such an activation: one that polls while it is blocked would
/// soon be too far ahead of the server's counter to be of use (protocol.md, section 12.5). So the activation's status
/// decides.
///
/// Thread rule: any thread. Lives as long as its request.
private final class TokenCall<Request: WPNRequestBase, Response: WPNResponseBase> {
    let operation = CallOperation()
    private let calls: ServiceCalls
    private let path: String
    private let request: Request
    private let completion: (Result<Response, WMTError>) -> Void

    init(
        _ calls: ServiceCalls, _ path: String, _ request: Request,
        _ completion: @escaping (Result<Response, WMTError>) -> Void
    ) {
        self.calls = calls
        self.path = path
        self.request = request
        self.completion = completion
    }

    func run() {
        operation.start()
        let used = token
        send { [self] result in
            guard isTokenRefused(result), !calls.isNewTokenInVain.withLock({ $0 }),
                !calls.sandbox.keeps(.lostTokenStays)
            else { return end(result) }
            calls.powerAuth.fetchActivationStatus { [self] status, _ in
                guard status?.state == .active, !operation.isCancelled else { return end(result) }
                repeatWithNewToken(insteadOf: used, after: result)
            }
        }
    }

    private func repeatWithNewToken(insteadOf used: String?, after result: Result<Response, WMTError>) {
        // Another call may have made a new one meanwhile; a call that began without a token cannot know.
        if used == nil || used == token {
            WMTLogger.warning("The server does not know the token, which is created again.")
            calls.powerAuth.tokenStore.removeLocalToken(withName: ServiceCalls.tokenName)
        }
        send { [self] again in
            if isTokenRefused(again) { calls.isNewTokenInVain.withLock { $0 = true } }
            // Without an answer to the second request, the server's first answer is the most specific.
            if case .failure(let failure) = again, failure.httpUrlResponse == nil { return end(result) }
            end(again)
        }
    }

    /// Identifier of the token that is stored.
    private var token: String? {
        calls.powerAuth.tokenStore.localToken(withName: ServiceCalls.tokenName)?.tokenIdentifier
    }

    /// - Parameter completion: called on the main queue; not after a cancel.
    private func send(completion: @escaping (Result<Response, WMTError>) -> Void) {
        let endpoint = WPNEndpointSignedWithToken<Request, Response>(
            endpointURLPath: path, tokenName: ServiceCalls.tokenName)
        operation.hold(
            calls.networking.post(data: request, signedWith: .possession(), to: endpoint) {
                [operation] response, error in
                if !operation.isCancelled { completion(ServiceCalls.result(response, error)) }
            })
    }

    private func end(_ result: Result<Response, WMTError>) {
        if isTokenAccepted(result) { calls.isNewTokenInVain.withLock { $0 = false } }
        operation.finish { completion(result) }
    }

    /// Any answer of the server except "token unknown" means that it accepted the token.
    private func isTokenAccepted(_ result: Result<Response, WMTError>) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): error.httpUrlResponse != nil && !isTokenRefused(result)
        }
    }

    private func isTokenRefused(_ result: Result<Response, WMTError>) -> Bool {
        guard case .failure(let error) = result, error.httpUrlResponse?.statusCode == 401,
            let code = error.restApiError?.errorCode
        else { return false }
        return [.authenticationFailure, .authenticationError].contains(code)
    }
}

/// The application's handle of a call. It ends after the completion has run, or by a cancel, and then releases the
/// request: the request's completion holds the operation, and with it the call and its service.
///
/// Thread rule: any thread.
final class CallOperation: WPNAsyncOperation, @unchecked Sendable {
    // Safe: the only property is a lock with what it guards.

    private enum Phase {
        case idle
        /// A request is under way.
        case running(Operation)
        case ended
    }

    private let phase = Guarded(Phase.idle)

    /// Does nothing: the creator of the operation starts it and sends the request.
    override func started() {}
    override func canceled() { letGo()?.cancel() }

    /// Remembers a request, unless its completion was called already; gives it up after a cancel.
    func hold(_ request: Operation) {
        let isTooLate = phase.withLock { phase in
            if case .ended = phase { return true }
            // A request has finished when its completion is called, which may have sent the next one.
            if !request.isFinished { phase = .running(request) }
            return false
        }
        if isTooLate, !request.isFinished { request.cancel() }
    }

    /// Runs the completion and ends. After a cancel nothing happens.
    func finish(_ complete: () -> Void) {
        guard !isCancelled else { return }
        complete()
        _ = letGo()
        // The completion may have cancelled it.
        if !isCancelled { markFinished() }
    }

    private func letGo() -> Operation? {
        phase.withLock { phase in
            defer { phase = .ended }
            if case .running(let request) = phase { return request }
            return nil
        }
    }
}

/// State that is not `Sendable`, behind a lock.
final class Guarded<State>: @unchecked Sendable {
    // Safe: the state is reached only inside the lock. Only immutable values leave it, and objects whose documentation
    // states the thread on which they are used.
    private let lock = NSLock()
    private var state: State

    init(_ state: State) { self.state = state }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&state) }
    }
}
