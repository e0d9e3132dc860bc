// SPDX-License-Identifier: Apache-2.0

/// What can happen in a process of the lab, as traces name it.
///
/// The list is closed, in the order of the listings: a scenario that waits for an event can only name one of these.
public enum TraceEventName: String, CaseIterable, Sendable, CustomStringConvertible {
    // The sentences of the facts are the documentation; doc comments would say them a second time.

    // Processes, and the device.
    case processStarted = "process.started"
    case processReady = "process.ready"
    case processEnded = "process.ended"
    case processSuspended = "process.suspended"
    case processResumed = "process.resumed"
    case processRefused = "process.refused"
    case appForeground = "app.foreground"
    case appBackground = "app.background"
    case commandStarted = "command.started"
    case commandFinished = "command.finished"
    case faultFired = "fault.fired"
    case diskRefused = "disk.refused"
    case deviceClockSet = "device.clockSet"
    case deviceLocked = "device.locked"
    case deviceUnlocked = "device.unlocked"

    // The session of an app.
    case configurationRejected = "configuration.rejected"
    case configurationIncomplete = "configuration.incomplete"
    case stateLoaded = "state.loaded"
    case stateSaved = "state.saved"
    case stateRemoved = "state.removed"
    case counterBumped = "counter.bumped"
    case counterUsed = "counter.used"
    case lockRequested = "lock.requested"
    case lockTaken = "lock.taken"
    case lockReleased = "lock.released"
    case operationStarted = "operation.started"
    case operationFinished = "operation.finished"
    case memoryCreated = "memory.created"
    case memoryOpened = "memory.opened"
    case memoryRepaired = "memory.repaired"

    // What the device keeps.
    case keychainWritten = "keychain.written"
    case keychainDeleted = "keychain.deleted"
    case keychainCorrupted = "keychain.corrupted"
    case biometryPrompted = "biometry.prompted"
    case biometryAnswered = "biometry.answered"
    case tokenStored = "token.stored"
    case tokenRemoved = "token.removed"

    // Mobile Token.
    case operationsChanged = "operations.changed"
    case operationsFailed = "operations.failed"
    case operationsLoading = "operations.loading"
    case operationsExpired = "operations.expired"
    case operationsLeftOut = "operations.leftOut"

    // The network.
    case httpRequest = "http.request"
    case httpResponse = "http.response"
    case httpFailed = "http.failed"

    // The server.
    case serverRequest = "server.request"
    case serverResponse = "server.response"
    case serverRefused = "server.refused"
    case serverFaulted = "server.faulted"
    case serverUnedited = "server.unedited"
    case serverActivation = "server.activation"
    case serverSignature = "server.signature"
    case serverPush = "server.push"

    // Phone and watch.
    case linkUp = "link.up"
    case linkDown = "link.down"
    case linkAccepted = "link.accepted"
    case linkSent = "link.sent"
    case linkReceived = "link.received"
    case linkDelivered = "link.delivered"
    case linkRedelivered = "link.redelivered"
    case linkHandled = "link.handled"
    case linkTold = "link.told"
    case linkSettled = "link.settled"
    case linkAcknowledged = "link.acknowledged"
    case linkFailed = "link.failed"
    case linkFaulted = "link.faulted"
    case linkRefused = "link.refused"
    case sessionState = "session.state"
    case watchTaskStarted = "watch.taskStarted"
    case watchTaskCompleted = "watch.taskCompleted"
    case watchTaskExpired = "watch.taskExpired"
    case watchTaskLost = "watch.taskLost"

    // Push notifications.
    case pushAsked = "push.asked"
    case pushKept = "push.kept"
    case pushShown = "push.shown"
    case pushDropped = "push.dropped"
    case pushReceived = "push.received"

    // A stress run: what its driver asks for and learns.
    case callInvoked = "call.invoked"
    case callCompleted = "call.completed"
    case deathWanted = "death.wanted"
    case stressEnding = "stress.ending"
    case stressEnded = "stress.ended"

    // The lab.
    case clockChanged = "clock.changed"
    case log

    /// What has happened, as a sentence.
    public var summary: String { facts.summary }
    /// The details that the event carries. They are made at each call: keep them where many events are compared.
    public var fields: [TraceField] { facts.fields }
    public var description: String { rawValue }

    private typealias Facts = TraceEventFacts

    private var facts: Facts {
        switch self {
        case .processStarted: Facts("A process began.", .optional(.executable), .optional(.pid))
        case .processReady:
            Facts(
                "A process is ready for commands.",
                TraceField("port", .optional(.integer), "TCP port of the server; only the server says it."),
                TraceField(
                    "applicationId", .optional(.text), "The server's first application; only the server says it."))
        case .processEnded:
            Facts(
                "The server ends by itself or was killed, or an agent saw the process of an app end.",
                .optional(.peer), .optional(.incarnation), .optional(.pid),
                TraceField("reason", .optional(.text), "Why it ended; nothing of a server that ends by itself."),
                TraceField(
                    "cause", .optional(.words(of: TerminationCause.self)),
                    "Why the device's system ended it; nothing when it did not."),
                TraceField("status", .optional(.integer), "Exit code of a process that ended by itself."),
                TraceField("signal", .optional(.text), "Name of the signal that ended it, such as `SIGKILL`."))
        case .processSuspended: Facts("The agent stopped the process of an app.", .peer, .incarnation, .pid)
        case .processResumed: Facts("The agent resumed a stopped process.", .peer, .incarnation, .pid)
        case .processRefused:
            Facts(
                "A process said that it plays an app, and the device did not believe it.",
                TraceField("cause", .text, "Which app and process, and why."),
                .refusalCount)
        case .appForeground: Facts("An app has handled the news that it came to the foreground.")
        case .appBackground: Facts("An app has handled the news that it went to the background.")
        case .commandStarted: Facts("A command of the control channel began.", .command)
        case .commandFinished:
            Facts(
                "A command of the control channel ended.",
                .command,
                TraceField("error", .optional(.text), "Name of the error, when it failed."))
        case .faultFired:
            Facts(
                "An armed fault takes effect.",
                TraceField("id", .integer, "Identifier of the fault."),
                TraceField("point", .text, "The fault point; `lab faults` lists them."),
                TraceField("action", .words(of: FaultActionWord.self), "What the fault does."),
                TraceField("pass", .integer, "The pass of the point for which the fault was armed, from 1."),
                TraceField("fired", .integer, "How often the fault has fired, this time included."))
        case .diskRefused:
            Facts(
                "The storage of a device refused a write of an app, or of the device itself.",
                TraceField(
                    "what", .text,
                    "What was to be written: `keychain`, `preferences`, `container`; by the device also `queue`, `notifications`, `background`, `security`."
                ),
                TraceField("bytes", .optional(.integer), "How much, where it is known.", unit: "bytes"),
                TraceField("error", .text, "Name of the system error, such as `ENOSPC` or `EROFS`."))
        case .deviceClockSet:
            Facts(
                "The wall clock of a device was set.",
                TraceField("skew", .integer, "How far it is ahead of the lab's clock.", unit: "milliseconds"))
        case .deviceLocked: Facts("The owner locked the device, which closes what its protection covers.")
        case .deviceUnlocked: Facts("The owner unlocked the device.")
        case .configurationRejected:
            Facts("A configuration of the SDK was refused.", .brokenRule, .ruleText, .longestLength, .givenLength)
        case .configurationIncomplete:
            Facts(
                "A configuration of the SDK was taken, but lacks something that makes answers sure.",
                .lack, .consequence)
        case .stateLoaded:
            Facts(
                "The session's state was read from the keychain.",
                .hasActivation, .optional(.activationId), .optional(.changeCounter))
        case .stateSaved:
            Facts(
                "The session's state was written to the keychain.",
                .stateLength, .optional(.activationId), .optional(.changeCounter))
        case .stateRemoved: Facts("The session's state was removed.")
        case .counterBumped: Facts("The change counter of a shared session was raised.", .changeCounter)
        case .counterUsed:
            Facts("A hash-based counter was used for a signature.", .usedCounter, .activationId, .factors)
        case .lockRequested: Facts("A lock of a shared session is being waited for.", .lock)
        case .lockTaken: Facts("A lock of a shared session was taken.", .lock)
        case .lockReleased: Facts("A lock of a shared session was released.", .lock)
        case .operationStarted: Facts("An operation that excludes other apps began.", .operationType, .application)
        case .operationFinished: Facts("An operation that excludes other apps ended.", .operationType, .application)
        case .memoryCreated: Facts("Shared memory was made.", .memory)
        case .memoryOpened: Facts("Shared memory was opened.", .memory)
        case .memoryRepaired:
            Facts("Damage to shared memory by a dead or a foreign process was repaired.", .memory, .damage)
        case .keychainWritten: Facts("A keychain item was written.", .service, .account, .accessGroup)
        case .keychainDeleted: Facts("A keychain item was deleted.", .service, .account, .accessGroup)
        case .keychainCorrupted: Facts("A keychain item failed its checksum.", .service, .account, .accessGroup)
        case .biometryPrompted:
            Facts(
                "A dialog asks the owner of the device for a finger, a face or the passcode.",
                TraceField("reason", .text, "What the dialog says."),
                TraceField("allowsPasscode", .boolean, "Whether the passcode is accepted, too."))
        case .biometryAnswered:
            Facts(
                "The dialog has ended.",
                TraceField("outcome", .text, "`success`, or the name of Apple's error, such as `userCancel`."))
        case .tokenStored: Facts("A token was stored.", .token)
        case .tokenRemoved: Facts("A token was removed.", .token)
        case .operationsChanged:
            Facts(
                "The Mobile Token SDK reported its pending operations to the app.",
                .operationIds,
                TraceField("removed", .list(.text), "Those that are gone."),
                TraceField("added", .list(.text), "Those that are new."))
        case .operationsFailed:
            Facts(
                "The Mobile Token SDK reported to the app that its operations cannot be fetched.",
                TraceField("reason", .text, "Why, such as `network_generic`."))
        case .operationsLoading:
            Facts(
                "The Mobile Token SDK reported to the app that a fetch began or ended.",
                TraceField("loading", .boolean, "Whether it began."))
        case .operationsExpired:
            Facts("The Mobile Token SDK reported to the app that operations it watches have expired.", .operationIds)
        case .operationsLeftOut:
            Facts("The Mobile Token SDK cannot read an operation of a list.", .leftOutOperation, .leftOutCause)
        case .httpRequest: Facts("An HTTP request is sent.", .method, .path)
        case .httpResponse: Facts("An HTTP response arrived.", .status, .path)
        case .httpFailed: Facts("An HTTP exchange failed.", .httpError, .path)
        case .serverRequest: Facts("The server received a request.", .method, .path)
        case .serverResponse:
            Facts(
                "The server answered a request.",
                .method, .path, .status,
                TraceField("milliseconds", .number, "How long it took, in real time.", unit: "milliseconds"))
        case .serverRefused:
            Facts(
                "The server refused a request; the answer hides the cause.",
                .path,
                TraceField("code", .text, "The code that the device gets."),
                TraceField("cause", .text, "What was wrong."))
        case .serverFaulted:
            Facts(
                "A fault of the network hit a request.",
                .path,
                TraceField("fault", .text, "What the fault does, in words."), .fault)
        case .serverUnedited:
            Facts(
                "A fault was to edit an answer and could not, so the answer left unchanged.",
                .path,
                TraceField("cause", .text, "Why, such as a member that is not in the answer."), .fault)
        case .serverActivation:
            Facts(
                "The server saved an activation in a new state, or with a reason.",
                .activationId,
                TraceField("from", .optional(.text), "The state before; nothing for a new activation."),
                TraceField("to", .text, "The state, such as `ACTIVE`."),
                TraceField("reason", .optional(.text), "Why it is blocked."))
        case .serverSignature:
            Facts(
                "The server checked a signature.",
                .activationId,
                TraceField("type", .text, "The factors of the signature, such as `possession_knowledge`."),
                TraceField("valid", .boolean, "Whether it was right."),
                TraceField("counter", .integer, "The numeric counter of the activation."),
                TraceField("failedAttempts", .integer, "Failed attempts so far."),
                TraceField(
                    "version", .optional(.text), "`4.0` for a code of protocol 4, whose counter is another one."))
        case .serverPush:
            Facts(
                "The server sent a push notification to a device.",
                TraceField("id", .text, "Identifier of the notification."),
                .activationId,
                TraceField(
                    "type", .optional(.text), "The message, such as `mtoken.operationInit`; nothing for any other one."),
                TraceField(
                    "outcome",
                    .optional(
                        .choice(["accepted", "invalidToken", "BadDeviceToken", "payloadTooLarge", "unavailable"])),
                    "The outcome; nothing without a push gateway."))
        case .linkUp: Facts("Two devices can reach each other.", .link)
        case .linkDown: Facts("Two devices can no longer reach each other.", .link)
        case .linkAccepted: Facts("An agent has stored a watch message of an app.", .message, .link, .messageKind, .app)
        case .linkSent:
            Facts(
                "An agent sent a watch message to the other device.",
                .message, .link, .messageKind, .app, .optional(.sequence),
                TraceField("isRetransmission", .optional(.boolean), "Whether it was sent before; only of transfers."))
        case .linkReceived:
            Facts("A watch message arrived in the receiver's inbox.", .message, .link, .messageKind, .app, .sequence)
        case .linkDelivered: Facts("A watch message was handed to the app.", .message, .messageKind)
        case .linkRedelivered:
            Facts(
                "A watch message was handed to the app a second time, because the app died while handling it.",
                .message, .messageKind)
        case .linkHandled: Facts("The delegate of an app has handled a guaranteed message.", .message)
        case .linkTold:
            Facts(
                "The delegate of an app was notified of the end of its guaranteed message.",
                .message,
                TraceField(
                    "code", .optional(.integer),
                    "Code of Apple's `WCErrorDomain` with which it ended; none when it arrived."))
        case .linkSettled:
            Facts(
                "A device has stored that an app's delegate has handled a guaranteed message, or was notified of the end of one; the next process of the app is not notified again.",
                .message, .link)
        case .linkAcknowledged: Facts("The other device has stored a watch message.", .link, .sequence)
        case .linkFailed:
            Facts(
                "A live watch message failed.",
                .message, .link,
                TraceField("code", .integer, "Code of Apple's `WCErrorDomain`."))
        case .linkFaulted:
            Facts(
                "A fault of the link hit a message; the phone's agent reports it for both directions.",
                .optional(.message), .link,
                TraceField("direction", .words(of: LinkDirection.self), "Where the message goes."),
                TraceField(
                    "kind", .choice(LinkMessageKind.allCases.map(\.rawValue) + ["greeting"]),
                    "What the message is; a `greeting` begins a connection."),
                .optional(.app),
                TraceField("fault", .words(of: LinkFaultWord.self), "The fault, by its command."),
                TraceField("effect", .text, "What the fault does, in words."),
                TraceField(
                    "ordinal", .integer, "Number of the message among those of its direction that the fault is about."),
                TraceField("armed", .text, "Identifier of the fault."))
        case .linkRefused:
            Facts(
                "What arrived over the link was no whole message and was thrown away.",
                .link,
                TraceField("cause", .text, "What was wrong with it."),
                .refusalCount)
        case .sessionState:
            Facts(
                "A watch session was activated, or what it shows of the counterpart changed.",
                TraceField("paired", .boolean, "Whether a device is paired."),
                TraceField("installed", .boolean, "Whether the counterpart app is installed."),
                TraceField("reachable", .boolean, "Whether live messages reach it."))
        case .watchTaskStarted: Facts(task: "A watch app was given a background task.")
        case .watchTaskCompleted: Facts(task: "A watch app has completed a background task.")
        case .watchTaskExpired: Facts(task: "A watch app did not complete a background task in time.")
        case .watchTaskLost:
            Facts(task: "A watch app has ended, or could not be started, before it completed a background task.")
        case .pushAsked:
            Facts(
                "A dialog asks the user whether an app may show notifications; `allowNotifications` answers it.",
                .app)
        case .pushKept: Facts("A notification waits for the device to be online.", .notification, .app)
        case .pushShown: Facts("The system shows a notification.", .notification, .app)
        case .pushDropped:
            Facts(
                "A notification, its part for the background, or the user's answer to it was thrown away.",
                .notification, .app,
                TraceField("reason", .words(of: PushDropReason.self), "Why."))
        case .pushReceived:
            Facts(
                "A notification was handed to the app.",
                .notification,
                TraceField(
                    "occasion", .words(of: NotificationOccasion.self),
                    "Whether it came in the foreground, is for work in the background, or was opened by the user."))
        case .callInvoked:
            Facts(
                "A stress run asks an app for something.",
                .peer, .incarnation, .call,
                TraceField("token", .optional(.text), "Name of the token that it is about."))
        case .callCompleted:
            Facts(
                "A stress run knows the outcome of a call.",
                .peer, .incarnation, .call,
                TraceField(
                    "outcome", .choice(["done", "notDone", "unknown"]),
                    "`notDone`: certainly not; `unknown`: the app died, or did not answer in time."),
                TraceField("error", .optional(.text), "Name of the error, when it was not done."),
                TraceField("message", .optional(.text), "What the error says."),
                TraceField("found", .optional(.boolean), "Whether what was asked for is there."),
                TraceField(
                    "activationId", .optional(.text),
                    "Activation that the app had before and after a call about a token; nothing when that is not known."
                ),
                TraceField(
                    "tokenIdentifier", .optional(.text),
                    "Identifier of the token that the app was given or has found."),
                TraceField(
                    "password", .optional(.integer),
                    "Number of the password that the call signs with; every activation begins with 0."),
                TraceField("newPassword", .optional(.integer), "Number of the password that the call sets."))
        case .deathWanted:
            Facts("A stress run is about to end the process of an app.", .peer, .incarnation, .wayToEnd)
        case .stressEnding: Facts("A stress run has made its last call; its processes may end.")
        case .stressEnded:
            Facts(
                "The processes of a stress run have ended.",
                TraceField("complaints", .list(.text), "What was left behind or went wrong, a sentence each."))
        case .clockChanged:
            Facts(
                "The lab's clock was changed.",
                TraceField("offset", .integer, "How far it is ahead of real time.", unit: "milliseconds"),
                TraceField("frozen", .boolean, "Whether it stands still."),
                TraceField("rate", .integer, "How many seconds of lab time pass in a second while it runs."))
        case .log:
            Facts(
                "A message of a log.", .logLevel, .logMessage, .optional(.logSubsystem), .optional(.logCategory))
        }
    }
}
