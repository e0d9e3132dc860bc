// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
public import LabSystem
import Synchronization
import ZeroMQ

/// Sends commands to one control endpoint and takes the replies. Several commands may be under way at the same time.
///
/// The endpoint need not exist yet: commands wait until a process answers there, up to their time-out. The death of the
/// process that got a command ends the wait at once.
///
/// Thread rule: any thread, any number of callers. One thread of the client's own does the talking; completions
/// run there and must not block.
public final class ControlClient: Sendable {
    /// How long an answer may take when the caller says nothing, in real time.
    public static let patience = LabDuration.seconds(30).stretched

    private let mailbox: ControlMailbox
    private let thread: ThreadHandle

    /// Connects to an endpoint such as `.peer("main")`; returns at once, whether or not a process answers there.
    public init(_ layout: InstanceLayout, _ endpoint: InstanceEndpoint) throws {
        let address = try layout.address(of: endpoint)
        let mailbox = try ControlMailbox()
        self.mailbox = mailbox
        let started = OneShot<Result<Void, any Error>>()
        thread = runOnThread(name: "control-client") {
            do {
                let socket = try ZeroMQSocket(.shared, .dealer)
                // Nothing may pile up for a process that is not there: it would come out long after its time.
                try socket.set(.immediate(true))
                try socket.set(.sendHighWaterMark(0))
                try socket.set(.maxMessageSize(ControlServer.maximumMessageSize))
                // Short pauses, because a peer answers within milliseconds of its start.
                try socket.set(.reconnectInterval(first: 2, maximum: 32))
                // Before the connection is made, so that no event of it is missed.
                let monitor = try socket.monitor([.handshakeSucceeded, .disconnected])
                try socket.connect(address)
                started.set(.success(()))
                var loop = ControlClientLoop(
                    socket: socket, monitor: monitor, mailbox: mailbox, layout: layout, endpoint: endpoint)
                try loop.run()
            } catch {
                mailbox.close(error)
                started.set(.failure(error))
            }
        }
        try started.wait().get()
    }

    deinit { mailbox.requestStop() }

    /// Sends a command and waits for the reply.
    /// - Parameters:
    ///   - timeout: real time to wait at most.
    ///   - process: the process that shall answer; its death ends the wait at once, also before the command was sent.
    ///     Without it, the process found at the endpoint when the command is sent is watched.
    /// - Returns: the reply, which may hold the command's own error.
    /// - Throws: `ControlError` named `timedOut`, `peerDied` or `interrupted`.
    public func call(
        _ request: ControlRequest, timeout: LabDuration = ControlClient.patience, watching process: ProcessWatch? = nil
    ) throws(ControlError) -> ControlReply {
        let answer = OneShot<Result<ControlReply, ControlError>>()
        send(request, timeout: timeout, watching: process) { answer.set($0) }
        return try answer.wait().get()
    }

    /// Sends a command and calls `completion` once with the reply or the reason why none came, on the client's thread.
    public func send(
        _ request: ControlRequest, timeout: LabDuration = ControlClient.patience, watching process: ProcessWatch? = nil,
        completion: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        let deadline = MonotonicClock.nanoseconds() &+ UInt64(clamping: timeout.nanoseconds)
        mailbox.add(
            ControlCall(
                id: request.id, command: request.command, message: request.json.encoded(), timeout: timeout,
                deadline: deadline, process: process, completion: completion))
    }

    /// Ends all calls under way with an error named `interrupted`; later calls work again.
    public func interrupt() { mailbox.interrupt() }

    /// Ends all calls and closes the connection. Must not be called from a completion.
    public func close() {
        mailbox.requestStop()
        thread.join()
    }
}

/// A command under way.
struct ControlCall: Sendable {
    let id: UInt64
    let command: String
    let message: Data
    let timeout: LabDuration
    /// On `MonotonicClock`.
    let deadline: UInt64
    let process: ProcessWatch?
    let completion: @Sendable (Result<ControlReply, ControlError>) -> Void
}

/// Calls on their way to the client's thread. Thread rule: any thread.
final class ControlMailbox: Sendable {
    struct Content {
        var calls: [ControlCall] = []
        var isInterrupted = false
        var isStopping = false
        var closed: ControlError?
    }

    private let content = Mutex(Content())
    private let wake: EventDescriptor

    init() throws { wake = try EventDescriptor() }

    var rawDescriptor: Int32 { wake.rawDescriptor }

    func add(_ call: ControlCall) {
        let closed = content.withLock { content in
            if content.closed == nil { content.calls.append(call) }
            return content.closed
        }
        if let closed {
            call.completion(.failure(closed))
        } else {
            wake.signal()
        }
    }

    /// An interruption concerns the calls made before it: those that wait here are ended with the rest.
    func interrupt() {
        content.withLock { $0.isInterrupted = true }
        wake.signal()
    }

    func requestStop() {
        content.withLock { $0.isStopping = true }
        wake.signal()
    }

    func take() -> Content {
        wake.drain()
        return content.withLock { content in
            defer {
                content.calls = []
                content.isInterrupted = false
            }
            return content
        }
    }

    /// Refuses all calls from now on.
    func close(_ error: any Error) {
        let waiting = content.withLock { content in
            content.closed = .failed(error)
            defer { content.calls = [] }
            return content.calls
        }
        for call in waiting { call.completion(.failure(.failed(error))) }
    }
}

/// What the thread of a `ControlClient` does: sends what waits, takes replies, and ends calls whose time is over or
/// whose process has died.
///
/// A request goes only to a process that is there to take it: not before its welcome, not after its farewell, and not
/// when it has ended while the connection still looks alive.
struct ControlClientLoop: ~Copyable {
    private struct Pending {
        let call: ControlCall
        var isSent = false
        var process: ProcessWatch?
        /// When the call ends as `peerDied`, on `MonotonicClock`; set when the process has died or closed the
        /// connection.
        var lastChance: UInt64?

        var end: UInt64 { min(call.deadline, lastChance ?? .max) }
    }

    /// How long a reply of a dead process may still be on its way through the kernel and the ZeroMQ thread.
    private static let graceNanoseconds: UInt64 = 20_000_000

    private let socket: ZeroMQSocket
    private let monitor: ZeroMQMonitor
    private let mailbox: ControlMailbox
    private let layout: InstanceLayout
    private let endpoint: InstanceEndpoint
    private var pending: [Pending] = []
    /// The process that has said welcome on the present connection, and not goodbye.
    private var server: ProcessWatch?
    /// Whether the present connection still waits for its hello.
    private var owesHello = false

    init(
        socket: ZeroMQSocket, monitor: ZeroMQMonitor, mailbox: ControlMailbox, layout: InstanceLayout,
        endpoint: InstanceEndpoint
    ) {
        self.socket = socket
        self.monitor = monitor
        self.mailbox = mailbox
        self.layout = layout
        self.endpoint = endpoint
    }

    mutating func run() throws {
        while true {
            let content = mailbox.take()
            pending += content.calls.map { Pending(call: $0, process: $0.process) }
            if content.isInterrupted || content.isStopping {
                let reason = ControlError(.interrupted, message: "the command was interrupted")
                for entry in take(where: { _ in true }) { entry.call.completion(.failure(reason)) }
            }
            if content.isStopping {
                mailbox.close(
                    ControlError(.interrupted, message: "the connection to '\(endpoint.fileName)' is closed"))
                return
            }
            // The present state of the connection decides whether anything is sent.
            while let frames = try socket.receive() { try deliver(frames) }
            while let event = try monitor.next() { follow(event) }
            let isRefused = try !sendWaiting()
            endOverdue()
            try wait(forRoom: isRefused)
        }
    }

    private mutating func follow(_ event: ZeroMQMonitor.Event) {
        owesHello = event.kind == .handshakeSucceeded
        server = nil
        endAfterGrace { $0.isSent }
    }

    /// Sends what can be sent now.
    /// - Returns: false when the socket refused something: it has not noticed yet that the connection is made or lost.
    private mutating func sendWaiting() throws -> Bool {
        if owesHello {
            guard try socket.send([Greeting.hello]) else { return false }
            owesHello = false
        }
        guard let server, !server.hasEnded else { return true }
        for index in pending.indices where !pending[index].isSent && pending[index].lastChance == nil {
            guard try socket.send([pending[index].call.message]) else { return false }
            pending[index].isSent = true
            if pending[index].process == nil { pending[index].process = server }
        }
        return true
    }

    private mutating func wait(forRoom isRefused: Bool) throws {
        let watched = pending.indices.filter { pending[$0].lastChance == nil && pending[$0].process != nil }
        let descriptors = watched.map { pending[$0].process?.rawDescriptor ?? -1 }
        let ready = try ZeroMQPoll.poll(
            sockets: [socket, monitor.socket], writers: isRefused ? [socket] : [],
            descriptors: [mailbox.rawDescriptor] + descriptors, timeoutMilliseconds: millisecondsToNextEnd())
        let now = MonotonicClock.nanoseconds()
        for (position, index) in watched.enumerated() where ready.descriptors[position + 1] {
            pending[index].lastChance = pending[index].isSent ? now + Self.graceNanoseconds : now
        }
    }

    /// Ends calls soon: a reply may still be on its way to this thread.
    private mutating func endAfterGrace(where isConcerned: (Pending) -> Bool) {
        let end = MonotonicClock.nanoseconds() + Self.graceNanoseconds
        for index in pending.indices where pending[index].lastChance == nil && isConcerned(pending[index]) {
            pending[index].lastChance = end
        }
    }

    private func millisecondsToNextEnd() -> Int {
        guard let end = pending.map(\.end).min() else { return -1 }
        let now = MonotonicClock.nanoseconds()
        return end <= now ? 0 : Int(clamping: (end - now + 999_999) / 1_000_000)
    }

    private mutating func deliver(_ frames: [Data]) throws {
        guard frames.count == 1 else { return refuse("\(frames.count) parts where a message has one") }
        guard let json = try? JSONValue.parse(frames[0]) else { return refuse("something that is no JSON") }
        if let farewell = Farewell(json: json) { return try takeLeave(farewell) }
        if let pid = Greeting.pid(in: json) {
            server = try? ProcessWatch(pid: pid)
            return
        }
        guard let reply = ControlReply(json: json) else { return refuse("a message without an `id`") }
        // A reply to a call that has ended meanwhile is dropped.
        for entry in take(where: { $0.call.id == reply.id }) { entry.call.completion(.success(reply)) }
    }

    /// Ends the calls under way: one of them may have had this answer, and none can be trusted to get another.
    private mutating func refuse(_ what: String) {
        for entry in take(where: { $0.isSent }) {
            entry.call.completion(
                .failure(.badReply("\(endpoint) sent \(what) while '\(entry.call.command)' waited for its answer")))
        }
    }

    /// Confirms that all replies before the farewell have been read, and keeps what the leaving server has not taken
    /// for the next one.
    private mutating func takeLeave(_ farewell: Farewell) throws {
        // If the server can no longer receive it, it has left anyway.
        _ = try socket.send([Farewell.confirmation])
        server = nil
        for index in pending.indices where pending[index].isSent && pending[index].lastChance == nil {
            let entry = pending[index]
            guard !farewell.taken.contains(entry.call.id), entry.process?.hasEnded != true else { continue }
            pending[index].isSent = false
            pending[index].process = entry.call.process
        }
    }

    private mutating func endOverdue() {
        let now = MonotonicClock.nanoseconds()
        for entry in take(where: { $0.end <= now }) { entry.call.completion(.failure(reason(for: entry))) }
    }

    private mutating func take(where isTaken: (Pending) -> Bool) -> [Pending] {
        guard pending.contains(where: isTaken) else { return [] }
        let taken = pending.filter(isTaken)
        pending.removeAll(where: isTaken)
        return taken
    }

    private func reason(for entry: Pending) -> ControlError {
        let call = entry.call
        if entry.lastChance != nil {
            let pid = entry.process.map { " (pid \($0.pid))" } ?? ""
            let end = entry.process?.hasEnded == false ? "closed the connection" : "died"
            let when = entry.isSent ? "before it answered '\(call.command)'" : "before '\(call.command)' reached it"
            return ControlError(.peerDied, message: "\(endpoint)\(pid) \(end) \(when)")
        }
        let cause =
            entry.isSent
            ? "\(endpoint) did not answer '\(call.command)' within \(call.timeout)"
            : "no reply from '\(endpoint.fileName)' within \(call.timeout); is the process running?"
        return ControlError(.timedOut, message: cause)
    }
}
