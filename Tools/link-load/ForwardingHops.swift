// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import ZeroMQ

/// The hops of a message from app to app, each in its own process that only forwards it: the cost of the library
/// itself.
final class ForwardingHops {
    private let directory: String
    private let processes: [ChildProcess]
    private let socket: ZeroMQSocket
    private let message = [Data(count: 90), Data(count: 100)]

    /// Two processes in place of the two agents, and a thread that answers in place of the other app.
    init() throws {
        directory = try MeasuredLink.newDirectory("hops")
        let addresses = (0..<3).map { [directory] in "ipc://\(directory)/\($0)" }
        processes = try (0..<2).map { index in
            try ChildProcess.spawn(
                executable: ProcessTable.executablePath(),
                arguments: ["--forward-from", addresses[index], "--forward-to", addresses[index + 1]],
                deathSignal: SIGKILL)
        }
        let last = addresses[2]
        runOnThread(name: "echo") {
            guard let socket = try? ZeroMQSocket(.shared, .dealer), (try? socket.bind(last)) != nil else {
                return
            }
            while (try? ZeroMQPoll.poll(sockets: [socket])) != nil {
                while let parts = try? socket.receive() { _ = try? socket.send(parts, wait: true) }
            }
        }
        socket = try ZeroMQSocket(.shared, .dealer)
        try socket.connect(addresses[0])
    }

    func roundTrip() throws {
        _ = try socket.send(message, wait: true)
        while try socket.receive() == nil { _ = try ZeroMQPoll.poll(sockets: [socket]) }
    }

    func end() {
        for process in processes { try? process.signal(SIGKILL) }
        try? Files.removeTree(directory)
    }
}

/// One of the processes.
enum ForwardingHop {
    static func run(from: String, to: String) throws {
        let front = try ZeroMQSocket(.shared, .dealer)
        let back = try ZeroMQSocket(.shared, .dealer)
        try front.bind(from)
        try back.connect(to)
        while true {
            _ = try ZeroMQPoll.poll(sockets: [front, back])
            while let parts = try front.receive() { _ = try back.send(parts, wait: true) }
            while let parts = try back.receive() { _ = try front.send(parts, wait: true) }
        }
    }
}
