/// What can happen in a process of the lab, as traces name it.
///
/// The list is closed: a scenario that waits for an event can only name one of these.
public struct TraceEventName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, e.g. `state.saved`.
    public let rawValue: String
    /// What has happened, as a sentence.
    public let summary: String
    /// The details that the event carries.
    public let fields: [TraceField]

    private init(_ name: String, _ summary: String, _ fields: TraceField...) {
        rawValue = name
        self.summary = summary
        self.fields = fields
    }

    /// The event with a name; nil if unknown.
    public init?(rawValue: String) {
        guard let event = Self.byName[rawValue] else { return nil }
        self = event
    }

    /// Every line of a trace names its event, and a run reads hundreds of thousands of them.
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.rawValue, $0) })

    public var description: String { rawValue }

    /// The type of the event's details, as a `where` sees them.
    public var type: FieldType {
        .object(
            fields.map { field in
                let isOptional = if case .optional = field.type { true } else { false }
                return FieldDeclaration(
                    name: field.name, type: field.type, isRequired: !isOptional, defaultValue: nil, unit: field.unit,
                    limit: nil, meaning: field.meaning)
            })
    }

    public static func == (left: TraceEventName, right: TraceEventName) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

// The sentences of the declarations are their documentation; doc comments would say them a second time.
extension TraceEventName {
    // Processes.
    public static let processStarted = TraceEventName(
        "process.started", "A process began.", .optional(.executable), .optional(.pid))
    public static let processReady = TraceEventName(
        "process.ready", "A process is ready for commands.",
        TraceField("port", .optional(.integer), "TCP port of the server; only the server says it."),
        TraceField("applicationId", .optional(.text), "The server's first application; only the server says it."))
    public static let processEnded = TraceEventName(
        "process.ended", "The server ends by itself or was killed, or an agent saw the process of an app end.",
        .optional(.peer), .optional(.incarnation), .optional(.pid),
        TraceField("reason", .optional(.text), "Why it ended; nothing of a server that ends by itself."),
        TraceField(
            "cause", .optional(TerminationCause.fieldType), "Why the device's system ended it; nothing when it did not."
        ),
        TraceField("status", .optional(.integer), "Exit code of a process that ended by itself."),
        TraceField("signal", .optional(.text), "Name of the signal that ended it, such as `SIGKILL`."))
    public static let processSuspended = TraceEventName(
        "process.suspended", "The agent stopped the process of an app.", .peer, .incarnation, .pid)
    public static let processResumed = TraceEventName(
        "process.resumed", "The agent resumed a stopped process.", .peer, .incarnation, .pid)
    public static let processRefused = TraceEventName(
        "process.refused", "A process said that it plays an app, and the device did not believe it.",
        TraceField("cause", .text, "Which app and process, and why."), .refusalCount)
    public static let commandStarted = TraceEventName(
        "command.started", "A command of the control channel began.", .command)
    public static let commandFinished = TraceEventName(
        "command.finished", "A command of the control channel ended.", .command,
        TraceField("error", .optional(.text), "Name of the error, when it failed."))
    public static let faultFired = TraceEventName(
        "fault.fired", "An armed fault takes effect.",
        TraceField("id", .integer, "Identifier of the fault."),
        TraceField("point", .text, "The fault point; `lab faults` lists them."),
        TraceField("action", .choice(FaultActionWord.allCases.map(\.rawValue)), "What the fault does."),
        TraceField("pass", .integer, "The pass of the point for which the fault was armed, from 1."),
        TraceField("fired", .integer, "How often the fault has fired, this time included."))
    public static let deviceLocked = TraceEventName(
        "device.locked", "The owner locked the device, which closes what its protection covers.")
    public static let diskRefused = TraceEventName(
        "disk.refused", "The storage of a device refused a write of an app, or of the device itself.",
        TraceField(
            "what", .text,
            "What was to be written: `keychain`, `preferences`, `container`; by the device also `queue`, `notifications`, `security`."
        ),
        TraceField("bytes", .optional(.integer), "How much, where it is known.", unit: "bytes"),
        TraceField("error", .text, "Name of the system error, such as `ENOSPC` or `EROFS`."))
    public static let deviceClockSet = TraceEventName(
        "device.clockSet", "The wall clock of a device was set.",
        TraceField("skew", .integer, "How far it is ahead of the lab's clock.", unit: "milliseconds"))
    public static let deviceUnlocked = TraceEventName("device.unlocked", "The owner unlocked the device.")

    // The session of an app.
    public static let configurationRejected = TraceEventName(
        "configuration.rejected", "A configuration of the SDK was refused.",
        TraceField("cause", .text, "The rule that it breaks, in a word."),
        TraceField("message", .text, "The rule in a sentence."),
        TraceField("limit", .optional(.integer), "The longest length that is allowed.", unit: "bytes"),
        TraceField("actual", .optional(.integer), "The length that was given.", unit: "bytes"))
    public static let configurationIncomplete = TraceEventName(
        "configuration.incomplete",
        "A configuration of the SDK was taken, but lacks something that makes answers sure.",
        TraceField(
            "cause", .choice(["userDefaultsSuiteMissing"]),
            "What it lacks: an extension without the suite of its app cannot distinguish an activation from that of an earlier installation."
        ),
        TraceField("message", .text, "What follows, in a sentence."))
    public static let stateLoaded = TraceEventName(
        "state.loaded", "The session's state was read from the keychain.",
        TraceField("activation", .boolean, "Whether there is an activation."), .optional(.activationId),
        .optional(.changeCounter))
    public static let stateSaved = TraceEventName(
        "state.saved", "The session's state was written to the keychain.",
        TraceField("bytes", .integer, "Length of the state.", unit: "bytes"), .optional(.activationId),
        .optional(.changeCounter))
    public static let stateRemoved = TraceEventName("state.removed", "The session's state was removed.")
    public static let counterBumped = TraceEventName(
        "counter.bumped", "The change counter of a shared session was raised.", .changeCounter)
    public static let counterUsed = TraceEventName(
        "counter.used", "A hash-based counter was used for a signature.",
        TraceField("counter", .text, "Identifies the value without revealing it."), .activationId,
        TraceField("factor", .text, "The factors of the signature, such as `possession_knowledge`."))
    public static let lockRequested = TraceEventName(
        "lock.requested", "A lock of a shared session is being waited for.", .lock)
    public static let lockTaken = TraceEventName("lock.taken", "A lock of a shared session was taken.", .lock)
    public static let lockReleased = TraceEventName("lock.released", "A lock of a shared session was released.", .lock)
    public static let operationStarted = TraceEventName(
        "operation.started", "An operation that excludes other apps began.", .operationType, .application)
    public static let operationFinished = TraceEventName(
        "operation.finished", "An operation that excludes other apps ended.", .operationType, .application)
    public static let memoryCreated = TraceEventName("memory.created", "Shared memory was made.", .memory)
    public static let memoryOpened = TraceEventName("memory.opened", "Shared memory was opened.", .memory)
    public static let memoryRepaired = TraceEventName(
        "memory.repaired", "Damage to shared memory by a dead or a foreign process was repaired.", .memory,
        TraceField(
            "cause", .choice(["noSize", "noContent", "noName", "deadOwner"]),
            "What was wrong: memory too short, without content, used without a name, or an operation of a dead owner."))

    // What the device keeps.
    public static let keychainWritten = TraceEventName(
        "keychain.written", "A keychain item was written.", .service, .account, .accessGroup)
    public static let keychainDeleted = TraceEventName(
        "keychain.deleted", "A keychain item was deleted.", .service, .account, .accessGroup)
    public static let keychainCorrupted = TraceEventName(
        "keychain.corrupted", "A keychain item failed its checksum.", .service, .account, .accessGroup)
    public static let biometryPrompted = TraceEventName(
        "biometry.prompted", "A dialog asks the owner of the device for a finger, a face or the passcode.",
        TraceField("reason", .text, "What the dialog says."),
        TraceField("allowsPasscode", .boolean, "Whether the passcode is accepted, too."))
    public static let biometryAnswered = TraceEventName(
        "biometry.answered", "The dialog has ended.",
        TraceField("outcome", .text, "`success`, or the name of Apple's error, such as `userCancel`."))
    public static let tokenStored = TraceEventName("token.stored", "A token was stored.", .token)
    public static let tokenRemoved = TraceEventName("token.removed", "A token was removed.", .token)

    // Mobile Token.
    public static let operationsChanged = TraceEventName(
        "operations.changed", "The Mobile Token SDK reported its pending operations to the app.", .operationIds,
        TraceField("removed", .list(.text), "Those that are gone."),
        TraceField("added", .list(.text), "Those that are new."))
    public static let operationsFailed = TraceEventName(
        "operations.failed", "The Mobile Token SDK reported to the app that its operations cannot be fetched.",
        TraceField("reason", .text, "Why, such as `network_generic`."))
    public static let operationsLoading = TraceEventName(
        "operations.loading", "The Mobile Token SDK reported to the app that a fetch began or ended.",
        TraceField("loading", .boolean, "Whether it began."))
    public static let operationsExpired = TraceEventName(
        "operations.expired", "The Mobile Token SDK reported to the app that operations it watches have expired.",
        .operationIds)

    // The network.
    public static let httpRequest = TraceEventName("http.request", "An HTTP request is sent.", .method, .path)
    public static let httpResponse = TraceEventName(
        "http.response", "An HTTP response arrived.", .status, .path)
    public static let httpFailed = TraceEventName(
        "http.failed", "An HTTP exchange failed.", TraceField("error", .text, "Why, in a sentence."), .path)

    // The server.
    public static let serverRequest = TraceEventName(
        "server.request", "The server received a request.", .method, .path)
    public static let serverResponse = TraceEventName(
        "server.response", "The server answered a request.", .method, .path, .status,
        TraceField("milliseconds", .number, "How long it took, in real time.", unit: "milliseconds"))
    public static let serverRefused = TraceEventName(
        "server.refused", "The server refused a request; the answer hides the cause.", .path,
        TraceField("code", .text, "The code that the device gets."),
        TraceField("cause", .text, "What was wrong."))
    public static let serverFaulted = TraceEventName(
        "server.faulted", "A fault of the network hit a request.", .path,
        TraceField("fault", .text, "What the fault does, in words."),
        TraceField("id", .text, "Identifier of the fault."))
    public static let serverActivation = TraceEventName(
        "server.activation", "The server saved an activation in a new state, or with a reason.", .activationId,
        TraceField("from", .optional(.text), "The state before; nothing for a new activation."),
        TraceField("to", .text, "The state, such as `ACTIVE`."),
        TraceField("reason", .optional(.text), "Why it is blocked."))
    public static let serverSignature = TraceEventName(
        "server.signature", "The server checked a signature.", .activationId,
        TraceField("type", .text, "The factors of the signature, such as `possession_knowledge`."),
        TraceField("valid", .boolean, "Whether it was right."),
        TraceField("counter", .integer, "The numeric counter of the activation."),
        TraceField("failedAttempts", .integer, "Failed attempts so far."))
    public static let serverPush = TraceEventName(
        "server.push", "The server sent a push notification to a device.",
        TraceField("id", .text, "Identifier of the notification."), .activationId,
        TraceField("type", .optional(.text), "The message, such as `mtoken.operationInit`; nothing for any other one."),
        TraceField(
            "outcome", .optional(.choice(["accepted", "invalidToken", "payloadTooLarge", "unavailable"])),
            "The outcome; nothing without a push gateway."))

    // Phone and watch.
    public static let linkUp = TraceEventName("link.up", "Two devices can reach each other.", .link)
    public static let linkDown = TraceEventName("link.down", "Two devices can no longer reach each other.", .link)
    public static let linkAccepted = TraceEventName(
        "link.accepted", "An agent has stored a watch message of an app.", .message, .link, .messageKind,
        .app)
    public static let linkSent = TraceEventName(
        "link.sent", "An agent sent a watch message to the other device.", .message, .link, .messageKind, .app,
        .optional(.sequence),
        TraceField("isRetransmission", .optional(.boolean), "Whether it was sent before; only of transfers."))
    public static let linkReceived = TraceEventName(
        "link.received", "A watch message arrived in the receiver's inbox.", .message, .link, .messageKind, .app,
        .sequence)
    public static let linkDelivered = TraceEventName(
        "link.delivered", "A watch message was handed to the app.", .message, .messageKind)
    public static let linkRedelivered = TraceEventName(
        "link.redelivered",
        "A watch message was handed to the app a second time, because the app died while handling it.", .message,
        .messageKind)
    public static let linkHandled = TraceEventName(
        "link.handled", "The delegate of an app has handled a guaranteed message.", .message)
    public static let linkTold = TraceEventName(
        "link.told", "The delegate of an app was notified of the end of its guaranteed message.", .message,
        TraceField(
            "code", .optional(.integer), "Code of Apple's `WCErrorDomain` with which it ended; none when it arrived."))
    public static let linkSettled = TraceEventName(
        "link.settled",
        "A device has stored that an app's delegate has handled a guaranteed message, or was notified of the end of one; the next process of the app is not notified again.",
        .message, .link)
    public static let linkAcknowledged = TraceEventName(
        "link.acknowledged", "The other device has stored a watch message.", .link, .sequence)
    public static let linkFailed = TraceEventName(
        "link.failed", "A live watch message failed.", .message, .link,
        TraceField("code", .integer, "Code of Apple's `WCErrorDomain`."))
    public static let linkFaulted = TraceEventName(
        "link.faulted", "A fault of the link hit a message; the phone's agent reports it for both directions.",
        .optional(.message), .link,
        TraceField("direction", .choice(LinkDirection.allCases.map(\.rawValue)), "Where the message goes."),
        TraceField(
            "kind", .choice(LinkMessageKind.allCases.map(\.rawValue) + ["greeting"]),
            "What the message is; a `greeting` begins a connection."), .optional(.app),
        TraceField("fault", .choice(LinkFaultWord.allCases.map(\.rawValue)), "The fault, by its command."),
        TraceField("effect", .text, "What the fault does, in words."),
        TraceField("ordinal", .integer, "Number of the message among those of its direction that the fault is about."),
        TraceField("armed", .text, "Identifier of the fault."))
    public static let linkRefused = TraceEventName(
        "link.refused", "What arrived over the link was no whole message and was thrown away.", .link,
        TraceField("cause", .text, "What was wrong with it."),
        .refusalCount)
    public static let sessionState = TraceEventName(
        "session.state", "A watch session was activated, or what it shows of the counterpart changed.",
        TraceField("paired", .boolean, "Whether a device is paired."),
        TraceField("installed", .boolean, "Whether the counterpart app is installed."),
        TraceField("reachable", .boolean, "Whether live messages reach it."))

    // Push notifications.
    public static let pushAsked = TraceEventName(
        "push.asked", "A dialog asks the user whether an app may show notifications; `allowNotifications` answers it.",
        .app)
    public static let pushKept = TraceEventName(
        "push.kept", "A notification waits for the device to be online.", .notification, .app)
    public static let pushShown = TraceEventName(
        "push.shown", "The system shows a notification.", .notification, .app)
    public static let pushDropped = TraceEventName(
        "push.dropped", "A notification, its part for the background, or the user's answer to it was thrown away.",
        .notification, .app,
        TraceField("reason", .choice(PushDropReason.allCases.map(\.rawValue)), "Why."))
    public static let pushReceived = TraceEventName(
        "push.received", "A notification was handed to the app.", .notification,
        TraceField(
            "occasion", .choice(ReceivedNotifications.Occasion.allCases.map(\.rawValue)),
            "Whether it came in the foreground, is for work in the background, or was opened by the user."))

    // A stress run: what its driver asks for and learns.
    public static let callInvoked = TraceEventName(
        "call.invoked", "A stress run asks an app for something.", .peer, .incarnation, .call,
        TraceField("token", .optional(.text), "Name of the token that it is about."))
    public static let callCompleted = TraceEventName(
        "call.completed", "A stress run knows the outcome of a call.", .peer, .incarnation, .call,
        TraceField(
            "outcome", .choice(["done", "notDone", "unknown"]),
            "`notDone`: certainly not; `unknown`: the app died, or did not answer in time."),
        TraceField("error", .optional(.text), "Name of the error, when it was not done."),
        TraceField("message", .optional(.text), "What the error says."),
        TraceField("found", .optional(.boolean), "Whether what was asked for is there."))
    public static let deathWanted = TraceEventName(
        "death.wanted", "A stress run is about to end the process of an app.", .peer, .incarnation,
        TraceField("how", .choice(["kill", "relaunch"]), "How."))
    public static let stressEnding = TraceEventName(
        "stress.ending", "A stress run has made its last call; its processes may end.")
    public static let stressEnded = TraceEventName(
        "stress.ended", "The processes of a stress run have ended.",
        TraceField("complaints", .list(.text), "What was left behind or went wrong, a sentence each."))

    // The lab.
    public static let clockChanged = TraceEventName(
        "clock.changed", "The lab's clock was changed.",
        TraceField("offset", .integer, "How far it is ahead of real time.", unit: "milliseconds"),
        TraceField("frozen", .boolean, "Whether it stands still."),
        TraceField("rate", .integer, "How many seconds of lab time pass in a second while it runs."))
    public static let log = TraceEventName(
        "log", "A message of a log.", TraceField("level", .text, "`error` or `warning`."),
        TraceField("message", .text, "The message."))

    /// All events, in the order of the listings.
    public static let all: [TraceEventName] = [
        processStarted, processReady, processEnded, processSuspended, processResumed, processRefused, commandStarted,
        commandFinished,
        faultFired, diskRefused, deviceClockSet, deviceLocked, deviceUnlocked, configurationRejected,
        configurationIncomplete, stateLoaded, stateSaved, stateRemoved, counterBumped, counterUsed, lockRequested,
        lockTaken, lockReleased, operationStarted, operationFinished, memoryCreated, memoryOpened, memoryRepaired,
        keychainWritten, keychainDeleted, keychainCorrupted, biometryPrompted, biometryAnswered,
        tokenStored, tokenRemoved, operationsChanged, operationsFailed, operationsLoading, operationsExpired,
        httpRequest, httpResponse, httpFailed, serverRequest, serverResponse, serverRefused,
        serverFaulted, serverActivation, serverSignature, serverPush, linkUp, linkDown, linkAccepted,
        linkSent,
        linkReceived, linkDelivered, linkRedelivered, linkHandled, linkTold, linkSettled, linkAcknowledged, linkFailed,
        linkFaulted,
        linkRefused,
        sessionState, pushAsked, pushKept, pushShown, pushDropped, pushReceived, callInvoked,
        callCompleted, deathWanted, stressEnding, stressEnded, clockChanged, log,
    ]
}
