import LabKit

/// A place in an SDK's code at which the system may end the process, hold it, or let the next step fail.
///
/// Each is one of the lab's fault points, which say when exactly it is passed.
public enum Checkpoint: CaseIterable, Sendable {
    /// Before the session's state is saved.
    case stateSave
    /// After the session's state was saved.
    case stateSaved
    /// Before the change counter of a shared session is raised.
    case counterBumped
    /// After the token counter of a shared session was raised, before a token changes.
    case tokenCounterBumped
    /// After the lock for one task of a shared session was taken.
    case statusLockTaken
    /// After the lock for one task of a shared session was released.
    case statusLockReleased
    /// Before the lock for one signed request is asked for.
    case queueLockTake
    /// After the lock for one signed request was taken.
    case queueLockTaken
    /// After the lock for one signed request was released.
    case queueLockReleased
    /// After the lock for an operation that excludes other apps was taken, before the operation is announced.
    case operationLockTaken
    /// After an operation that excludes other apps was announced.
    case operationStarted
    /// After the announcement of an operation was cleared, before its lock is released.
    case operationCleared
    /// After the lock for an operation that excludes other apps was released.
    case operationLockReleased
    /// After the name of new shared memory was made, before the memory has a size.
    case memoryCreated
    /// After new shared memory was given its size, before it has content.
    case memorySized
    /// After shared memory was given its first content.
    case memoryInitialised
    /// After the name of the shared memory was recorded beside the lock files.
    case memoryNameRecorded
    /// Before a new installation deletes what an earlier one left in the keychain.
    case wipeBegun
    /// After a new installation has deleted what an earlier one left, before its flag is written.
    case wipeDone
    /// After the flag of a new installation was written.
    case wipeFlagWritten
    /// After the key of a new biometry factor was kept beside the one in force.
    case biometryKeyKept
    /// After the key of a replaced biometry factor was deleted, before the new one is in its place.
    case biometryKeyDropped
    /// After the key of a new biometry factor was put in its place, before the one beside is deleted.
    case biometryKeyInPlace
    /// After the saved state has lost its biometry factor, before the key is deleted.
    case biometryFactorRemoved
    /// Before an HTTP request is handed to the network.
    case httpRequestSent
    /// After an HTTP response arrived, before it is processed.
    case httpResponseReceived

    /// Where faults for the place are armed.
    var faultPoint: FaultPoint {
        switch self {
        case .stateSave: .stateSave
        case .stateSaved: .stateSaved
        case .counterBumped: .counterBumped
        case .tokenCounterBumped: .tokenCounterBumped
        case .statusLockTaken: .statusLockTaken
        case .statusLockReleased: .statusLockReleased
        case .queueLockTake: .queueLockTake
        case .queueLockTaken: .queueLockTaken
        case .queueLockReleased: .queueLockReleased
        case .operationLockTaken: .operationLockTaken
        case .operationStarted: .operationStarted
        case .operationCleared: .operationCleared
        case .operationLockReleased: .operationLockReleased
        case .memoryCreated: .memoryCreated
        case .memorySized: .memorySized
        case .memoryInitialised: .memoryInitialised
        case .memoryNameRecorded: .memoryNameRecorded
        case .wipeBegun: .wipeBegun
        case .wipeDone: .wipeDone
        case .wipeFlagWritten: .wipeFlagWritten
        case .biometryKeyKept: .biometryKeyKept
        case .biometryKeyDropped: .biometryKeyDropped
        case .biometryKeyInPlace: .biometryKeyInPlace
        case .biometryFactorRemoved: .biometryFactorRemoved
        case .httpRequestSent: .httpRequestSent
        case .httpResponseReceived: .httpResponseReceived
        }
    }
}
