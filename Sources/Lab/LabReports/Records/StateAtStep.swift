// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import ScenarioEngine
import ScenarioLanguage

/// The state at one moment of a recorded scenario, derived from the trace events of its processes until then, and from
/// the answers to its commands.
///
/// An immutable value once it is made. Thread rule: any thread.
public struct StateAtStep: Codable, Equatable, Sendable {
    /// Version of the JSON document; increased when a member changes its meaning.
    public static let version = 1

    package struct Process: Codable, Equatable {
        package enum State: String, Codable {
            case running, suspended, ended
        }

        package let name: String
        package let incarnation: Int
        /// The device that it belongs to, or that it is the system of; nil for any other process.
        var device: String?
        package var pid: Int?
        /// The shared memory that the process has open; nil for none.
        var memory: String?
        package var state = State.running
        package var reason: String?
    }

    /// The activation as last reported by the SDK of an app.
    struct Session: Codable, Equatable {
        package let app: String
        var hasActivation: Bool?
        /// The change counter of a shared session.
        package var counter: Int?
        /// Names of the tokens that this app has stored.
        package var tokens: [String] = []
    }

    package struct Lock: Codable, Equatable {
        package let lock: String
        package let app: String
        var isHeld: Bool
        package var milliseconds: Double
    }

    /// An operation that excludes other apps.
    package struct Operation: Codable, Equatable {
        package let type: String
        package let app: String
        /// The shared memory that announces it; nil for an app without.
        var memory: String?
        package var milliseconds: Double
    }

    /// A keychain item, without its value, which no trace contains.
    package struct Item: Codable, Equatable {
        /// The device whose keychain it is in; nil if the record does not name the devices.
        var device: String?
        let accessGroup: String
        let service: String
        let account: String
        /// The app that wrote it last.
        package var writer: String
    }

    /// An activation as the server has stored it.
    package struct Activation: Codable, Equatable {
        package let activationId: String
        package var status: String
        package var reason: String?

        package init(activationId: String, status: String, reason: String? = nil) {
            self.activationId = activationId
            self.status = status
            self.reason = reason
        }
    }

    /// A link between two devices, as last reported by either end.
    package struct Link: Codable, Equatable {
        package let link: String
        var endsThatAreUp: [String] = []
        /// Identifiers of guaranteed messages that were accepted and whose outcome was not reported to any app yet.
        package var underWay: [String] = []
    }

    struct WatchSession: Codable, Equatable {
        package let app: String
        var isPaired: Bool
        var isInstalled: Bool
        var isReachable: Bool
    }

    /// An HTTP request without a response.
    package struct Request: Codable, Equatable {
        package let app: String
        package let path: String
        package var milliseconds: Double
    }

    /// The lab's clock, if it was changed.
    package struct Clock: Codable, Equatable {
        /// Its offset from real time, in milliseconds.
        package let offset: Int
        let isFrozen: Bool
        package let rate: Int
    }

    package var version = Self.version
    package var run = ""
    /// The scenario, with its row and its round.
    package var scenario = ""
    /// The last step before the moment; nil before the first.
    package var step: String?
    /// The time since the scenario began.
    package var milliseconds = 0.0
    package var processes: [Process] = []
    var sessions: [Session] = []
    package var keychain: [Item] = []
    package var locks: [Lock] = []
    package var operations: [Operation] = []
    package var activations: [Activation] = []
    package var requests: [Request] = []
    package var links: [Link] = []
    var watchSessions: [WatchSession] = []
    var lockedDevices: [String] = []
    package var clock: Clock?

    /// The document for programs, with sorted keys.
    public func rendered() throws -> String {
        try JSONTextEncoder.document(self) + "\n"
    }

    /// The lines for people.
    public var lines: [String] {
        let place = step.map { "after step \($0)" } ?? "before the first step"
        let heading = "\(place) of \(scenario) in run \(run), \(Self.time(milliseconds)) after it began:"
        return [heading] + rows.flatMap { name, lines in lines.isEmpty ? [] : InspectionText.rows(name, lines) }
    }

    private var rows: [(name: String, lines: [String])] {
        let clock = clock.map { [text($0)] } ?? []
        return [
            ("processes", processes.map(text)), ("sessions", sessions.map(text)), ("keychain", keychain.map(text)),
            ("locks", locks.map(text)), ("operations", operations.map(text)), ("server", activations.map(text)),
            ("requests", requests.map(text)), ("links", links.map(text)),
            ("watch sessions", watchSessions.map(text)), ("devices", lockedDevices.map { "\($0) is locked" }),
            ("clock", clock),
        ]
    }

    private func text(_ request: Request) -> String {
        "\(request.app) waits for \(request.path), since \(Self.time(request.milliseconds))"
    }

    private func text(_ process: Process) -> String {
        let name = "\(process.name)#\(process.incarnation)"
        switch process.state {
        case .running: return "\(name) runs" + (process.pid.map { " (pid \($0))" } ?? "")
        case .suspended: return "\(name) is suspended"
        case .ended: return "\(name) has ended" + (process.reason.map { ": \($0)" } ?? "")
        }
    }

    private func text(_ session: Session) -> String {
        let activation = session.hasActivation.map { $0 ? "an activation" : "no activation" }
        let counter = session.counter.map { "counter \($0)" }
        let tokens =
            session.tokens.isEmpty
            ? nil : "token\(session.tokens.count > 1 ? "s" : "") \(session.tokens.joined(separator: ", "))"
        return "\(session.app): \([activation, counter, tokens].compactMap(\.self).joined(separator: ", "))"
    }

    private func text(_ item: Item) -> String {
        "\(item.accessGroup) \(item.service) \(item.account), written by \(item.writer)"
    }

    private func text(_ lock: Lock) -> String {
        let what = lock.isHeld ? "holds" : "waits for"
        return "\(lock.app) \(what) the \(lock.lock) lock, since \(Self.time(lock.milliseconds))"
    }

    private func text(_ operation: Operation) -> String {
        "\(operation.type) of \(operation.app), since \(Self.time(operation.milliseconds))"
    }

    private func text(_ activation: Activation) -> String {
        "activation \(activation.activationId) is \(activation.status)" + (activation.reason.map { " (\($0))" } ?? "")
    }

    private func text(_ link: Link) -> String {
        let ends = link.endsThatAreUp
        let state = ends.isEmpty ? "down" : ends.count == 1 ? "up for \(ends[0]) only" : "up"
        let count = link.underWay.count
        let messages = count == 0 ? "" : ", \(count) guaranteed message\(count > 1 ? "s" : "") under way"
        return "\(link.link) is \(state)\(messages)"
    }

    private func text(_ session: WatchSession) -> String {
        let paired = session.isPaired ? "paired" : "not paired"
        let installed = session.isInstalled ? "counterpart installed" : "counterpart not installed"
        return "\(session.app): \(paired), \(installed), \(session.isReachable ? "reachable" : "not reachable")"
    }

    private func text(_ clock: Clock) -> String {
        let rate = clock.isFrozen ? "stands still" : clock.rate == 1 ? "runs" : "runs \(clock.rate) times as fast"
        return "\(Self.time(Double(clock.offset))) ahead, \(rate)"
    }

    private static func time(_ milliseconds: Double) -> String {
        milliseconds < 1000 ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1000)
    }
}

/// The steps of a recorded scenario and their ends, on `MonotonicClock`.
struct StepEnds {
    private struct End {
        let step: String
        let time: UInt64
        var isFine: Bool
    }

    /// The record that they are from.
    let history: [HistoryEvent]
    /// When the scenario began, in nanoseconds.
    package let begin: UInt64
    private let ends: [End]
    private let last: UInt64

    /// Nil if nothing is recorded; the directory is empty if the scenario did not run.
    init?(in directory: String) {
        guard let history = History.read(in: directory), let first = history.first?.time else { return nil }
        self.history = history
        begin = first
        last = history.map(\.time).max() ?? first
        var begins: [String: UInt64] = [:]
        var ends: [End] = []
        for event in history {
            guard let step = event.step else { continue }
            if event.kind == .stepStarted { begins[step] = event.time }
            guard case .stepFinished(let isFine) = event.fact else { continue }
            // A step that passed allows failures inside it: the loser of a race, an attempt that was repeated.
            if isFine, let begin = begins[step] {
                for index in ends.indices.reversed() {
                    guard ends[index].time >= begin else { break }
                    if ends[index].step.hasPrefix(step + ".") { ends[index].isFine = true }
                }
            }
            ends.append(End(step: step, time: event.time, isFine: isFine))
        }
        self.ends = ends
    }

    /// Finds a moment.
    /// - Parameter place: The number of a step, or a time since the beginning; nil means after the first step that
    ///   failed, or else after the last one.
    /// - Returns: The moment, and the last step that had ended by then.
    /// - Throws: ``BadUsage`` for a step that did not end.
    package func moment(at place: String?) throws -> (step: String?, time: UInt64) {
        guard let place else {
            let end = ends.first { !$0.isFine } ?? ends.last
            return (end?.step, end?.time ?? last)
        }
        if let end = ends.last(where: { $0.step == place }) { return (end.step, end.time) }
        if let age = LabDuration(place), age.nanoseconds >= 0 {
            let time = begin + UInt64(age.nanoseconds)
            return (ends.last { $0.time <= time }?.step, time)
        }
        let steps = ends.map(\.step)
        let known =
            steps.isEmpty ? "none has" : "those that have are \(listed(steps.prefix(20).map { "`\($0)`" }, by: "and"))"
        throw BadUsage(sentence: "no step \(place) has ended; \(known). A time is written as in `150ms`")
    }
}
