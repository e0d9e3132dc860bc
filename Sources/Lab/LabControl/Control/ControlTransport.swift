// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import ZeroMQ

/// What control messages travel through.
public enum ControlTransport {
    /// The library and its version, `libzmq 4.3.5`.
    public static var library: String { "libzmq \(ZeroMQLibrary.version)" }
}

/// The right to answer at an endpoint: a lock taken before `bind`, because a second ZeroMQ bind on a live ipc path
/// succeeds silently and takes the path over.
///
/// Thread rule: any thread.
final class EndpointGuard: Sendable {
    private let lock: FileLock

    /// Takes the endpoint, or throws `InstanceError.endpointTaken` when another process answers there.
    init(_ layout: InstanceLayout, _ endpoint: InstanceEndpoint) throws {
        let path = try layout.endpointLockPath(endpoint)
        lock = try FileLock(path: path)
        guard try lock.tryLock() else {
            throw InstanceError.endpointTaken(name: endpoint.actor, pid: Self.owner(layout, endpoint))
        }
        let pid = Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        try lock.descriptor.truncate(to: 0)
        try lock.descriptor.writeAll(pid, at: 0)
    }

    /// Gives the endpoint up; call it after the socket was closed.
    func release() throws { try lock.unlock() }

    /// The process that answers at an endpoint, or did so last.
    static func owner(_ layout: InstanceLayout, _ endpoint: InstanceEndpoint) -> Int32? {
        guard let path = try? layout.endpointLockPath(endpoint), let data = try? Files.read(path) else { return nil }
        return Int32(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

/// How a control client and a server meet.
///
/// A client says hello on each new connection and sends requests after the server's welcome, so that the server knows
/// all clients that it must notify before it ends.
enum Greeting {
    /// What the client says first.
    static let hello = Data(#"{"hello":true}"#.utf8)

    /// The server's answer: which process it is.
    static func welcome(pid: Int32) -> JSONValue { .object(["welcome": .integer(Int64(pid))]) }

    /// Reads the server's answer; nil if it is not a welcome.
    static func pid(in json: JSONValue) -> Int32? { json["welcome"]?.integerValue.flatMap { Int32(exactly: $0) } }
}

/// How a control server closes its connection to a client.
///
/// A DEALER with `ZMQ_IMMEDIATE` drops replies it has received but not yet handed out when its connection is lost
/// (libzmq 4.3 terminates the pipe without delay), and what it sends into a connection that is being closed is lost.
/// So a server that stops sends each client, behind its last reply, the requests that it has taken, and closes after
/// the clients have confirmed that they have read up to there. The client keeps all other requests for the next server.
struct Farewell {
    /// The ids of the client's requests that were taken and not answered.
    let taken: Set<UInt64>

    init(taken: Set<UInt64>) { self.taken = taken }

    /// Reads a message; nil if it is not a farewell.
    init?(json: JSONValue) {
        guard json["bye"] == .bool(true), case .array(let ids)? = json["taken"] else { return nil }
        taken = Set(ids.compactMap { $0.integerValue.map { UInt64(bitPattern: $0) } })
    }

    /// The message as it travels.
    var json: JSONValue {
        .object(["bye": .bool(true), "taken": .array(taken.sorted().map { .integer(Int64(bitPattern: $0)) })])
    }

    /// What the client answers.
    static let confirmation = Data(#"{"bye":true}"#.utf8)

    /// How long the server waits for all confirmations; a stopped client never confirms.
    private static let patienceNanoseconds: UInt64 = 1_000_000_000

    /// Sends farewells to clients. Requests that arrive meanwhile are not taken.
    /// - Parameter clients: the clients by routing id, with their requests that were taken and not answered.
    static func say(to clients: [Data: Set<UInt64>], on socket: ZeroMQSocket) throws {
        // A client that is gone already has nothing to confirm.
        let told = try clients.filter { try socket.send([$0.key, Farewell(taken: $0.value).json.encoded()]) }
        var waiting = Set(told.keys)
        let end = MonotonicClock.nanoseconds() + patienceNanoseconds
        while !waiting.isEmpty {
            let now = MonotonicClock.nanoseconds()
            guard now < end else { return }
            let milliseconds = Int((end - now) / 1_000_000) + 1
            _ = try ZeroMQPoll.poll(sockets: [socket], timeoutMilliseconds: milliseconds)
            while let frames = try socket.receive() {
                if frames.count == 2, frames[1] == confirmation { waiting.remove(frames[0]) }
            }
        }
    }
}
