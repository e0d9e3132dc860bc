// SPDX-License-Identifier: Apache-2.0

/// A named place in the code where a fault can be injected.
///
/// The list is closed: scenarios and `lab faults` offer exactly these points, in this order. An SDK sees a point as a
/// place at which the system may end the process, hold it, or let the next step fail.
public enum FaultPoint: String, CaseIterable, Sendable, CustomStringConvertible {
    // The sentences of the facts are the documentation; doc comments would say them a second time.
    case keychainRead = "keychain.read"
    case keychainWrite = "keychain.write"
    case keychainDelete = "keychain.delete"
    case stateSave = "state.save"
    case stateSaved = "state.saved"
    case counterBumped = "counter.bumped"
    case tokenCounterBumped = "tokenCounter.bumped"
    case statusLockTake = "statusLock.take"
    case statusLockTaken = "statusLock.taken"
    case statusLockReleased = "statusLock.released"
    case queueLockTake = "queueLock.take"
    case queueLockTaken = "queueLock.taken"
    case queueLockReleased = "queueLock.released"
    case operationLockTake = "operationLock.take"
    case operationLockTaken = "operationLock.taken"
    case operationStarted = "operation.started"
    case operationCleared = "operation.cleared"
    case operationLockReleased = "operationLock.released"
    case memoryCreated = "memory.created"
    case memorySized = "memory.sized"
    case memoryInitialised = "memory.initialised"
    case memoryNameRecorded = "memory.nameRecorded"
    case wipeBegun = "wipe.begun"
    case wipeDone = "wipe.done"
    case wipeFlagWritten = "wipe.flagWritten"
    case biometryKeyKept = "biometry.keyKept"
    case biometryKeyDropped = "biometry.keyDropped"
    case biometryKeyInPlace = "biometry.keyInPlace"
    case biometryFactorRemoved = "biometry.factorRemoved"
    case httpRequestSent = "http.requestSent"
    case httpResponseReceived = "http.responseReceived"
    case linkStore = "link.store"
    case linkAccepted = "link.accepted"
    case linkSent = "link.sent"
    case linkDelivered = "link.delivered"
    case linkAcknowledged = "link.acknowledged"
    case serverRequestReceived = "server.requestReceived"
    case serverBeforeCommit = "server.beforeCommit"
    case serverAfterCommit = "server.afterCommit"
    case serverResponseSent = "server.responseSent"

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

    /// When the point is passed, as a sentence.
    public var summary: String { facts.summary }
    /// The kinds of process that pass the point.
    public var owners: [Owner] { facts.owners }
    /// The actions that have an effect at the point.
    public var actions: [FaultActionWord] { facts.actions }
    /// What each pass of the point is about, so that a rule can be for some passes only; nil when they do not differ.
    public var subject: Subject? { facts.subject }
    public var description: String { rawValue }

    private struct Facts {
        let summary: String
        let owners: [Owner]
        let actions: [FaultActionWord]
        let subject: Subject?

        init(
            _ summary: String, of owners: [Owner] = [.app], actions: [FaultActionWord] = FaultActionWord.allCases,
            about subject: Subject? = nil
        ) {
            (self.summary, self.owners, self.actions, self.subject) = (summary, owners, actions, subject)
        }
    }

    private var facts: Facts {
        switch self {
        case .keychainRead: Facts("Before an item of the keychain is read.", about: .item)
        case .keychainWrite: Facts("Before an item of the keychain is added or changed.", about: .item)
        case .keychainDelete: Facts("Before an item of the keychain is deleted.", about: .item)
        case .stateSave: Facts("Before the session's state is saved.")
        case .stateSaved: Facts("After the session's state was saved.")
        case .counterBumped: Facts("Before the change counter of a shared session is raised.")
        case .tokenCounterBumped:
            Facts(
                "After the token counter of a shared session was raised, before a token changes.",
                actions: .withoutFailure)
        case .statusLockTake: Facts("Before the lock for one task of a shared session is asked for.")
        case .statusLockTaken:
            Facts("After the lock for one task of a shared session was taken.", actions: .withoutFailure)
        case .statusLockReleased:
            Facts("After the lock for one task of a shared session was released.", actions: .withoutFailure)
        case .queueLockTake: Facts("Before the lock for one signed request is asked for.")
        case .queueLockTaken: Facts("After the lock for one signed request was taken.", actions: .withoutFailure)
        case .queueLockReleased: Facts("After the lock for one signed request was released.", actions: .withoutFailure)
        case .operationLockTake:
            Facts(
                "Before the lock for an operation that excludes other apps is asked for.", actions: .withoutFailure)
        case .operationLockTaken:
            Facts(
                "After the lock for an operation that excludes other apps was taken, before the operation is announced.",
                actions: .withoutFailure)
        case .operationStarted:
            Facts("After an operation that excludes other apps was announced.", actions: .withoutFailure)
        case .operationCleared:
            Facts(
                "After the announcement of an operation was cleared, before its lock is released.",
                actions: .withoutFailure)
        case .operationLockReleased:
            Facts("After the lock for an operation that excludes other apps was released.", actions: .withoutFailure)
        case .memoryCreated:
            Facts(
                "After the name of new shared memory was made, before the memory has a size.", actions: .withoutFailure)
        case .memorySized:
            Facts("After new shared memory was given its size, before it has content.", actions: .withoutFailure)
        case .memoryInitialised: Facts("After shared memory was given its first content.", actions: .withoutFailure)
        case .memoryNameRecorded:
            Facts("After the name of the shared memory was recorded beside the lock files.", actions: .withoutFailure)
        case .wipeBegun:
            Facts(
                "Before a new installation deletes what an earlier one left in the keychain.", actions: .withoutFailure)
        case .wipeDone:
            Facts(
                "After a new installation has deleted what an earlier one left, before its flag is written.",
                actions: .withoutFailure)
        case .wipeFlagWritten: Facts("After the flag of a new installation was written.", actions: .withoutFailure)
        case .biometryKeyKept:
            Facts(
                "After the key of a new biometry factor was kept beside the one in force, before the state with the factor is saved.",
                actions: .withoutFailure)
        case .biometryKeyDropped:
            Facts(
                "After the key of a replaced biometry factor was deleted, before the new one is in its place.",
                actions: .withoutFailure)
        case .biometryKeyInPlace:
            Facts(
                "After the key of a new biometry factor was put in its place, before the one beside is deleted.",
                actions: .withoutFailure)
        case .biometryFactorRemoved:
            Facts(
                "After the saved state has lost its biometry factor, before the key is deleted.",
                actions: .withoutFailure)
        case .httpRequestSent: Facts("Before an HTTP request is handed to the network.", about: .endpoint)
        case .httpResponseReceived: Facts("After an HTTP response arrived, before it is processed.", about: .endpoint)
        case .linkStore:
            Facts("Before a device stores what has changed in the queues of its watch link.", of: [.device])
        case .linkAccepted:
            Facts(
                "After a watch message of an app was accepted; the agent passes it, then the app.",
                of: [.device, .app], actions: .withoutFailure)
        case .linkSent:
            Facts(
                "After a device agent has sent a watch message to the other device.",
                of: [.device], actions: .withoutFailure)
        case .linkDelivered:
            Facts(
                "After a watch message was handed to the receiving app; the agent passes it, then the app.",
                of: [.device, .app], actions: .withoutFailure)
        case .linkAcknowledged:
            Facts(
                "Before a watch message is acknowledged by the receiving app, and by its agent.",
                of: [.device, .app], actions: .withoutFailure)
        case .serverRequestReceived: Facts("After the server has received a request.", of: [.server], about: .endpoint)
        case .serverBeforeCommit: Facts("Before the server commits a transaction.", of: [.server])
        case .serverAfterCommit: Facts("After the server has committed a transaction.", of: [.server])
        case .serverResponseSent: Facts("Before the server sends a response.", of: [.server], about: .endpoint)
        }
    }
}

/// What can be armed at a fault point, as scenarios and command lines spell it.
public enum FaultActionWord: String, CaseIterable, Codable, Sendable {
    /// The process gets SIGKILL.
    case kill
    /// The passing thread is held for a time.
    case delay
    /// The passing code fails with an error.
    case fail
}

extension [FaultActionWord] {
    /// For points whose caller takes no error, so that a failure could not be reported.
    fileprivate static let withoutFailure: [FaultActionWord] = [.kill, .delay]
}
