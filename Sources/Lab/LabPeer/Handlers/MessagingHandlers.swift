import Synchronization
import WatchConnectivity

/// The watch session of a peer, as its app would set it up.
public enum MessagingHandlers {
    /// Registers the messaging commands, and activates the session if the device supports one.
    ///
    /// To be called after the SDK object was created, so that no PowerAuth message finds it missing
    /// (watch.md, section 5.5).
    ///
    /// - Parameters:
    ///   - peer: the peer whose commands are registered.
    ///   - reportsPairing: whether the session reports the paired watch, as it does on a phone.
    ///   - hasSession: whether the process takes part in the session. An extension does not: its messages are refused as
    ///     those of any session without a delegate.
    public static func register(on peer: Peer, reportsPairing: Bool, hasSession: Bool = true) {
        let messages = WatchMessages()
        retained.withLock { $0 = messages }
        let session = WCSession.default
        WatchHandlers.register(messages, on: peer, session: session, reportsPairing: reportsPairing)
        guard hasSession, WCSession.isSupported() else { return }
        session.delegate = messages
        session.activate()
    }

    /// The session holds its delegate weakly, so the process keeps it.
    private static let retained = Mutex<WatchMessages?>(nil)
}
