import Foundation
import LabSystem
import ZeroMQ

/// What the thread of a `ControlClient` does: sends what waits, takes replies, and ends calls whose time is over or
/// whose process has died.
struct ControlClientLoop: ~Copyable {
    private struct Pending {
        let call: ControlCall
        var isSent = false
        var process: ProcessWatch?
        /// When the call ends as `peerDied`, on `MonotonicClock`; set when the process has died.
        var lastChance: UInt64?

        var end: UInt64 { min(call.deadline, lastChance ?? .max) }
    }

    /// How long a reply of a dead process may still be on its way through the kernel and the ZeroMQ thread.
    private static let graceNanoseconds: UInt64 = 20_000_000

    private let socket: ZeroMQSocket
    private let mailbox: ControlMailbox
    private let layout: InstanceLayout
    private let name: String
    private var pending: [Pending] = []
    private var lastProcess: ProcessWatch?

    init(socket: ZeroMQSocket, mailbox: ControlMailbox, layout: InstanceLayout, name: String) {
        self.socket = socket
        self.mailbox = mailbox
        self.layout = layout
        self.name = name
    }

    mutating func run() throws {
        while true {
            let content = mailbox.take()
            pending += content.calls.map { Pending(call: $0, process: $0.process) }
            if content.isInterrupted || content.isStopping {
                let reason = ControlError(name: "interrupted", message: "the command was interrupted")
                for entry in take(where: { _ in true }) { entry.call.completion(.failure(reason)) }
            }
            if content.isStopping {
                mailbox.close(ControlError(name: "interrupted", message: "the connection to '\(name)' is closed"))
                return
            }
            try sendWaiting()
            try wait()
            while let frames = try socket.receive() { try deliver(frames) }
            endOverdue()
        }
    }

    private mutating func sendWaiting() throws {
        for index in pending.indices where !pending[index].isSent && pending[index].lastChance == nil {
            // Refused as long as no process is connected.
            guard try socket.send([pending[index].call.message]) else { return }
            pending[index].isSent = true
            if pending[index].process == nil { pending[index].process = answeringProcess() }
        }
    }

    /// The process at the endpoint. Its id is read anew each time: the process may have been relaunched.
    private mutating func answeringProcess() -> ProcessWatch? {
        guard let pid = EndpointGuard.owner(layout, name: name) else { return nil }
        if let lastProcess, lastProcess.pid == pid, !lastProcess.hasEnded { return lastProcess }
        lastProcess = try? ProcessWatch(pid: pid)
        return lastProcess
    }

    private mutating func wait() throws {
        let watched = pending.indices.filter { pending[$0].lastChance == nil && pending[$0].process != nil }
        let descriptors = watched.map { pending[$0].process?.rawDescriptor ?? -1 }
        let isBlocked = pending.contains { !$0.isSent && $0.lastChance == nil }
        let ready = try ZeroMQPoll.poll(
            sockets: [socket], writers: isBlocked ? [socket] : [], descriptors: [mailbox.rawDescriptor] + descriptors,
            timeoutMilliseconds: millisecondsToNextEnd())
        let now = MonotonicClock.nanoseconds()
        for (position, index) in watched.enumerated() where ready.descriptors[position + 1] {
            pending[index].lastChance = pending[index].isSent ? now + Self.graceNanoseconds : now
        }
    }

    private func millisecondsToNextEnd() -> Int {
        guard let end = pending.map(\.end).min() else { return -1 }
        let now = MonotonicClock.nanoseconds()
        return end <= now ? 0 : Int(clamping: (end - now + 999_999) / 1_000_000)
    }

    private mutating func deliver(_ frames: [Data]) throws {
        if frames.last == Farewell.message {
            // All replies before it have been taken; if the server cannot hear it any more, it has left anyway.
            _ = try socket.send([Farewell.message])
            return
        }
        guard frames.count == 1, let json = try? JSONValue.parse(frames[0]), let reply = ControlReply(json: json)
        else { return }
        // A reply to a call that has ended meanwhile finds nothing and is dropped.
        for entry in take(where: { $0.call.id == reply.id }) { entry.call.completion(.success(reply)) }
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
            let when = entry.isSent ? "before it answered '\(call.command)'" : "before '\(call.command)' reached it"
            return ControlError(name: "peerDied", message: "the process at '\(name)'\(pid) died \(when)")
        }
        let cause =
            entry.isSent
            ? "'\(name)' did not answer '\(call.command)' within \(call.timeout)"
            : "nobody answered at '\(name)' within \(call.timeout); is the process running?"
        return ControlError(name: "timedOut", message: cause)
    }
}
