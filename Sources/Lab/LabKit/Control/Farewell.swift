import Foundation
import LabSystem
import ZeroMQ

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
    ///
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
