/// Watches how a session is used. The session asks it before a call, so that an owner that guards the session with a
/// lock of its own can report calls made outside of that lock.
///
/// Calls arrive on the thread that uses the session, before the session takes its own lock.
public protocol PowerAuthCoreSessionDebugMonitor: AnyObject, Sendable {
    /// The session is about to be read.
    func requireReadAccess()
    /// The session is about to be changed.
    func requireWriteAccess()
}
