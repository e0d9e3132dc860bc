// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice

/// Body of `userInfoRefusal`: why the receiver does not take a transfer.
struct RefusalBody: Codable, Equatable, Sendable {
    /// A `WCError.Code`.
    var code: Int
}

/// Body of `state` between two agents: what a device publishes about its apps.
struct PublishedState: Codable, Equatable, Sendable {
    struct App: Codable, Equatable, Sendable {
        var isInstalled = true
        /// Whether a process of the app is attached.
        var isAttached = false
        /// Whether its watch session is activated.
        var isActivated = false
        /// Watch only: what the app itself sees as reachable.
        var isReachable = false
        /// Watch only: whether the face shows a complication of the app.
        var hasComplication = false
    }

    /// Whether the device was unlocked since it started.
    var isUnlocked = true
    /// The device's apps that take part in this link, by actor name.
    var apps: [String: App] = [:]
}

/// Where an app of this device is in its life, as far as the link cares.
struct AppPresence: Equatable, Sendable {
    /// A process of the app is attached to the agent.
    var isAttached = false
    /// Its watch session is activated.
    var isActivated = false
    var isForeground = false
    var isSuspended = false
}

/// Why the other agent ends the connection; the sequence number of a `bye` frame.
enum ByeReason: UInt64, Sendable {
    /// The two devices went out of range.
    case outOfRange = 1
    case shutdown = 2
    /// The app's name was taken over by a newer process.
    case replaced = 3
    /// The frame has a major version that this agent does not support.
    case version = 4
    case erased = 5
    /// The phone uses another watch from now on.
    case switched = 6
    /// The phone is no longer paired with the watch; the epoch of the frame names the pairing that has ended.
    case unpaired = 7
}

/// How much a queue of a link holds; more is refused with `WCError` 7015 (watch.md, section 9.7).
struct QueueCapacity: Equatable, Sendable {
    /// Greatest number of transfers.
    var transfers = 20_000
    /// Contents together, in bytes; the last transfer that is taken may exceed it.
    var size = 64 * 1024 * 1024

    func isFull(transfers count: Int, size bytes: Int) -> Bool { count >= transfers || bytes >= size }
}

/// The last received state of the other device.
struct StateVersion: Equatable, Sendable {
    /// The process of the other agent that has counted it.
    var process: UInt64 = 0
    /// Its number, from 1; 0 for none.
    var number: UInt64 = 0
}

/// Body of `hello` and `welcome` between two agents: the sender, and how far guaranteed transfers have come.
struct GreetingBody: Codable, Equatable, Sendable {
    /// One greeting of one process of an agent; the later one is greater.
    struct Identifier: Codable, Comparable, Sendable {
        /// Number of the boot in which the process began, so that a restart is noticed.
        var process: UInt64
        /// Number among the process' own `hello`s, from 1; of a `welcome`, the number of the last `hello` before it.
        var number: UInt64

        static func < (one: Self, other: Self) -> Bool { (one.process, one.number) < (other.process, other.number) }
    }

    var device: String
    /// The sender's pairing; 0 for a watch without one.
    var pairing: UInt64
    /// Identifies this greeting: it belongs to one connection, and a late copy of it to no connection.
    var identifier: Identifier
    /// `welcome`: the `hello` that it answers.
    var answers: Identifier?
    /// Process identifier of the agent. Its end is the end of the link.
    var pid: Int32
    /// Identifies the speaker's outbox.
    var epoch: UInt64
    /// The listener's outbox as the speaker knows it, and the last transfer that arrived from it.
    var receivedEpoch: UInt64
    /// Sequence number of that transfer; 0 for none.
    var receivedSequence: UInt64
    /// The last numbers that came as a tombstone.
    var skipped: [UInt64]
    /// For each app of the speaker: the version of the last application context that arrived for it.
    var receivedContexts: [String: UInt64]
}

/// Why an agent pays no attention to a greeting.
enum GreetingRefusal: Error, Equatable, CustomStringConvertible, Sendable {
    /// Its body is not one of a greeting.
    case unreadable
    /// It comes from a device that this one is not paired with.
    case unpaired(String)
    /// It belongs to a connection that is over.
    case late

    /// What is wrong, in words.
    var description: String {
        switch self {
        case .unreadable: "it is not a greeting"
        case .unpaired(let name): "it is a greeting of the unpaired device `\(name)`"
        case .late: "it is a greeting of a connection that is over"
        }
    }
}

/// Which greetings belong to the connection between two agents, and which are late or from an unpaired device.
///
/// A value that decides and does nothing else.
struct GreetingRules: Equatable, Sendable {
    /// Number of the boot in which this agent's process began.
    let process: UInt64
    /// Name of the only device that may greet.
    let peer: String
    /// How many times this end has sent `hello`.
    private var said: UInt64 = 0
    /// Every `hello` of this end up to this one was answered, or no longer needs an answer.
    private var settled: UInt64 = 0
    /// The last greeting of the other agent.
    private var heard = GreetingBody.Identifier(process: 0, number: 0)

    init(process: UInt64, peer: String) {
        self.process = process
        self.peer = peer
    }

    /// Identifies a `welcome` of now.
    var identifier: GreetingBody.Identifier { GreetingBody.Identifier(process: process, number: said) }

    /// Identifies the next `hello`.
    mutating func next() -> GreetingBody.Identifier {
        said += 1
        return identifier
    }

    /// Reads a greeting that belongs to the connection that is, or is to be.
    func read(_ frame: WatchFrame) throws(GreetingRefusal) -> GreetingBody {
        guard let body = try? frame.decodeBody(GreetingBody.self) else { throw .unreadable }
        guard body.device == peer else { throw .unpaired(body.device) }
        if frame.kind == .welcome {
            guard let answers = body.answers, answers.process == process, answers.number > settled,
                answers.number <= said, body.identifier.process >= heard.process
            else { throw .late }
        } else {
            guard body.identifier > heard else { throw .late }
        }
        return body
    }

    /// A greeting was accepted; earlier ones are late from here on, and so are answers to this end's earlier greetings.
    mutating func take(_ body: GreetingBody) {
        heard = max(heard, body.identifier)
        settled = said
    }

    /// The connection, or the reported state of this end, is over, and with it every unanswered `hello`.
    mutating func lose() { settled = said }
}
