/// A named place in the code where a fault can be injected.
///
/// The list is closed: scenarios and `lab faults` offer exactly the points below.
public struct FaultPoint: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, e.g. `keychain.write`.
    public let rawValue: String
    /// When the point is passed, as a sentence.
    public let summary: String

    private init(_ name: String, _ summary: String) {
        rawValue = name
        self.summary = summary
    }

    /// The point with a name; nil when there is none.
    public init?(rawValue: String) {
        guard let point = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = point
    }

    public var description: String { rawValue }

    public static func == (left: FaultPoint, right: FaultPoint) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension FaultPoint {
    /// Before an item of the keychain is read.
    public static let keychainRead = FaultPoint("keychain.read", "Before an item of the keychain is read.")
    /// Before an item of the keychain is added or changed.
    public static let keychainWrite = FaultPoint(
        "keychain.write", "Before an item of the keychain is added or changed.")
    /// Before an item of the keychain is deleted.
    public static let keychainDelete = FaultPoint("keychain.delete", "Before an item of the keychain is deleted.")
    /// Before the session's state is saved.
    public static let stateSave = FaultPoint("state.save", "Before the session's state is saved.")
    /// After the session's state was saved.
    public static let stateSaved = FaultPoint("state.saved", "After the session's state was saved.")
    /// Before the change counter of a shared session is raised.
    public static let counterBump = FaultPoint(
        "counter.bump", "Before the change counter of a shared session is raised.")
    /// After a lock of a shared session was taken.
    public static let lockTaken = FaultPoint("lock.taken", "After a lock of a shared session was taken.")
    /// After a lock of a shared session was released.
    public static let lockReleased = FaultPoint("lock.released", "After a lock of a shared session was released.")
    /// After an operation that excludes other apps has begun.
    public static let operationStarted = FaultPoint(
        "operation.started", "After an operation that excludes other apps has begun.")
    /// Before an HTTP request is handed to the network.
    public static let httpRequestSent = FaultPoint(
        "http.requestSent", "Before an HTTP request is handed to the network.")
    /// After an HTTP response arrived, before it is processed.
    public static let httpResponseReceived = FaultPoint(
        "http.responseReceived", "After an HTTP response arrived, before it is processed.")
    /// After a device agent has accepted a watch message from an app.
    public static let linkAccepted = FaultPoint(
        "link.accepted", "After a device agent has accepted a watch message from an app.")
    /// After a device agent has sent a watch message to the other device.
    public static let linkSent = FaultPoint(
        "link.sent", "After a device agent has sent a watch message to the other device.")
    /// After a device agent has handed a watch message to the receiving app.
    public static let linkDelivered = FaultPoint(
        "link.delivered", "After a device agent has handed a watch message to the receiving app.")
    /// Before a device agent acknowledges a watch message.
    public static let linkAcknowledged = FaultPoint(
        "link.acknowledged", "Before a device agent acknowledges a watch message.")
    /// After the server has received a request.
    public static let serverRequestReceived = FaultPoint(
        "server.requestReceived", "After the server has received a request.")
    /// Before the server commits a transaction.
    public static let serverBeforeCommit = FaultPoint(
        "server.beforeCommit", "Before the server commits a transaction.")
    /// After the server has committed a transaction.
    public static let serverAfterCommit = FaultPoint(
        "server.afterCommit", "After the server has committed a transaction.")
    /// Before the server sends a response.
    public static let serverResponseSent = FaultPoint("server.responseSent", "Before the server sends a response.")

    /// All points, in the order of the listings.
    public static let all: [FaultPoint] = [
        keychainRead, keychainWrite, keychainDelete, stateSave, stateSaved, counterBump, lockTaken, lockReleased,
        operationStarted, httpRequestSent, httpResponseReceived, linkAccepted, linkSent, linkDelivered,
        linkAcknowledged, serverRequestReceived, serverBeforeCommit, serverAfterCommit, serverResponseSent,
    ]
}
