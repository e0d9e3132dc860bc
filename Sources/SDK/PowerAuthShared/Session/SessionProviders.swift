public import Dispatch

/// What can be asked about an activation without touching it (sdk.md, section 5.21).
///
/// Every call is a complete read task: with activation sharing it takes the lock between processes and
/// sees the newest state.
public protocol PowerAuthSessionStatusProvider: AnyObject {
    /// True when there is no activation and none was started.
    func canStartActivation() -> Bool
    /// True when an activation was started in this process and is not persisted.
    func hasPendingActivation() -> Bool
    /// True when a persisted activation exists.
    func hasValidActivation() -> Bool
    /// True when a protocol upgrade was started and not finished.
    func hasPendingProtocolUpgrade() -> Bool
    /// True when the activation uses an older protocol than the SDK.
    func hasProtocolUpgradeAvailable() -> Bool
    /// Identifier of the activation, or nil. Not nil already while pending, once the server has answered.
    var activationIdentifier: String? { get }
}

/// Locked access to the low-level session (sdk.md, section 5.21).
///
/// Tasks run synchronously on the calling thread and may be nested on it. The state is stored when the
/// outermost task ends, provided that one of the nested tasks was a write task and the bytes changed.
/// When the stored state cannot be reached or written, a task gives nil or false.
public protocol PowerAuthCoreSessionProvider: PowerAuthSessionStatusProvider {
    /// Empties the session, as a write task.
    func resetSession()
    /// Runs `body` with the session for reading; its result, or nil when the state is out of reach.
    @discardableResult
    func readTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T?
    /// Runs `body` with the session for writing; its result, or nil when the state could not be stored.
    @discardableResult
    func writeTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T?
    /// As ``readTask(session:)`` with a Boolean result; false when the state is out of reach.
    @discardableResult
    func readBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool
    /// As ``writeTask(session:)`` with a Boolean result; false when the state could not be stored.
    @discardableResult
    func writeBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool
    /// As ``readTask(session:)`` without a result.
    func readVoidTask(session body: (PowerAuthCoreSession) -> Void)
    /// As ``writeTask(session:)`` without a result.
    func writeVoidTask(session body: (PowerAuthCoreSession) -> Void)
    /// Runs `block` outside of any task: at once when the calling thread is in none, otherwise on `queue` once the task
    /// is over.
    func executeOutside(ofTask block: @escaping () -> Void, queue: DispatchQueue)
}
