/// What can be authorised or rejected (mobile-token.md, section 5.3).
public protocol WMTOperation {
    /// Identifier of the operation.
    var id: String { get }
    /// The data that are signed.
    var data: String { get }
    /// The proof that the user is near the second channel; nil without one.
    var proximityCheck: WMTProximityCheck? { get }
}

extension WMTOperation {
    /// Nil: an operation has no proof of its own.
    public var proximityCheck: WMTProximityCheck? { nil }
}

/// An operation that the app knows by other means than the list. Thread rule: any thread.
public final class WMTLocalOperation: WMTOperation, Sendable {
    /// Identifier of the operation.
    public let id: String
    /// The data that are signed.
    public let data: String

    /// - Parameters:
    ///   - id: identifier of the operation.
    ///   - data: the data that are signed.
    public init(id: String, data: String) {
        self.id = id
        self.data = data
    }
}
