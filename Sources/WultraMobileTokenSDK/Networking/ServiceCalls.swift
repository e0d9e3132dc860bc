import Foundation
import PowerAuth2
import PowerAuthShared
import SimulatedDevice
import WultraPowerAuthNetworking

/// How the services call the server (mobile-token.md, sections 2.4, 2.5 and 6.5).
///
/// Thread rule: any thread. Completions run on the main queue, before the operation has finished. Those of a cancelled
/// operation do not run.
final class ServiceCalls: Sendable {
    /// One token serves all services of an activation.
    static let tokenName = "possession_universal"

    let networking: WPNNetworkingService
    private let queue = OperationQueue()
    var powerAuth: PowerAuthSDK { networking.powerAuth }
    var sandbox: Sandbox { powerAuth.sandbox }

    init(_ networking: WPNNetworkingService) {
        self.networking = networking
    }

    /// Calls an endpoint that takes the token.
    ///
    /// - Returns: nil, with the error `missingActivation` later on, without an activation.
    func call<Request: WPNRequestBase, Response: WPNResponseBase>(
        _ path: String, _ request: Request, completion: @escaping (Result<Response, WMTError>) -> Void
    ) -> Operation? {
        guard isActivated(completion) else { return nil }
        let call = TokenCall(self, path, request, completion)
        let operation = WPNAsyncBlockOperation({ call.cancel() }) { operation, finish in
            call.run(operation) { finish(nil) }
        }
        queue.addOperation(operation)
        return operation
    }

    /// Calls an endpoint with a signed request.
    ///
    /// - Returns: nil, with the error `missingActivation` later on, without an activation.
    func call<Request: WPNRequestBase, Response: WPNResponseBase>(
        _ path: String, uriId: String, _ request: Request, signedWith authentication: PowerAuthAuthentication,
        completion: @escaping (Result<Response, WMTError>) -> Void
    ) -> Operation? {
        guard isActivated(completion) else { return nil }
        let endpoint = WPNEndpointSigned<Request, Response>(endpointURLPath: path, uriId: uriId)
        return networking.post(data: request, signedWith: authentication, to: endpoint) { response, error in
            // Of a cancelled call the application hears nothing.
            if error?.reason != .canceled { completion(Self.result(response, error)) }
        }
    }

    /// Does something that is no request, such as computing a code.
    func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws(WMTError) -> Value,
        completion: @escaping (Result<Value, WMTError>) -> Void
    ) -> Operation {
        let completion = Callback(completion)
        let operation = WPNAsyncBlockOperation { operation, finish in
            let (result, finish) = (Result(catching: body), Transferred(finish))
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

    private func isActivated<Value>(_ completion: @escaping (Result<Value, WMTError>) -> Void) -> Bool {
        if powerAuth.hasValidActivation() { return true }
        fail(.missingActivation, completion)
        return false
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
/// Thread rule: any thread.
private final class TokenCall<Request: WPNRequestBase, Response: WPNResponseBase>: @unchecked Sendable {
    // Safe: nobody changes the request; the rest is locked, or called on the main queue only.
    private let calls: ServiceCalls
    private let path: String
    private let request: Request
    private let completion: (Result<Response, WMTError>) -> Void
    private let inner = Guarded<Operation?>(nil)

    init(
        _ calls: ServiceCalls, _ path: String, _ request: Request,
        _ completion: @escaping (Result<Response, WMTError>) -> Void
    ) {
        self.calls = calls
        self.path = path
        self.request = request
        self.completion = completion
    }

    /// - Parameters:
    ///   - operation: what the application holds.
    ///   - finish: called on the main queue after the completion.
    func run(_ operation: Operation, finish: @escaping () -> Void) {
        let end = { (result: Result<Response, WMTError>) in
            guard !operation.isCancelled else { return }
            self.completion(result)
            finish()
        }
        send(operation) { result in
            guard case .failure(let error) = result, self.isRefusedToken(error), !operation.isCancelled else {
                return end(result)
            }
            WMTLogger.warning("The server does not know the token, which is made anew.")
            self.calls.powerAuth.tokenStore.removeLocalToken(withName: ServiceCalls.tokenName)
            self.send(operation) { again in
                // Without an answer to the second request, the server's first one says most.
                if case .failure(let failure) = again, failure.httpUrlResponse == nil { return end(result) }
                end(again)
            }
        }
    }

    /// Gives up the request that is under way.
    func cancel() { inner.withLock { $0 }?.cancel() }

    private func send(_ operation: Operation, completion: @escaping (Result<Response, WMTError>) -> Void) {
        let endpoint = WPNEndpointSignedWithToken<Request, Response>(
            endpointURLPath: path, tokenName: ServiceCalls.tokenName)
        let request = calls.networking.post(data: request, signedWith: .possession(), to: endpoint) { response, error in
            completion(ServiceCalls.result(response, error))
        }
        inner.withLock { $0 = request }
        if operation.isCancelled { request.cancel() }
    }

    private func isRefusedToken(_ error: WMTError) -> Bool {
        error.httpUrlResponse?.statusCode == 401 && !calls.sandbox.keeps(.lostTokenStays)
    }
}
