/// What can happen in a process of the lab, as traces name it.
///
/// The list is closed: a scenario that waits for an event can only name one of these.
public struct TraceEventName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, e.g. `state.saved`.
    public let rawValue: String

    private init(_ name: String) { rawValue = name }

    /// The event with a name; nil when there is none.
    public init?(rawValue: String) {
        guard Self.all.contains(where: { $0.rawValue == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

extension TraceEventName {
    /// A process began, `pid`, `executable`.
    public static let processStarted = TraceEventName("process.started")
    /// A process is ready for commands.
    public static let processReady = TraceEventName("process.ready")
    /// A process ends by itself, or its agent saw it end, `status`.
    public static let processEnded = TraceEventName("process.ended")
    /// The agent stopped a process.
    public static let processSuspended = TraceEventName("process.suspended")
    /// The agent let a stopped process go on.
    public static let processResumed = TraceEventName("process.resumed")
    /// A command of the control channel began, `command`.
    public static let commandStarted = TraceEventName("command.started")
    /// A command of the control channel ended, `command`, `error` when it failed.
    public static let commandFinished = TraceEventName("command.finished")
    /// An armed fault takes effect, `point`, `action`, `pass`, `fired`.
    public static let faultFired = TraceEventName("fault.fired")
    /// The owner locked the device, which closes what its protection covers.
    public static let deviceLocked = TraceEventName("device.locked")
    /// The owner unlocked the device.
    public static let deviceUnlocked = TraceEventName("device.unlocked")
    /// A configuration was refused, `cause`.
    public static let configurationRejected = TraceEventName("configuration.rejected")
    /// The session's state was read from the keychain.
    public static let stateLoaded = TraceEventName("state.loaded")
    /// The session's state was written to the keychain.
    public static let stateSaved = TraceEventName("state.saved")
    /// The session's state was removed.
    public static let stateRemoved = TraceEventName("state.removed")
    /// The change counter of a shared session was raised, `counter`.
    public static let counterBumped = TraceEventName("counter.bumped")
    /// A hash-based counter was used for a signature, `counter`.
    public static let counterUsed = TraceEventName("counter.used")
    /// A lock of a shared session is being waited for, `lock`.
    public static let lockRequested = TraceEventName("lock.requested")
    /// A lock of a shared session was taken, `lock`.
    public static let lockTaken = TraceEventName("lock.taken")
    /// A lock of a shared session was released, `lock`.
    public static let lockReleased = TraceEventName("lock.released")
    /// An operation that excludes other apps began, `type`.
    public static let operationStarted = TraceEventName("operation.started")
    /// An operation that excludes other apps ended, `type`.
    public static let operationFinished = TraceEventName("operation.finished")
    /// Shared memory was made, `name`.
    public static let memoryCreated = TraceEventName("memory.created")
    /// Shared memory was opened, `name`.
    public static let memoryOpened = TraceEventName("memory.opened")
    /// What a dead process left in shared memory was put right, `name`, `cause`.
    public static let memoryRepaired = TraceEventName("memory.repaired")
    /// A keychain item was written, `service`, `account`.
    public static let keychainWritten = TraceEventName("keychain.written")
    /// A keychain item was deleted, `service`, `account`.
    public static let keychainDeleted = TraceEventName("keychain.deleted")
    /// A keychain item failed its checksum, `service`, `account`.
    public static let keychainCorrupted = TraceEventName("keychain.corrupted")
    /// A dialog asks the owner of the device for a finger, a face or the passcode, `reason`, `allowsPasscode`.
    public static let biometryPrompted = TraceEventName("biometry.prompted")
    /// The dialog has ended, `outcome`.
    public static let biometryAnswered = TraceEventName("biometry.answered")
    /// A token was stored, `name`.
    public static let tokenStored = TraceEventName("token.stored")
    /// A token was removed, `name`.
    public static let tokenRemoved = TraceEventName("token.removed")
    /// An HTTP request is sent, `method`, `path`.
    public static let httpRequest = TraceEventName("http.request")
    /// An HTTP response arrived, `status`.
    public static let httpResponse = TraceEventName("http.response")
    /// An HTTP exchange failed, `error`.
    public static let httpFailed = TraceEventName("http.failed")
    /// The server received a request, `method`, `path`.
    public static let serverRequest = TraceEventName("server.request")
    /// The server answered a request, `method`, `path`, `status`, `milliseconds`.
    public static let serverResponse = TraceEventName("server.response")
    /// The server refused a request; the answer hides the cause, `path`, `code`, `cause`.
    public static let serverRefused = TraceEventName("server.refused")
    /// A fault of the network hit a request, `path`, `fault`, `id`.
    public static let serverFaulted = TraceEventName("server.faulted")
    /// The server saved a changed activation, `activationId`, `from`, `to`, `reason`.
    public static let serverActivation = TraceEventName("server.activation")
    /// The server checked a signature, `activationId`, `type`, `valid`, `counter`, `failedAttempts`.
    public static let serverSignature = TraceEventName("server.signature")
    /// Two devices can reach each other, `link`.
    public static let linkUp = TraceEventName("link.up")
    /// Two devices cannot reach each other any more, `link`.
    public static let linkDown = TraceEventName("link.down")
    /// An agent accepted a watch message from an app, `id`, `kind`.
    public static let linkAccepted = TraceEventName("link.accepted")
    /// An agent sent a watch message to the other device, `id`, `kind`.
    public static let linkSent = TraceEventName("link.sent")
    /// A watch message arrived in the receiver's inbox, `id`, `seq`.
    public static let linkReceived = TraceEventName("link.received")
    /// A watch message was handed to the app, `id`.
    public static let linkDelivered = TraceEventName("link.delivered")
    /// A watch message was handed to the app a second time, because the app died while handling it, `id`.
    public static let linkRedelivered = TraceEventName("link.redelivered")
    /// A watch message was acknowledged, `id`, `seq`.
    public static let linkAcknowledged = TraceEventName("link.acknowledged")
    /// A watch message failed, `id`, `code`.
    public static let linkFailed = TraceEventName("link.failed")
    /// A watch session was activated, or what it shows of the counterpart changed, `paired`, `installed`,
    /// `reachable`.
    public static let sessionState = TraceEventName("session.state")
    /// The lab's clock was changed, `offset` (milliseconds), `frozen`. The runner writes it in the name of `clock`.
    public static let clockChanged = TraceEventName("clock.changed")
    /// A message of an SDK's log, `level`, `message`.
    public static let log = TraceEventName("log")

    /// All events.
    public static let all: [TraceEventName] = [
        processStarted, processReady, processEnded, processSuspended, processResumed, commandStarted, commandFinished,
        faultFired, deviceLocked, deviceUnlocked, configurationRejected, stateLoaded, stateSaved, stateRemoved, counterBumped, counterUsed,
        lockRequested, lockTaken, lockReleased, operationStarted, operationFinished, memoryCreated, memoryOpened,
        memoryRepaired, keychainWritten, keychainDeleted, keychainCorrupted, biometryPrompted, biometryAnswered,
        tokenStored, tokenRemoved, httpRequest, httpResponse, httpFailed, serverRequest, serverResponse, serverRefused,
        serverFaulted, serverActivation, serverSignature, linkUp, linkDown, linkAccepted, linkSent,
        linkReceived, linkDelivered, linkRedelivered, linkAcknowledged, linkFailed, sessionState, clockChanged, log,
    ]
}
