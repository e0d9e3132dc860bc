import Foundation
import LabSystem
import ZeroMQ

/// What the thread of a ``JoinSocket`` does.
///
/// Belongs to that thread.
final class JoinSocketLoop {
    private let socket: ZeroMQSocket
    private let monitor: ZeroMQMonitor
    private let outbox: JoinOutbox
    private let isOwner: Bool
    private let onEvent: (JoinSocket.Event) -> Void
    /// Owner: the guest and its connection.
    private var connection = GuestConnection()

    /// How long the other side may take to confirm a farewell, in nanoseconds.
    private static let farewellPatience: UInt64 = 500_000_000

    init(
        socket: ZeroMQSocket, monitor: ZeroMQMonitor, outbox: JoinOutbox, isOwner: Bool,
        onEvent: @escaping (JoinSocket.Event) -> Void
    ) {
        self.socket = socket
        self.monitor = monitor
        self.outbox = outbox
        self.isOwner = isOwner
        self.onEvent = onEvent
    }

    func run() throws {
        while true {
            let (messages, farewell) = outbox.take()
            for message in messages { _ = try send(message) }
            if let farewell { return try leave(saying: farewell) }
            while let message = try receive() { try handle(message) }
            while let event = try monitor.next() { follow(event) }
            try loseGuest()
            _ = try ZeroMQPoll.poll(
                sockets: [socket, monitor.socket], descriptors: [outbox.rawDescriptor],
                timeoutMilliseconds: connection.hasEnded ? 20 : -1)
        }
    }

    private func handle(_ message: JoinMessage) throws {
        if case .probe = message { return }
        if case .bye = message {
            _ = try send(.bye(""))
            connection.leave()
        }
        onEvent(.message(message))
    }

    private func follow(_ event: ZeroMQMonitor.Event) {
        switch event.kind {
        case .handshakeSucceeded: onEvent(.connected)
        case .handshakeFailed: onEvent(.keyRefused)
        case .disconnected where isOwner: connection.end(event.value)
        case .disconnected: onEvent(.lost)
        case .accepted: connection.accept(event.value)
        case .connected: break
        }
    }

    /// A guest whose connection has ended is lost as soon as the library cannot reach it, however long that takes: only
    /// then everything that the guest has said is there.
    private func loseGuest() throws {
        guard connection.hasEnded, try !send(.probe) else { return }
        while let message = try receive() { try handle(message) }
        // It may have said goodbye, or another one may have said hello.
        guard connection.hasEnded else { return }
        connection.leave()
        onEvent(.lost)
    }

    /// Sends a message if the other side can be reached.
    private func send(_ message: JoinMessage) throws -> Bool {
        let data = try JSONValue(encoding: message).encoded()
        guard isOwner else { return try socket.send([data]) }
        guard let guest = connection.guest else { return false }
        return try socket.send([guest, data])
    }

    /// The next valid message of the other side, if any.
    private func receive() throws -> JoinMessage? {
        while let (received, descriptor) = try socket.receiveFromConnection() {
            var parts = received
            let sender = isOwner ? parts.removeFirst() : Data()
            // A client with the key may still send malformed messages.
            guard let data = parts.first, let message = try? JSONValue.parse(data).decode(JoinMessage.self) else {
                continue
            }
            if isOwner, case .hello = message {
                while let event = try monitor.next() { follow(event) }
                if let former = connection.guest, former != sender {
                    let farewell = JoinMessage.bye("another lab has joined in its place")
                    _ = try socket.send([former, try JSONValue(encoding: farewell).encoded()])
                }
                connection.greet(sender, over: descriptor)
            }
            if isOwner, sender != connection.guest { continue }
            return message
        }
        return nil
    }

    /// Sends the last message, and waits until it is confirmed.
    private func leave(saying farewell: JoinMessage) throws {
        guard try send(farewell) else { return }
        let end = MonotonicClock.nanoseconds() + Self.farewellPatience
        while MonotonicClock.nanoseconds() < end {
            while let message = try receive() { if case .bye = message { return } }
            while let event = try monitor.next() { if event.kind == .disconnected { return } }
            _ = try ZeroMQPoll.poll(sockets: [socket, monitor.socket], timeoutMilliseconds: 20)
        }
    }
}
