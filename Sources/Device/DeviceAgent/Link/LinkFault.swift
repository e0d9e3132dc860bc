// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import SimulatedDevice

/// An injected fault of messages on the link, in one direction.
struct LinkFault: Equatable, Sendable {
    enum Effect: Equatable, Sendable {
        /// It takes a time of the lab's clock, which varies by `jitter` up and down, and of which `rate` bytes a second are
        /// a part when there is a rate.
        case slow(by: LabDuration, jitter: LabDuration, rate: Int? = nil)
        /// It is lost, `burst` in a row on average.
        case drop(burst: Int)
        /// It arrives twice.
        case duplicate
        case reorder
        /// A byte is changed, counted from 1; nil leaves the choice to the seed.
        case corrupt(byte: Int?)
        /// It is lost like everything else, greetings included.
        case cut
    }

    /// Which messages are hit.
    struct Aim: Equatable, Sendable {
        /// Nil for all that apps send, and their confirmations.
        var kind: LinkMessageKind?
        /// How likely each is hit.
        var chance = 1.0
        /// Only every so-many-th.
        var every = 1
        /// How many pass first.
        var skip = 0
        /// How many are hit at most.
        var times: Int?
    }

    /// How the fault is found again.
    var id: String
    var effect: Effect
    var direction: LinkDirection
    var aim = Aim()

    /// The command that arms it.
    var word: LinkFaultWord {
        switch effect {
        case .slow: .slow
        case .drop: .drop
        case .duplicate: .duplicate
        case .reorder: .reorder
        case .corrupt: .corrupt
        case .cut: .cut
        }
    }

    /// Whether the fault is about a frame. The end of a connection is not on the air: each device notices it by itself.
    func isAbout(_ frame: WatchFrame, _ direction: LinkDirection) -> Bool {
        guard direction == self.direction, frame.kind != .bye else { return false }
        if effect == .cut { return true }
        guard let kind = frame.messageKind else { return false }
        return aim.kind.map { $0 == kind } ?? (kind != .state)
    }
}

extension LinkFault: CustomStringConvertible {
    /// Its effect and the messages it applies to, in words.
    var description: String {
        let action =
            switch effect {
            case .slow(let by, let jitter, let rate):
                "takes \(by)" + (jitter > .zero ? ", give or take \(jitter)" : "")
                    + (rate.map { ", at \($0) bytes a second" } ?? "")
            case .drop(let burst): "is lost" + (burst > 1 ? ", \(burst) in a row on average" : "")
            case .duplicate: "arrives twice"
            case .reorder: "is overtaken by the next one"
            case .corrupt(let byte): "has " + (byte.map { "byte \($0)" } ?? "a byte") + " changed"
            case .cut: "is lost without an error"
            }
        return ([subject + " " + action] + aim.restrictions).joined(separator: ", ")
    }

    private var subject: String {
        effect == .cut ? "everything" : aim.kind.map { "each message of the kind \($0.rawValue)" } ?? "each message"
    }
}

extension LinkFault.Aim {
    fileprivate var restrictions: [String] {
        (chance < 1 ? ["with the chance \(chance)"] : []) + (every > 1 ? ["one of \(every)"] : [])
            + (skip > 0 ? ["after the first \(skip)"] : []) + (times.map { ["at most \($0)"] } ?? [])
    }
}

extension WatchFrame {
    /// The kind of a frame between two agents in a scenario; nil for those that begin, keep or end a connection.
    var messageKind: LinkMessageKind? {
        switch kind {
        case .live: .live
        case .liveReply, .liveError: .reply
        case .userInfo, .filePart, .userInfoTombstone: .transfer
        case .liveAcknowledgement, .userInfoAcknowledgement, .userInfoGap, .userInfoRefusal, .contextAcknowledgement:
            .acknowledgement
        case .context: .context
        case .state: .state
        default: nil
        }
    }
}
