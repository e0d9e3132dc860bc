// SPDX-License-Identifier: Apache-2.0

public import Dispatch
// An application that imports `Foundation` and the SDKs finds the types of `URLSession` there, as on Apple's platforms;
// on Linux they have a module of their own.
@_exported public import Foundation
@_exported public import FoundationNetworking
public import PowerAuth2
public import PowerAuthCore
public import PowerAuthShared
import SimulatedDevice
import Synchronization

/// Sends signed and encrypted JSON requests for an SDK object (networking.md, section 2.6).
///
/// An application may have as many services as it likes. Signed requests of all that stand on one SDK object, and the
/// object's own, take turns. Thread rule: any thread. A request that needs a token waits for the main queue.
public final class WPNNetworkingService: Sendable {
    private struct Settings: @unchecked Sendable {
        // Safe: reached only inside the mutex below. Encoder and decoder are used from several threads at a time, which
        // they allow while they are not changed; the delegate is called on the main thread.
        var acceptLanguage: String
        var strategy = WPNRequestConcurencyStrategy.serialSigned
        weak var delegate: (any WPNResponseDelegate)?
        var encoder = WPNDateCoding.makeEncoder()
        var decoder = WPNDateCoding.makeDecoder()
    }

    /// Where requests go, and how.
    public let config: WPNConfig
    /// The SDK object that signs and encrypts.
    public let powerAuth: PowerAuthSDK
    private let settings: Mutex<Settings>
    private let queues: RequestQueues

    /// - Parameters:
    ///   - powerAuth: the SDK object that signs and encrypts.
    ///   - config: where requests go, and how.
    ///   - serviceName: a name for debugging.
    ///   - acceptLanguage: the value of the header `Accept-Language`.
    public init(powerAuth: PowerAuthSDK, config: WPNConfig, serviceName: String, acceptLanguage: String = "en") {
        self.powerAuth = powerAuth
        self.config = config
        settings = Mutex(Settings(acceptLanguage: acceptLanguage))
        queues = RequestQueues(client: powerAuth.client, name: serviceName)
    }

    // MARK: Settings

    /// The value of the header `Accept-Language` of requests that are made from now on; `en` by default.
    public var acceptLanguage: String {
        get { settings.withLock { $0.acceptLanguage } }
        set { settings.withLock { $0.acceptLanguage = newValue } }
    }

    /// Which requests that are made from now on wait for each other; the spelling up to version 1.3.
    public var concurencyStrategy: WPNRequestConcurencyStrategy {
        get { settings.withLock { $0.strategy } }
        set { settings.withLock { $0.strategy = newValue } }
    }

    /// Which requests that are made from now on wait for each other; the spelling since version 1.4.
    public var concurrencyStrategy: WPNRequestConcurrencyStrategy {
        get { concurencyStrategy }
        set { concurencyStrategy = newValue }
    }

    /// Sees the answers as they came; held weakly.
    public var responseDelegate: (any WPNResponseDelegate)? {
        get { settings.withLock { UncheckedTransfer($0.delegate) }.value }
        set {
            let delegate = UncheckedTransfer(newValue)
            settings.withLock { $0.delegate = delegate.value }
        }
    }

    /// Writes the requests. Set another one rather than change it while requests are made.
    public var jsonEncoder: JSONEncoder {
        get { settings.withLock { UncheckedTransfer($0.encoder) }.value }
        set {
            let encoder = UncheckedTransfer(newValue)
            settings.withLock { $0.encoder = encoder.value }
        }
    }

    /// Reads the answers. Set another one rather than change it while requests are made.
    public var jsonDecoder: JSONDecoder {
        get { settings.withLock { UncheckedTransfer($0.decoder) }.value }
        set {
            let decoder = UncheckedTransfer(newValue)
            settings.withLock { $0.decoder = decoder.value }
        }
    }

    // MARK: Requests

    /// Sends a request that is not signed.
    /// - Parameters:
    ///   - data: the request, written as JSON before this function returns.
    ///   - endpoint: the endpoint of the request.
    ///   - headers: HTTP headers, which win over those of the library except for `X-PowerAuth-…`.
    ///   - encryptor: encrypts the request; nil leaves that to the endpoint.
    ///   - timeoutInterval: seconds that the exchange may take; nil takes those of the configuration.
    ///   - progressCallback: takes the part of the exchange that is done, from 0 to 1, on a background thread.
    ///   - completionQueue: where the completion is called.
    ///   - completion: takes the answer or an error; called once, also for a request that is cancelled.
    /// - Returns: the request, to be cancelled or waited for; it is started already.
    @discardableResult
    public func post<Req: WPNRequestBase, Resp: WPNResponseBase, Endpoint: WPNEndpointBasic<Req, Resp>>(
        data: Req, to endpoint: Endpoint, with headers: [String: String]? = nil,
        encryptedWith encryptor: PowerAuthCoreEciesEncryptor? = nil, timeoutInterval: TimeInterval? = nil,
        progressCallback: ((Double) -> Void)? = nil, completionQueue: DispatchQueue = .main,
        completion: @escaping Endpoint.Completion
    ) -> Operation {
        post(
            RequestPlan(
                body: encoded(data), path: endpoint.endpointURLPath, authorization: .none,
                encryption: Encryption(endpoint.e2ee, encryptor), headers: headers, timeout: timeoutInterval,
                progress: progressCallback),
            completionQueue, completion)
    }

    /// Sends a signed request.
    ///
    /// It is signed with the factors of `auth`, as they are now; the other parameters are those of
    /// ``post(data:to:with:encryptedWith:timeoutInterval:progressCallback:completionQueue:completion:)``.
    /// - Returns: the request; it has ended already without an activation to sign with.
    @discardableResult
    public func post<Req: WPNRequestBase, Resp: WPNResponseBase, Endpoint: WPNEndpointSigned<Req, Resp>>(
        data: Req, signedWith auth: PowerAuthAuthentication, to endpoint: Endpoint,
        with headers: [String: String]? = nil,
        encryptedWith encryptor: PowerAuthCoreEciesEncryptor? = nil, timeoutInterval: TimeInterval? = nil,
        progressCallback: ((Double) -> Void)? = nil, completionQueue: DispatchQueue = .main,
        completion: @escaping Endpoint.Completion
    ) -> Operation {
        post(
            RequestPlan(
                body: encoded(data), path: endpoint.endpointURLPath,
                authorization: .signature(uriId: endpoint.uriId, auth.copy()),
                encryption: Encryption(endpoint.e2ee, encryptor), headers: headers, timeout: timeoutInterval,
                progress: progressCallback),
            completionQueue, completion)
    }

    /// Sends a request with a token.
    ///
    /// The token is created with the factors of `auth` when the SDK has none of the endpoint's name; the other parameters are
    /// those of ``post(data:to:with:encryptedWith:timeoutInterval:progressCallback:completionQueue:completion:)``.
    @discardableResult
    public func post<Req: WPNRequestBase, Resp: WPNResponseBase, Endpoint: WPNEndpointSignedWithToken<Req, Resp>>(
        data: Req, signedWith auth: PowerAuthAuthentication, to endpoint: Endpoint,
        with headers: [String: String]? = nil,
        encryptedWith encryptor: PowerAuthCoreEciesEncryptor? = nil, timeoutInterval: TimeInterval? = nil,
        progressCallback: ((Double) -> Void)? = nil, completionQueue: DispatchQueue = .main,
        completion: @escaping Endpoint.Completion
    ) -> Operation {
        post(
            RequestPlan(
                body: encoded(data), path: endpoint.endpointURLPath,
                authorization: .token(name: endpoint.tokenName, auth.copy()),
                encryption: Encryption(endpoint.e2ee, encryptor), headers: headers, timeout: timeoutInterval,
                progress: progressCallback),
            completionQueue, completion)
    }

    /// The bytes that are signed and sent; nil for a request that cannot be written.
    private func encoded(_ data: WPNRequestBase) -> Data? {
        do {
            return try jsonEncoder.encode(data)
        } catch {
            WPNLogger.error("The request cannot be written as JSON: \(error)")
            return nil
        }
    }

    /// The common part of the three kinds (networking.md, section 7.3).
    private func post<Response: WPNResponseBase>(
        _ plan: RequestPlan, _ completionQueue: DispatchQueue, _ completion: @escaping (Response?, WPNError?) -> Void
    ) -> Operation {
        let (language, strategy, decoder) = settings.withLock {
            ($0.acceptLanguage, $0.strategy, UncheckedTransfer($0.decoder))
        }
        var headers = HTTPHeaders()
        headers.set("Accept-Language", language)
        if let userAgent = config.userAgent.getValue(on: powerAuth.sandbox) { headers.set("User-Agent", userAgent) }
        headers.merge(plan.headers ?? [:])
        let operation = RequestOperation(
            plan, headers: headers, service: self, decoder: decoder.value, completion: completion)
        operation.completionQueue = completionQueue
        if case .signature = plan.authorization, !powerAuth.hasValidActivation() {
            operation.refuse(MissingActivation())
        } else {
            queues.add(operation, strategy)
        }
        return operation
    }
}

/// Why a signed request has no turn.
private struct MissingActivation: LocalizedError {
    var errorDescription: String? { "Failed to execute signed operation - PowerAuth instance without activation." }
}
