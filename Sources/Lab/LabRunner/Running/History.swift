// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import Synchronization

/// The record of a run: one JSON line per event, each written with one `write` before the step continues, so that the
/// record of a run killed at any moment is readable.
///
/// Thread rule: any thread; lines of concurrent branches never mix, because the file is opened for appending and each
/// line is one write.
final class History: Sendable {
    /// The file in the directory of a scenario, of a Swift test, or of steps in a running instance.
    static let fileName = "history.jsonl"

    private let file: FileDescriptor
    private let path: String
    /// Masks secrets in every line, and in what is shown of the run.
    let redactor: Redactor
    private let firstFailure = Mutex<String?>(nil)

    /// Opens the history of a directory, which exists; makes the file if it is missing.
    init(in directory: String, redactor: Redactor) throws {
        path = "\(directory)/\(Self.fileName)"
        file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        self.redactor = redactor
    }

    /// Adds an event, stamped with the present time; secrets are masked.
    /// - Parameter step: The step's number; empty outside of steps.
    func record(_ fact: HistoryEvent.Fact, step: String = "") {
        let event = HistoryEvent(time: MonotonicClock.nanoseconds(), step: step.isEmpty ? nil : step, fact)
        do {
            var members = try JSONValue(encoding: event).objectValue ?? [:]
            for (key, value) in members where HistoryEvent.CodingKeys(rawValue: key) == nil {
                members[key] = redactor.redact(value)
            }
            try file.writeAll(JSONValue.object(members).encoded() + Data("\n".utf8))
        } catch {
            let reason = (error as? SystemError)?.sentence ?? "\(error)"
            firstFailure.withLock { $0 = $0 ?? "the record \(path) is not complete: \(reason)" }
        }
    }

    /// Why the record is incomplete, for example because the disk is full; nil if complete.
    var failure: String? { firstFailure.withLock { $0 } }

    /// Reads a history.
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    static func read(in directory: String) -> [HistoryEvent]? {
        guard !directory.isEmpty, let data = try? Files.read("\(directory)/\(fileName)") else { return nil }
        return events(of: data)
    }

    /// The events in the content of a file.
    static func events(of data: Data) -> [HistoryEvent] {
        data.split(separator: 0x0A).compactMap(HistoryEvent.init(line:))
    }
}

/// A line of a history: something that happened in a run, by its steps. Reports, comparisons and pages are made from it.
///
/// The page's script reads the same lines (`CReportPage/front/history.js`); a test compares its keys with these.
struct HistoryEvent: Equatable, Sendable {
    /// The word of a line for what happened.
    enum Kind: String, Codable, CaseIterable {
        case scenarioStarted = "scenario.started"
        case scenarioFinished = "scenario.finished"
        case source
        case stepStarted = "step.started"
        case stepFinished = "step.finished"
        case stepSkipped = "step.skipped"
        case command
        case failure
    }

    /// What happened, with its details.
    enum Fact: Equatable {
        case scenarioStarted(ScenarioStart)
        case scenarioFinished(Verdict)
        /// The file of the following steps; once for each file.
        case source(Source)
        /// A step of a Swift test has no lines in a source.
        case stepStarted(StepStart, SourceLines?)
        case stepFinished(isFine: Bool)
        case stepSkipped(Skip)
        /// A command was answered; a step that waits for something may send it several times.
        case command(Call)
        case failure(Verdict, Failure)
    }

    struct ScenarioStart: Codable, Equatable {
        let id: String
        let name: String
        /// In decimal digits, because a browser's numbers have 53 bits; nil for a Swift test.
        let seed: String?
        /// The devices of the topology, in its order.
        let devices: [Device]
    }

    /// A device and its apps, by their names.
    struct Device: Codable, Equatable {
        let name: String
        let apps: [String]
    }

    struct Source: Codable, Equatable {
        let file: String
        /// The content, without secrets.
        let text: String
    }

    struct StepStart: Codable, Equatable {
        /// The step in short form.
        let title: String
        /// The step in a sentence; nil for a word of the language without a note.
        let sentence: String?
    }

    /// A step's place in its source; lines and columns count from 1.
    struct SourceLines: Codable, Equatable {
        let file: String
        let line: Int
        let column: Int
        let lastLine: Int
        /// `file:line:column` of each `include` around the step, the innermost first; nil for none.
        let includedAt: [String]?
    }

    struct Skip: Codable, Equatable {
        let reason: String
    }

    struct Call: Codable, Equatable {
        let actor: String
        let command: String
        /// The answer; nil if the command failed.
        var result: JSONValue?
        /// The error in the form of expectations; nil if the command succeeded.
        let error: JSONValue?
        /// Time of the actor's own work, in nanoseconds; nil if unknown.
        let handling: UInt64?
        /// Time between request and answer, in nanoseconds; nil if unknown.
        let elapsed: UInt64?
    }

    struct Failure: Codable, Equatable {
        /// The failure, in a sentence.
        let reason: String
        /// `file:line:column`; empty for the scenario as a whole.
        let place: String
    }

    /// On `MonotonicClock`, in nanoseconds; on a page in microseconds since the page's begin.
    var time: UInt64
    /// The step's number, `3.1`; nil outside of steps.
    var step: String?
    /// The history that the line is from, on a page that shows several: each numbers its steps from 1. In files nil.
    var source: String?
    var fact: Fact

    /// The event of a line; nil for any other text: a killed run may leave its last line unfinished.
    init?(line: Data) {
        guard let event = try? JSONValue.parse(line).decode(HistoryEvent.self) else { return nil }
        self = event
    }

    init(time: UInt64, step: String? = nil, _ fact: Fact) {
        self.time = time
        self.step = step
        self.fact = fact
    }

    var kind: Kind {
        switch fact {
        case .scenarioStarted: .scenarioStarted
        case .scenarioFinished: .scenarioFinished
        case .source: .source
        case .stepStarted: .stepStarted
        case .stepFinished: .stepFinished
        case .stepSkipped: .stepSkipped
        case .command: .command
        case .failure: .failure
        }
    }

    /// The line for a page.
    /// - Parameter begin: The page's begin, on `MonotonicClock`, in nanoseconds.
    func line(since begin: UInt64) -> JSONValue {
        var event = self
        event.time = UInt64(clamping: TimelineEvents.microseconds(time, since: begin))
        // All members are numbers, texts and lists of them.
        return (try? JSONValue(encoding: event)) ?? .null
    }
}

extension HistoryEvent.Device {
    init(_ device: DeviceSpec) { self.init(name: device.name, apps: device.apps.map(\.name)) }
}

extension HistoryEvent.Failure {
    init(_ failure: StepFailure) { self.init(reason: failure.reason, place: failure.place?.rawValue ?? "") }
}

extension HistoryEvent.Call {
    init(of actor: String, _ command: String, ended outcome: ActorSession.Outcome) {
        self.init(
            actor: actor, command: command, result: outcome.result, error: outcome.error?.matchable(code: .name),
            handling: outcome.interval?.handling, elapsed: outcome.interval.map { $0.received - $0.sent })
    }
}

extension HistoryEvent: Codable {
    /// The keys of values in which nothing is masked: they are words of the lab, and numbers.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case kind = "e"
        case time = "t"
        case step, source, verdict, fine
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        time = try members.decode(UInt64.self, forKey: .time)
        step = try members.decodeIfPresent(String.self, forKey: .step)
        source = try members.decodeIfPresent(String.self, forKey: .source)
        switch try members.decode(Kind.self, forKey: .kind) {
        case .scenarioStarted: fact = .scenarioStarted(try ScenarioStart(from: decoder))
        case .scenarioFinished: fact = .scenarioFinished(try members.decode(Verdict.self, forKey: .verdict))
        case .source: fact = .source(try Source(from: decoder))
        case .stepStarted: fact = .stepStarted(try StepStart(from: decoder), try? SourceLines(from: decoder))
        case .stepFinished: fact = .stepFinished(isFine: try members.decode(Bool.self, forKey: .fine))
        case .stepSkipped: fact = .stepSkipped(try Skip(from: decoder))
        case .command: fact = .command(try Call(from: decoder))
        case .failure:
            fact = .failure(try members.decode(Verdict.self, forKey: .verdict), try Failure(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        try members.encode(time, forKey: .time)
        try members.encodeIfPresent(step, forKey: .step)
        try members.encodeIfPresent(source, forKey: .source)
        switch fact {
        case .scenarioStarted(let start): try start.encode(to: encoder)
        case .scenarioFinished(let verdict): try members.encode(verdict, forKey: .verdict)
        case .source(let source): try source.encode(to: encoder)
        case .stepStarted(let start, let lines):
            try start.encode(to: encoder)
            try lines?.encode(to: encoder)
        case .stepFinished(let isFine): try members.encode(isFine, forKey: .fine)
        case .stepSkipped(let skip): try skip.encode(to: encoder)
        case .command(let call): try call.encode(to: encoder)
        case .failure(let verdict, let failure):
            try members.encode(verdict, forKey: .verdict)
            try failure.encode(to: encoder)
        }
    }
}
