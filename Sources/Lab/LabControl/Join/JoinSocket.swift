// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
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

/// The guest of an owner, and whether its connection has ended.
///
/// A connection is known by its descriptor, which a later connection may get again. The library reports the end of the
/// first one before the acceptance of the second, and both before the first message of the second: all reports are
/// to be taken before a hello.
///
/// A value that decides and does nothing else.
struct GuestConnection: Equatable {
    /// The guest that has said hello last.
    private(set) var guest: Data?
    /// The guest's connection has ended. The library may not have noticed yet, and still take messages for the guest.
    private(set) var hasEnded = false
    /// The guest's connection; nil when unknown.
    private var descriptor: Int32?
    /// Connections that have ended, unless a later one has the same descriptor.
    private var ended: Set<Int32> = []

    /// A connection was accepted.
    mutating func accept(_ descriptor: Int32) { ended.remove(descriptor) }

    /// A connection has ended.
    mutating func end(_ descriptor: Int32) {
        ended.insert(descriptor)
        // An unknown connection may be any.
        if guest != nil, self.descriptor == nil || self.descriptor == descriptor { hasEnded = true }
    }

    /// A guest has said hello, over this connection.
    mutating func greet(_ guest: Data, over descriptor: Int32?) {
        self.guest = guest
        self.descriptor = descriptor
        hasEnded = descriptor.map(ended.contains) ?? false
    }

    /// The guest has said goodbye, or is lost.
    mutating func leave() {
        guest = nil
        descriptor = nil
        hasEnded = false
    }
}
