// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PowerAuth2
public import WultraPowerAuthNetworking

/// Is notified of changes of the operations. Called on the main queue.
public protocol WMTOperationsDelegate: AnyObject {
    /// The list has come, or an operation was claimed or decided about.
    /// - Parameters:
    ///   - operations: all that wait for the user, in the server's order.
    ///   - removed: those that no longer do.
    ///   - added: those that did not before.
    func operationsChanged(operations: [WMTUserOperation], removed: [WMTUserOperation], added: [WMTUserOperation])
    /// The list did not come.
    func operationsFailed(error: WMTError)
    /// The list is being loaded, or no longer.
    func operationsLoading(loading: Bool)
}

/// How a service polls.
public struct WMTOperationsPollingOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: Int

    /// - Parameter rawValue: the options' bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Polling waits while the app does not have the user's attention.
    public static let pauseWhenOnBackground = WMTOperationsPollingOptions(rawValue: 1 << 0)
}

/// A list of operations, or the reason why it was not loaded.
public typealias GetOperationsResult = Result<[WMTUserOperation], WMTError>
/// Takes a list of operations. Called on the main queue.
public typealias GetOperationsCompletion = (GetOperationsResult) -> Void

/// Operations that wait for their user's approval (mobile-token.md, sections 5.2 and 6).
///
/// Thread rule: any thread. Completions and the delegate run on the main queue. A call that returns nil reports
/// `missingActivation` later on. A cancelled call is not completed.
public protocol WMTOperations: AnyObject {
    /// Is notified of changes of the operations; held weakly.
    var delegate: (any WMTOperationsDelegate)? { get set }
    /// Where the service sends its requests, as the factory of version 1.0 was given it.
    var config: WMTConfig { get }
    /// How the service polls.
    var pollingOptions: WMTOperationsPollingOptions { get }
    /// The user's languages as in the header `Accept-Language`; the texts of operations depend on it.
    var acceptLanguage: String { get set }
    /// What the last load of the list gave; nil before the first.
    var lastFetchResult: GetOperationsResult? { get }
    /// Whether the list is being loaded; still true while the completions are called.
    var isLoadingOperations: Bool { get }

    /// Loads the list, unless it is being loaded; the delegate is notified.
    func refreshOperations()
    /// Loads the list, or joins a load in progress. Operations that cannot be read are left out.
    @discardableResult
    func getOperations(completion: @escaping GetOperationsCompletion) -> any WMTCancellable

    /// Gives operations of every status, newest first. The server requires two factors.
    @discardableResult
    func getHistory(
        authentication: PowerAuthAuthentication, completion: @escaping (Result<[WMTUserOperation], WMTError>) -> Void
    ) -> Operation?

    /// Gives one operation.
    @discardableResult
    func getDetail(
        operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void
    ) -> Operation?

    /// Makes an operation without a user one of this user.
    @discardableResult
    func claim(operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void) -> Operation?

    /// Approves an operation. A wrong password is the reason `network_generic` with the server's code
    /// `authenticationFailure`.
    @discardableResult
    func authorize(
        operation: any WMTOperation, with authentication: PowerAuthAuthentication,
        completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation?

    /// Computes the code with which the user approves an operation from a QR code. A wrong password gives a wrong code.
    /// - Parameters:
    ///   - qrOperation: the operation; its signature must have been verified.
    ///   - uriId: identifier that enters the signature.
    ///   - authentication: two factors.
    ///   - completion: takes the code, or `operations_QROperationFailed`.
    @discardableResult
    func authorize(
        qrOperation: WMTQROperation, uriId: String, authentication: PowerAuthAuthentication,
        completion: @escaping (Result<String, WMTError>) -> Void
    ) -> Operation

    /// Rejects an operation.
    @discardableResult
    func reject(
        operation: any WMTOperation, with reason: WMTRejectionReason,
        completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation?

    /// Whether the list is loaded again and again; also true while that is paused.
    var isPollingOperations: Bool { get }

    /// Loads the list again and again. Without effect while that is done already.
    /// - Parameters:
    ///   - interval: seconds between two loads; 5 at least.
    ///   - delayStart: whether the first load waits for the interval too.
    func startPollingOperations(interval: TimeInterval, delayStart: Bool)
    /// Ends what ``startPollingOperations(interval:delayStart:)`` began.
    func stopPollingOperations()
}

extension WMTOperations {
    /// Loads the list at once and then every 7 seconds.
    public func startPollingOperations() { startPollingOperations(interval: 7, delayStart: false) }

    /// Computes the code with which the user approves an operation from a QR code, with the usual identifier.
    @discardableResult
    public func authorize(
        qrOperation: WMTQROperation, authentication: PowerAuthAuthentication,
        completion: @escaping (Result<String, WMTError>) -> Void
    ) -> Operation {
        authorize(
            qrOperation: qrOperation, uriId: OperationEndpoint.offlineId, authentication: authentication,
            completion: completion)
    }
}

extension GetOperationsResult {
    /// The operations; none after a failure.
    public var operations: [WMTUserOperation] { (try? get()) ?? [] }
}
