// SPDX-License-Identifier: Apache-2.0

import PowerAuthShared
import Synchronization
public import WultraPowerAuthNetworking

/// The error of every call of the SDK (mobile-token.md, section 14).
public typealias WMTError = WPNError
/// Why an error happened.
public typealias WMTErrorReason = WPNErrorReason
/// Why the server refused a request, in its own words.
public typealias RestApiError = WPNRestApiError
/// The codes that the vendor's servers are known to send.
public typealias KnownRestApiError = WPNKnownRestApiError

extension WPNErrorReason {
    // MARK: Operations

    /// The activation cannot decide about the operation.
    public static let operations_invalidActivation = WPNErrorReason(rawValue: "operations_invalidActivation")
    /// The operation has failed already.
    public static let operations_alreadyFailed = WPNErrorReason(rawValue: "operations_alreadyFailed")
    /// The operation was approved already.
    public static let operations_alreadyFinished = WPNErrorReason(rawValue: "operations_alreadyFinished")
    /// The operation was cancelled already.
    public static let operations_alreadyCanceled = WPNErrorReason(rawValue: "operations_alreadyCanceled")
    /// The operation was rejected already. Never used: the server reports it in other ways.
    public static let operations_alreadyRejected = WPNErrorReason(rawValue: "operations_expired")
    /// The operation expired before it was approved.
    public static let operations_authExpired = WPNErrorReason(rawValue: "operations_authExpired")
    /// The operation expired before it was rejected; also for its detail and for claiming it.
    public static let operations_rejectExpired = WPNErrorReason(rawValue: "operations_rejectExpired")
    /// The operation failed, for example because the factor was wrong too often.
    public static let operations_failed = WPNErrorReason(rawValue: "operations_failed")
    /// The code for a QR code could not be computed.
    public static let operations_QROperationFailed = WPNErrorReason(rawValue: "operations_QRFailed")

    // MARK: Push

    /// A registration for push messages is under way.
    public static let push_alreadyRegistering = WPNErrorReason(rawValue: "push_alreadyRegistering")
}

extension WPNError {
    /// The same error with the reason that fits an operation (mobile-token.md, section 14.4).
    /// - Parameter authorizes: whether the operation was to be approved.
    func aboutOperation(authorizes: Bool) -> WPNError {
        let reason: WPNErrorReason? =
            switch restApiError?.errorCode {
            case .invalidActivation: .operations_invalidActivation
            case .operationAlreadyFailed: .operations_alreadyFailed
            case .operationAlreadyFinished: .operations_alreadyFinished
            case .operationAlreadyCancelled: .operations_alreadyCanceled
            case .operationExpired: authorizes ? .operations_authExpired : .operations_rejectExpired
            case .operationFailed: .operations_failed
            default: nil
            }
        return reason.map { WPNError.wrap($0, self) } ?? self
    }
}

/// A call whose result may no longer be wanted. Thread rule: any thread.
public protocol WMTCancellable: AnyObject {
    /// True after ``cancel()``.
    var isCanceled: Bool { get }

    /// Keeps the completion from being called. A request that was sent continues.
    func cancel()
}

/// A completion that may be cancelled. It is called on the main queue.
final class CancellableCall<Value>: WMTCancellable, Sendable {
    private let canceled = Mutex(false)
    private let completion: Callback<Value>
    private let onCancel: @Sendable () -> Void

    init(_ completion: @escaping (Value) -> Void, onCancel: @escaping @Sendable () -> Void = {}) {
        self.completion = Callback(completion)
        self.onCancel = onCancel
    }

    var isCanceled: Bool { canceled.withLock { $0 } }

    func cancel() {
        let isFirst = canceled.withLock { isCanceled in
            defer { isCanceled = true }
            return !isCanceled
        }
        if isFirst { onCancel() }
    }

    func complete(_ value: Value) {
        if !isCanceled { completion(value) }
    }
}
