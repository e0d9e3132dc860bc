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
    case counterBump
    /// After a lock of a shared session was taken.
    case lockTaken
    /// After a lock of a shared session was released.
    case lockReleased
    /// After an operation that excludes other apps has begun.
    case operationStarted
    /// After the key of a new biometry factor was kept beside the one in force.
    case biometryKeyKept
    /// After the key of a replaced biometry factor was deleted, before the new one is in its place.
    case biometryKeyDropped
    /// After the key of a new biometry factor was put in its place, before the one beside is deleted.
    case biometryKeyInPlace
    /// After the saved state has lost its biometry factor, before the key is deleted.
    case biometryFactorRemoved
    /// Before the lock of the queue of signed requests is asked for.
    case queueLock
    /// Before an HTTP request is handed to the network.
    case httpRequestSent
    /// After an HTTP response arrived, before it is processed.
    case httpResponseReceived

    /// Where faults for the place are armed.
    var faultPoint: FaultPoint {
        switch self {
        case .stateSave: .stateSave
        case .stateSaved: .stateSaved
        case .counterBump: .counterBump
        case .lockTaken: .lockTaken
        case .lockReleased: .lockReleased
        case .operationStarted: .operationStarted
        case .biometryKeyKept: .biometryKeyKept
        case .biometryKeyDropped: .biometryKeyDropped
        case .biometryKeyInPlace: .biometryKeyInPlace
        case .biometryFactorRemoved: .biometryFactorRemoved
        case .queueLock: .queueLock
        case .httpRequestSent: .httpRequestSent
        case .httpResponseReceived: .httpResponseReceived
        }
    }
}
