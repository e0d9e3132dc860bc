public import PowerAuthProtocol

/// An event that the server reports to its observers.
public enum ServerEvent: Sendable {
    /// The server listens; the values are the port and the identifier of the first application.
    case started(port: Int, applicationId: String)
    /// A request has arrived completely.
    case requestReceived(method: String, path: String)
    /// A request was answered.
    case requestAnswered(method: String, path: String, status: Int, milliseconds: Double)
    /// A request was refused; the cause never left the server.
    case requestRefused(path: String, code: String, cause: String)
    /// A fault rule of the lab hit a request; `fault` says what it does.
    case requestFaulted(path: String, fault: String, id: String)
    /// An activation was saved in a new state, or saved again in the same one with a reason.
    case activationChanged(activationId: String, from: ActivationState?, to: ActivationState, reason: String?)
    /// A signature was checked.
    case signatureVerified(activationId: String, type: String, valid: Bool, counter: UInt64, failedAttempts: Int)
    /// A notification was handed over for a device; no outcome without push gateway.
    case pushSent(id: String, activationId: String, type: String?, outcome: PushOutcome?)
    /// The server stops listening.
    case stopped
}

/// Where server events go: a lab's trace, a log, or a test.
///
/// Called from worker threads after the change is committed; must not throw or block for long.
public protocol ServerJournal: Sendable {
    /// Records an event.
    /// - Parameters:
    ///   - event: what happened.
    ///   - operation: the identifier of the lab operation that caused it, from the header `X-Lab-Operation`.
    func record(_ event: ServerEvent, operation: String?)
}

/// The lab operation on whose behalf the current thread works.
enum CurrentOperation {
    @TaskLocal static var id: String?
}
