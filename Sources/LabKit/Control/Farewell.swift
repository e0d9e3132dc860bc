import Foundation
import LabSystem
import ZeroMQ

/// How a control server takes leave of its clients.
///
/// A DEALER with `ZMQ_IMMEDIATE` drops replies it has received but not yet handed out when its connection is lost
/// (libzmq 4.3 terminates the pipe without delay). So a server that stops tells each client, behind its last
/// reply, that it is leaving, and closes after the clients have confirmed that they have read up to there.
enum Farewell {
    /// The message, the same in both directions.
    static let message = Data(#"{"bye":true}"#.utf8)

    /// How long the server waits for all confirmations; a stopped client never confirms.
    private static let patienceNanoseconds: UInt64 = 250_000_000

    /// Takes leave of clients; other messages that arrive meanwhile are dropped.
    static func say(to clients: Set<Data>, on socket: ZeroMQSocket) throws {
        // A client that is gone already has nothing to confirm.
        var waiting = try clients.filter { try socket.send([$0, message]) }
        let end = MonotonicClock.nanoseconds() + patienceNanoseconds
        while !waiting.isEmpty {
            let now = MonotonicClock.nanoseconds()
            guard now < end else { return }
            let milliseconds = Int((end - now) / 1_000_000) + 1
            _ = try ZeroMQPoll.poll(sockets: [socket], timeoutMilliseconds: milliseconds)
            while let frames = try socket.receive() {
                if frames.count == 2, frames[1] == message { waiting.remove(frames[0]) }
            }
        }
    }
}
