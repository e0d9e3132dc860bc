/// A named place in the code where a fault can be injected.
///
/// The list is closed: scenarios and `lab faults` offer exactly the points below.
public struct FaultPoint: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, e.g. `keychain.write`.
    public let rawValue: String
    /// When the point is passed, as a sentence.
    public let summary: String
    /// The kinds of process that pass the point.
    public let owners: [Owner]
    /// The actions that have an effect at the point.
    public let actions: [FaultActionWord]
    /// What each pass of the point is about, so that a rule can be for some passes only; nil when they do not differ.
    public let subject: Subject?

    /// What passes of a point can be about.
    public enum Subject: String, CaseIterable, Sendable {
        /// An item of the keychain, `service/account`; the service alone where a call is about all of its items.
        case item
        /// The path of a request, as the trace shows it.
        case endpoint
    }

    /// A kind of process that passes fault points.
    public enum Owner: String, Sendable {
        /// An app, an extension or a watch app.
        case app
        /// The agent of a simulated device.
        case device
        /// The PowerAuth server.
        case server
    }

    private init(
        _ name: String, _ summary: String, of owners: [Owner], actions: [FaultActionWord] = .all,
        about subject: Subject? = nil
    ) {
        rawValue = name
        self.subject = subject
        self.summary = summary
        self.owners = owners
        self.actions = actions
    }

    /// The point with a name; nil if unknown.
    public init?(rawValue: String) {
        guard let point = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = point
    }

    public var description: String { rawValue }

    public static func == (left: FaultPoint, right: FaultPoint) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension [FaultActionWord] {
    fileprivate static let all = FaultActionWord.allCases
    /// For points whose caller takes no error, so that a failure could not be reported.
    fileprivate static let withoutFailure: [FaultActionWord] = [.kill, .delay]
}

extension FaultPoint {
    /// Before an item of the keychain is read.
    public static let keychainRead = FaultPoint(
        "keychain.read", "Before an item of the keychain is read.", of: [.app], about: .item)
    /// Before an item of the keychain is added or changed.
    public static let keychainWrite = FaultPoint(
        "keychain.write", "Before an item of the keychain is added or changed.", of: [.app], about: .item)
    /// Before an item of the keychain is deleted.
    public static let keychainDelete = FaultPoint(
        "keychain.delete", "Before an item of the keychain is deleted.", of: [.app], about: .item)
    /// Before the session's state is saved.
    public static let stateSave = FaultPoint("state.save", "Before the session's state is saved.", of: [.app])
    /// After the session's state was saved.
    public static let stateSaved = FaultPoint("state.saved", "After the session's state was saved.", of: [.app])
    /// Before the change counter of a shared session is raised.
    public static let counterBumped = FaultPoint(
        "counter.bumped", "Before the change counter of a shared session is raised.", of: [.app])
    /// After the token counter of a shared session was raised, before a token changes.
    public static let tokenCounterBumped = FaultPoint(
        "tokenCounter.bumped",
        "After the token counter of a shared session was raised, before a token changes.",
        of: [.app], actions: .withoutFailure)
    /// After the lock for one task of a shared session was taken.
    public static let statusLockTaken = FaultPoint(
        "statusLock.taken", "After the lock for one task of a shared session was taken.", of: [.app],
        actions: .withoutFailure)
    /// After the lock for one task of a shared session was released.
    public static let statusLockReleased = FaultPoint(
        "statusLock.released", "After the lock for one task of a shared session was released.", of: [.app],
        actions: .withoutFailure)
    /// Before the lock for one signed request is asked for.
    public static let queueLockTake = FaultPoint(
        "queueLock.take", "Before the lock for one signed request is asked for.", of: [.app])
    /// After the lock for one signed request was taken.
    public static let queueLockTaken = FaultPoint(
        "queueLock.taken", "After the lock for one signed request was taken.", of: [.app], actions: .withoutFailure)
    /// After the lock for one signed request was released.
    public static let queueLockReleased = FaultPoint(
        "queueLock.released", "After the lock for one signed request was released.", of: [.app],
        actions: .withoutFailure)
    /// After the lock for an operation that excludes other apps was taken, before the operation is announced.
    public static let operationLockTaken = FaultPoint(
        "operationLock.taken",
        "After the lock for an operation that excludes other apps was taken, before the operation is announced.",
        of: [.app], actions: .withoutFailure)
    /// After an operation that excludes other apps was announced.
    public static let operationStarted = FaultPoint(
        "operation.started", "After an operation that excludes other apps was announced.", of: [.app],
        actions: .withoutFailure)
    /// After the announcement of an operation was cleared, before its lock is released.
    public static let operationCleared = FaultPoint(
        "operation.cleared",
        "After the announcement of an operation was cleared, before its lock is released.",
        of: [.app], actions: .withoutFailure)
    /// After the lock for an operation that excludes other apps was released.
    public static let operationLockReleased = FaultPoint(
        "operationLock.released", "After the lock for an operation that excludes other apps was released.", of: [.app],
        actions: .withoutFailure)
    /// After the name of new shared memory was made, before the memory has a size.
    public static let memoryCreated = FaultPoint(
        "memory.created", "After the name of new shared memory was made, before the memory has a size.", of: [.app],
        actions: .withoutFailure)
    /// After new shared memory was given its size, before it has content.
    public static let memorySized = FaultPoint(
        "memory.sized", "After new shared memory was given its size, before it has content.", of: [.app],
        actions: .withoutFailure)
    /// After shared memory was given its first content.
    public static let memoryInitialised = FaultPoint(
        "memory.initialised", "After shared memory was given its first content.", of: [.app], actions: .withoutFailure)
    /// After the name of the shared memory was recorded beside the lock files.
    public static let memoryNameRecorded = FaultPoint(
        "memory.nameRecorded", "After the name of the shared memory was recorded beside the lock files.", of: [.app],
        actions: .withoutFailure)
    /// Before a new installation deletes what an earlier one left in the keychain.
    public static let wipeBegun = FaultPoint(
        "wipe.begun", "Before a new installation deletes what an earlier one left in the keychain.", of: [.app],
        actions: .withoutFailure)
    /// After a new installation has deleted what an earlier one left, before its flag is written.
    public static let wipeDone = FaultPoint(
        "wipe.done",
        "After a new installation has deleted what an earlier one left, before its flag is written.",
        of: [.app], actions: .withoutFailure)
    /// After the flag of a new installation was written.
    public static let wipeFlagWritten = FaultPoint(
        "wipe.flagWritten", "After the flag of a new installation was written.", of: [.app], actions: .withoutFailure)
    /// After the key of a new biometry factor was kept beside the one in force, before the state with the factor is saved.
    public static let biometryKeyKept = FaultPoint(
        "biometry.keyKept",
        "After the key of a new biometry factor was kept beside the one in force, before the state with the factor is saved.",
        of: [.app], actions: .withoutFailure)
    /// After the key of a replaced biometry factor was deleted, before the new one is in its place.
    public static let biometryKeyDropped = FaultPoint(
        "biometry.keyDropped",
        "After the key of a replaced biometry factor was deleted, before the new one is in its place.", of: [.app],
        actions: .withoutFailure)
    /// After the key of a new biometry factor was put in its place, before the one beside is deleted.
    public static let biometryKeyInPlace = FaultPoint(
        "biometry.keyInPlace",
        "After the key of a new biometry factor was put in its place, before the one beside is deleted.", of: [.app],
        actions: .withoutFailure)
    /// After the saved state has lost its biometry factor, before the key is deleted.
    public static let biometryFactorRemoved = FaultPoint(
        "biometry.factorRemoved", "After the saved state has lost its biometry factor, before the key is deleted.",
        of: [.app], actions: .withoutFailure)
    /// Before an HTTP request is handed to the network.
    public static let httpRequestSent = FaultPoint(
        "http.requestSent", "Before an HTTP request is handed to the network.", of: [.app], about: .endpoint)
    /// After an HTTP response arrived, before it is processed.
    public static let httpResponseReceived = FaultPoint(
        "http.responseReceived", "After an HTTP response arrived, before it is processed.", of: [.app], about: .endpoint
    )
    /// Before a device stores what has changed in the queues of its watch link.
    public static let linkStore = FaultPoint(
        "link.store", "Before a device stores what has changed in the queues of its watch link.", of: [.device])
    /// After a watch message of an app was accepted; the agent passes it, then the app.
    public static let linkAccepted = FaultPoint(
        "link.accepted", "After a watch message of an app was accepted; the agent passes it, then the app.",
        of: [.device, .app], actions: .withoutFailure)
    /// After a device agent has sent a watch message to the other device.
    public static let linkSent = FaultPoint(
        "link.sent", "After a device agent has sent a watch message to the other device.", of: [.device],
        actions: .withoutFailure)
    /// After a watch message was handed to the receiving app; the agent passes it, then the app.
    public static let linkDelivered = FaultPoint(
        "link.delivered", "After a watch message was handed to the receiving app; the agent passes it, then the app.",
        of: [.device, .app], actions: .withoutFailure)
    /// Before a watch message is acknowledged by the receiving app, and by its agent.
    public static let linkAcknowledged = FaultPoint(
        "link.acknowledged", "Before a watch message is acknowledged by the receiving app, and by its agent.",
        of: [.device, .app], actions: .withoutFailure)
    /// After the server has received a request.
    public static let serverRequestReceived = FaultPoint(
        "server.requestReceived", "After the server has received a request.", of: [.server], about: .endpoint)
    /// Before the server commits a transaction.
    public static let serverBeforeCommit = FaultPoint(
        "server.beforeCommit", "Before the server commits a transaction.", of: [.server])
    /// After the server has committed a transaction.
    public static let serverAfterCommit = FaultPoint(
        "server.afterCommit", "After the server has committed a transaction.", of: [.server])
    /// Before the server sends a response.
    public static let serverResponseSent = FaultPoint(
        "server.responseSent", "Before the server sends a response.", of: [.server], about: .endpoint)

    /// All points, in the order of the listings.
    public static let all: [FaultPoint] = [
        keychainRead, keychainWrite, keychainDelete, stateSave, stateSaved, counterBumped, tokenCounterBumped,
        statusLockTaken, statusLockReleased, queueLockTake, queueLockTaken, queueLockReleased, operationLockTaken,
        operationStarted, operationCleared, operationLockReleased, memoryCreated, memorySized, memoryInitialised,
        memoryNameRecorded, wipeBegun, wipeDone, wipeFlagWritten, biometryKeyKept, biometryKeyDropped,
        biometryKeyInPlace, biometryFactorRemoved, httpRequestSent, httpResponseReceived, linkStore, linkAccepted,
        linkSent,
        linkDelivered, linkAcknowledged, serverRequestReceived, serverBeforeCommit, serverAfterCommit,
        serverResponseSent,
    ]
}
