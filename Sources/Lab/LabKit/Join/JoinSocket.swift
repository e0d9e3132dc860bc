import Foundation
import LabSystem
import Synchronization
import ZeroMQ

/// One end of the encrypted connection between the runners of two labs. Each knows the other by its key.
///
/// Thread rule: any thread. A thread of its own does the talking; events are reported there, and must not block.
public final class JoinSocket: Sendable {
    /// What happens.
    public enum Event: Sendable {
        /// Guest: a connection is made, perhaps again.
        case connected
        /// Guest: the other side does not know the key.
        case keyRefused
        /// The other side has sent a message. An owner accepts only messages of the guest that said hello last.
        case message(JoinMessage)
        /// The connection is lost, by a death or by the network.
        case lost
    }

    /// Where the owner listens, with the port that it has got.
    public let address: JoinAddress
    private let outbox: JoinOutbox
    private let thread: ThreadHandle

    /// Listens for one guest.
    ///
    /// - Returns: the socket, and the key for the guest.
    public static func listen(
        at address: JoinAddress, onEvent: @escaping @Sendable (Event) -> Void
    ) throws -> (JoinSocket, JoinKey) {
        let (key, secret) = try JoinKey.make()
        // Each socket has guests of its own.
        let domain = "join \(UUID().uuidString)"
        try CurveGate.shared.get().admit(key.guest.publicKey, to: domain)
        let socket = try JoinSocket(isOwner: true, events: [.accepted, .disconnected], onEvent) { socket in
            try socket.set(.routerMandatory(true))
            try socket.set(.curveServer(secret, domain: domain))
            try socket.bind(address.description)
            let port = JoinAddress(try socket.lastEndpoint())?.port ?? address.port
            return JoinAddress(host: address.host, port: port)
        }
        return (socket, key)
    }

    /// Connects to an owner, now and again whenever the connection is lost.
    public static func connect(
        to address: JoinAddress, with key: JoinKey, onEvent: @escaping @Sendable (Event) -> Void
    ) throws -> JoinSocket {
        let events: Set<ZeroMQMonitor.Event.Kind> = [.handshakeSucceeded, .handshakeFailed, .disconnected]
        return try JoinSocket(isOwner: false, events: events, onEvent) { socket in
            // Nothing may wait in the socket for an owner that is not there.
            try socket.set(.immediate(true))
            try socket.set(.reconnectInterval(first: 50, maximum: 1_000))
            try socket.set(.curveClient(of: key.owner, key.guest))
            try socket.connect(address.description)
            return address
        }
    }

    /// - Parameter open: sets the socket up on its thread, and says where it is.
    private init(
        isOwner: Bool, events: Set<ZeroMQMonitor.Event.Kind>, _ onEvent: @escaping @Sendable (Event) -> Void,
        open: @escaping @Sendable (ZeroMQSocket) throws -> JoinAddress
    ) throws {
        let outbox = try JoinOutbox()
        let opened = OneShot<Result<JoinAddress, any Error>>()
        thread = runOnThread(name: "join") {
            do {
                let socket = try ZeroMQSocket(.shared, isOwner ? .router : .dealer)
                try socket.set(.sendHighWaterMark(0))
                try socket.set(.receiveHighWaterMark(0))
                try socket.set(.maxMessageSize(ControlServer.maximumMessageSize * 2))
                try socket.set(.heartbeat(interval: 1_000, timeout: Self.silence))
                let monitor = try socket.monitor(events)
                opened.set(.success(try open(socket)))
                try JoinSocketLoop(
                    socket: socket, monitor: monitor, outbox: outbox, isOwner: isOwner, onEvent: onEvent
                ).run()
            } catch {
                opened.set(.failure(error))
                outbox.close()
            }
        }
        address = try opened.wait().get()
        self.outbox = outbox
    }

    /// After how much silence a connection counts as lost, in milliseconds of real time.
    private static let silence = Int32(clamping: LabDuration.seconds(3).stretched.nanoseconds / 1_000_000)

    /// Sends a message. One that the other side cannot get now is lost.
    public func send(_ message: JoinMessage) { outbox.add(message) }

    /// Says goodbye and closes the connection; waits for the other side to have heard it, half a second at most. Must not be
    /// called by an event's handler.
    public func close(_ reason: String) {
        outbox.close(saying: .bye(reason))
        thread.join()
    }
}

/// Messages on their way to the thread of a ``JoinSocket``. Thread rule: any thread.
final class JoinOutbox: Sendable {
    private struct Content {
        var messages: [JoinMessage] = []
        var farewell: JoinMessage?
        var isClosed = false
    }

    private let content = Mutex(Content())
    private let wake: EventDescriptor

    init() throws { wake = try EventDescriptor() }

    var rawDescriptor: Int32 { wake.rawDescriptor }

    func add(_ message: JoinMessage) {
        content.withLock { if !$0.isClosed { $0.messages.append(message) } }
        wake.signal()
    }

    func close(saying farewell: JoinMessage? = nil) {
        content.withLock {
            $0.farewell = $0.farewell ?? farewell
            $0.isClosed = true
        }
        wake.signal()
    }

    /// Takes all messages, and the last word when there is one.
    func take() -> (messages: [JoinMessage], farewell: JoinMessage?) {
        wake.drain()
        return content.withLock { content in
            defer { content.messages = [] }
            return (content.messages, content.farewell)
        }
    }
}
