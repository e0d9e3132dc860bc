/// Where a lab may interfere with the server. Every function may block, and may end the process.
///
/// Called on worker threads and on the writing thread. The defaults do nothing.
public struct ServerFaults: Sendable {
    /// Whether any point may act now. Otherwise a request may be answered on an event loop, which must not be blocked,
    /// and passes no point outside of its transaction. Must not block.
    public var areArmed: @Sendable () -> Bool
    /// A request for a path was received completely and nothing was done yet. Throwing answers it with 500.
    public var requestReceived: @Sendable (_ path: String) throws -> Void
    /// A transaction is complete but not committed. Throwing rolls it back.
    public var beforeCommit: @Sendable () throws -> Void
    /// A transaction is committed, its reply not sent yet. Throwing answers with 500.
    public var afterCommit: @Sendable () throws -> Void
    /// The answer to a request for a path is about to be sent. Throwing replaces it by 500.
    public var responseSent: @Sendable (_ path: String) throws -> Void

    /// Creates points that never do anything.
    public init() {
        self.init(areArmed: { false })
    }

    /// Creates the points.
    public init(
        areArmed: @escaping @Sendable () -> Bool = { true },
        requestReceived: @escaping @Sendable (_ path: String) throws -> Void = { _ in },
        beforeCommit: @escaping @Sendable () throws -> Void = {},
        afterCommit: @escaping @Sendable () throws -> Void = {},
        responseSent: @escaping @Sendable (_ path: String) throws -> Void = { _ in }
    ) {
        self.areArmed = areArmed
        self.requestReceived = requestReceived
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
        self.responseSent = responseSent
    }
}
