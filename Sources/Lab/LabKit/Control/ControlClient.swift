import Foundation
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
    ///
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
