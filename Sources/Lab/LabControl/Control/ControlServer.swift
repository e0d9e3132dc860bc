// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem
import Synchronization
import ZeroMQ

/// Answers commands at a control endpoint, on a thread of its own.
///
/// Thread rule: any thread. The handler runs on the server's thread and must not block: it hands the work on and the
/// `ControlResponder` answers later, from any thread.
public final class ControlServer: Sendable {
    /// The largest message accepted, in bytes.
    static let maximumMessageSize: Int64 = 16 * 1024 * 1024

    private let outbox: ControlOutbox
    private let endpointGuard: EndpointGuard
    private let thread: ThreadHandle

    /// Starts answering; the endpoint accepts connections when this returns.
    /// - Parameters:
    ///   - endpoint: where to answer, e.g. `.peer("main")`.
    ///   - incarnation: which incarnation of the process this is; repeated in the replies.
    ///   - onRequest: gets each well-formed request; anything else is answered with an error here.
    /// - Throws: `InstanceError.endpointTaken` when another process answers there.
    public init(
        _ layout: InstanceLayout, _ endpoint: InstanceEndpoint, incarnation: Int? = nil,
        onRequest: @escaping @Sendable (ControlRequest, ControlResponder) -> Void
    ) throws {
        let address = try layout.address(of: endpoint)
        endpointGuard = try EndpointGuard(layout, endpoint)
        let outbox = try ControlOutbox()
        self.outbox = outbox
        let started = OneShot<Result<Void, any Error>>()
        thread = runOnThread(name: "control") {
            // A context of its own: ending it waits until the last replies have left.
            let context = ZeroMQContext()
            do {
                let socket = try ZeroMQSocket(context, .router)
                try socket.set(.routerMandatory(true))
                try socket.set(.sendHighWaterMark(0))
                try socket.set(.maxMessageSize(Self.maximumMessageSize))
                try socket.set(.linger(milliseconds: 250))
                try socket.bind(address)
                started.set(.success(()))
                do {
                    try ControlServer.serve(socket, outbox: outbox, incarnation: incarnation, onRequest: onRequest)
                } catch {
                    // The lab cannot reach the process without its endpoint; all clients see its death at once.
                    fatalError("the control endpoint '\(endpoint.fileName)' failed: \(error)")
                }
            } catch {
                started.set(.failure(error))
            }
        }
        do {
            try started.wait().get()
        } catch {
            thread.join()
            try endpointGuard.release()
            throw error
        }
    }

    /// Stops answering, after the clients have taken the replies given before; waits for them a second at most. Must
    /// not be called from the handler.
    public func stop() {
        outbox.stop()
        thread.join()
        // Fails only for a closed descriptor, and this one is open.
        try? endpointGuard.release()
    }

    private static func serve(
        _ socket: ZeroMQSocket, outbox: ControlOutbox, incarnation: Int?,
        onRequest: @Sendable (ControlRequest, ControlResponder) -> Void
    ) throws {
        // Who said hello, and each one's requests that were taken and not answered.
        var clients: [Data: Set<UInt64>] = [:]
        while true {
            let (replies, isStopping) = outbox.take()
            // False means that the client has gone; its reply is dropped.
            for reply in replies {
                if try socket.send([reply.client, reply.message]) {
                    clients[reply.client]?.remove(reply.id)
                } else {
                    clients[reply.client] = nil
                }
            }
            if isStopping { return try Farewell.say(to: clients, on: socket) }
            _ = try ZeroMQPoll.poll(sockets: [socket], descriptors: [outbox.rawDescriptor])
            while let frames = try socket.receive() {
                // A ROUTER puts the client's routing id before the message.
                guard let client = frames.first else { continue }
                if frames.last == Greeting.hello {
                    let welcome = Greeting.welcome(pid: ProcessInfo.processInfo.processIdentifier)
                    if try socket.send([client, welcome.encoded()]) { clients[client] = [] }
                    continue
                }
                let received = MonotonicClock.nanoseconds()
                func responder(_ id: UInt64) -> ControlResponder {
                    ControlResponder(
                        outbox: outbox, client: client, id: id, incarnation: incarnation, received: received)
                }
                do {
                    let request = try read(frames)
                    clients[client]?.insert(request.id)
                    onRequest(request, responder(request.id))
                } catch {
                    responder(error.id).fail(error.error)
                }
            }
        }
    }

    private struct Malformed: Error {
        let id: UInt64
        let error: ControlError
    }

    private static func read(_ frames: [Data]) throws(Malformed) -> ControlRequest {
        guard frames.count == 2 else {
            throw Malformed(id: 0, error: .badRequest("a request has one part, this one has \(frames.count - 1)"))
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(frames[1])
        } catch {
            throw Malformed(id: 0, error: .badRequest("\(error)"))
        }
        do {
            return try ControlRequest(json: json)
        } catch {
            throw Malformed(id: json["id"]?.integerValue.map { UInt64(bitPattern: $0) } ?? 0, error: error)
        }
    }
}

/// Answers one request, once; later answers are dropped. A responder that is released without an answer answers
/// with an error, so that no caller waits for its timeout.
///
/// Thread rule: any thread.
public final class ControlResponder: Sendable {
    private let outbox: ControlOutbox
    private let client: Data
    private let id: UInt64
    private let incarnation: Int?
    private let received: UInt64
    private let isAnswered = Atomic<Bool>(false)

    init(outbox: ControlOutbox, client: Data, id: UInt64, incarnation: Int?, received: UInt64) {
        self.outbox = outbox
        self.client = client
        self.id = id
        self.incarnation = incarnation
        self.received = received
    }

    deinit { fail(ControlError(.failed, message: "the process dropped the command without an answer")) }

    /// Answers with a result.
    public func succeed(_ result: JSONValue = .null) { reply(.success(result)) }

    /// Answers with an error.
    public func fail(_ error: ControlError) { reply(.failure(error)) }

    /// Answers with a result or an error.
    /// - Parameter worked: How long the work took, in nanoseconds; nil for all the time since the request arrived.
    public func reply(_ outcome: Result<JSONValue, ControlError>, worked: UInt64? = nil) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let reply = ControlReply(
            id: id, outcome: outcome, incarnation: incarnation,
            handlingNanoseconds: worked ?? MonotonicClock.nanoseconds() - received)
        outbox.add(OutgoingReply(client: client, id: id, message: reply.json.encoded()))
    }
}

/// A reply on its way to the client that a ROUTER knows by `client`.
struct OutgoingReply: Sendable {
    let client: Data
    let id: UInt64
    let message: Data
}

/// Replies on their way to the server's thread. Thread rule: any thread.
final class ControlOutbox: Sendable {
    private let state = Mutex<(replies: [OutgoingReply], isStopping: Bool)>(([], false))
    private let wake: EventDescriptor

    init() throws { wake = try EventDescriptor() }

    var rawDescriptor: Int32 { wake.rawDescriptor }

    func add(_ reply: OutgoingReply) {
        state.withLock { $0.replies.append(reply) }
        wake.signal()
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
    }

    /// Takes all replies, and whether the server shall stop after sending them.
    func take() -> (replies: [OutgoingReply], isStopping: Bool) {
        wake.drain()
        return state.withLock { state in
            defer { state.replies = [] }
            return state
        }
    }
}
