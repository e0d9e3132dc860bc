public import LabPeer
import Synchronization
import WatchConnectivity

/// The watch session of a peer, as its app would set it up.
public enum MessagingHandlers {
    /// Activates the session, if the device supports one, and registers the messaging commands.
    ///
    /// To be called after the SDK object was created, so that no PowerAuth message finds it missing (watch.md, 5.5).
    ///
    /// - Parameters:
    ///   - peer: the peer whose commands are registered.
    ///   - reportsPairing: whether the session tells about the paired watch, as it does on a phone.
    public static func activate(on peer: Peer, reportsPairing: Bool) {
        guard WCSession.isSupported() else { return }
        let messages = WatchMessages()
        retained.withLock { $0 = messages }
        let session = WCSession.default
        session.delegate = messages
        session.activate()
        messages.register(on: peer, session: session, reportsPairing: reportsPairing)
    }

    /// The session holds its delegate weakly, so the process keeps it.
    private static let retained = Mutex<WatchMessages?>(nil)
}
