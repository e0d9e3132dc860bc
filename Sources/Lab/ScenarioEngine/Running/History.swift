// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabCore
import LabSystem
package import ScenarioLanguage
import Synchronization

/// The record of a run: one JSON line per event, each written with one `write` before the step continues, so that the
/// record of a run killed at any moment is readable.
///
/// Thread rule: any thread; lines of concurrent branches never mix, because the file is opened for appending and each
/// line is one write.
package final class History: Sendable {
    /// The file in the directory of a scenario, of a Swift test, or of steps in a running instance.
    package static let fileName = "history.jsonl"

    private let file: FileDescriptor
    private let path: String
    /// Masks secrets in every line, and in what is shown of the run.
    package let redactor: Redactor
    private let firstFailure = Mutex<String?>(nil)

    /// Opens the history of a directory, which exists; makes the file if it is missing.
    package init(in directory: String, redactor: Redactor) throws {
        path = "\(directory)/\(Self.fileName)"
        file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        self.redactor = redactor
    }

    /// Adds an event, stamped with the present time; secrets are masked.
    /// - Parameter step: The step's number; empty outside of steps.
    package func record(_ fact: HistoryEvent.Fact, step: String = "") {
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
    package var failure: String? { firstFailure.withLock { $0 } }

    /// Reads a history.
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    package static func read(in directory: String) -> [HistoryEvent]? {
        guard !directory.isEmpty, let data = try? Files.read("\(directory)/\(fileName)") else { return nil }
        return events(of: data)
    }

    /// The events in the content of a file.
    package static func events(of data: Data) -> [HistoryEvent] {
        data.split(separator: 0x0A).compactMap(HistoryEvent.init(line:))
    }
}

/// A line of a history: something that happened in a run, by its steps. Reports, comparisons and pages are made from it.
///
/// The page's script reads the same lines (`CReportPage/front/history.js`); a test compares its keys with these.
package struct HistoryEvent: Equatable, Sendable {
    /// The word of a line for what happened.
    package enum Kind: String, Codable, CaseIterable {
        case scenarioStarted = "scenario.started"
        case scenarioFinished = "scenario.finished"
        case source
        case stepStarted = "step.started"
        case stepFinished = "step.finished"
        case stepSkipped = "step.skipped"
        case stepNotRun = "step.notRun"
        case command
        case turn
        case failure
    }

    /// What happened, with its details.
    package enum Fact: Equatable {
        case scenarioStarted(ScenarioStart)
        case scenarioFinished(Verdict)
        /// The file of the following steps; once for each file.
        case source(Source)
        /// A step of a Swift test has no lines in a source.
        case stepStarted(StepStart, SourceLines?)
        case stepFinished(isFine: Bool)
        case stepSkipped(Skip)
        /// The step did not begin, because an earlier one failed or the scenario was stopped; of a block, only the
        /// block is recorded.
        case stepNotRun(StepStart)
        /// A command was answered; a step that waits for something may send it several times.
        case command(Call)
        /// A process of the step's block was given a turn, which ends when the next one is given, or with the block.
        case turn(GivenTurn)
        case failure(Verdict, Failure)
    }

    package struct ScenarioStart: Codable, Equatable {
        package let id: String
        package let name: String
        /// In decimal digits, because a browser's numbers have 53 bits; nil for a Swift test.
        package let seed: String?
        /// The devices of the topology, in its order.
        package let devices: [Device]

        package init(id: String, name: String, seed: String?, devices: [Device]) {
            (self.id, self.name, self.seed, self.devices) = (id, name, seed, devices)
        }
    }

    /// A device and its apps, by their names.
    package struct Device: Codable, Equatable {
        package let name: String
        package let apps: [String]
    }

    package struct Source: Codable, Equatable {
        package let file: String
        /// The content, without secrets.
        package let text: String
    }

    package struct StepStart: Codable, Equatable {
        /// The step in short form.
        package let title: String
        /// The step in a sentence; nil for a word of the language without a note.
        package let sentence: String?

        package init(title: String, sentence: String?) { (self.title, self.sentence) = (title, sentence) }
    }

    /// A step's place in its source; lines and columns count from 1.
    package struct SourceLines: Codable, Equatable {
        package let file: String
        package let line: Int
        package let column: Int
        let lastLine: Int
        /// `file:line:column` of each `include` around the step, the innermost first; nil for none.
        let includedAt: [String]?
    }

    package struct Skip: Codable, Equatable {
        package let reason: String
    }

    package struct Call: Codable, Equatable {
        package let actor: String
        package let command: String
        /// The answer; nil if the command failed.
        package var result: JSONValue?
        /// The error in the form of expectations; nil if the command succeeded.
        package let error: JSONValue?
        /// Time of the actor's own work, in nanoseconds; nil if unknown.
        package let handling: UInt64?
        /// Time between request and answer, in nanoseconds; nil if unknown.
        let elapsed: UInt64?

        package init(
            actor: String, command: String, result: JSONValue? = nil, error: JSONValue?, handling: UInt64?,
            elapsed: UInt64?
        ) {
            self.actor = actor
            self.command = command
            self.result = result
            self.error = error
            self.handling = handling
            self.elapsed = elapsed
        }
    }

    /// A turn of a block's process, as its scheduler gave it.
    package struct GivenTurn: Codable, Equatable {
        /// Its number in the order of the block, from 1; a turn of the order that was not needed is not recorded.
        package let number: Int
        /// The actor name of the process.
        package let process: String
        /// Where the process was held, and continues: the name of a fault point, or `start`.
        package let place: String
        /// Whether the process was killed there instead; nil if it was not.
        package let dies: Bool?
    }

    package struct Failure: Codable, Equatable {
        /// The failure, in a sentence.
        package let reason: String
        /// `file:line:column`; empty for the scenario as a whole.
        package let place: String
    }

    /// On `MonotonicClock`, in nanoseconds; on a page in microseconds since the page's begin.
    package var time: UInt64
    /// The step's number, `3.1`; nil outside of steps.
    package var step: String?
    /// The history that the line is from, on a page that shows several: each numbers its steps from 1. In files nil.
    package var source: String?
    package var fact: Fact

    /// The event of a line; nil for any other text: a killed run may leave its last line unfinished.
    package init?(line: Data) {
        guard let event = try? JSONValue.parse(line).decode(HistoryEvent.self) else { return nil }
        self = event
    }

    package init(time: UInt64, step: String? = nil, _ fact: Fact) {
        self.time = time
        self.step = step
        self.fact = fact
    }

    package var kind: Kind {
        switch fact {
        case .scenarioStarted: .scenarioStarted
        case .scenarioFinished: .scenarioFinished
        case .source: .source
        case .stepStarted: .stepStarted
        case .stepFinished: .stepFinished
        case .stepSkipped: .stepSkipped
        case .stepNotRun: .stepNotRun
        case .command: .command
        case .turn: .turn
        case .failure: .failure
        }
    }

    /// The time since the beginning, in microseconds.
    package static func microseconds(_ time: UInt64, since begin: UInt64) -> Int64 {
        time >= begin ? Int64((time - begin + 500) / 1_000) : 0
    }

    /// The line for a page.
    /// - Parameter begin: The page's begin, on `MonotonicClock`, in nanoseconds.
    package func line(since begin: UInt64) -> JSONValue {
        var event = self
        event.time = UInt64(clamping: Self.microseconds(time, since: begin))
        // All members are numbers, texts and lists of them.
        return (try? JSONValue(encoding: event)) ?? .null
    }
}

extension HistoryEvent.Device {
    package init(_ device: DeviceSpec) { self.init(name: device.name, apps: device.apps.map(\.name)) }
}

extension HistoryEvent.Failure {
    package init(_ failure: StepFailure) { self.init(reason: failure.reason, place: failure.place?.rawValue ?? "") }
}

extension HistoryEvent.Call {
    package init(of actor: String, _ command: String, ended outcome: ActorSession.Outcome) {
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

    package init(from decoder: any Decoder) throws {
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
        case .stepNotRun: fact = .stepNotRun(try StepStart(from: decoder))
        case .command: fact = .command(try Call(from: decoder))
        case .turn: fact = .turn(try GivenTurn(from: decoder))
        case .failure:
            fact = .failure(try members.decode(Verdict.self, forKey: .verdict), try Failure(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
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
        case .stepNotRun(let step): try step.encode(to: encoder)
        case .command(let call): try call.encode(to: encoder)
        case .turn(let turn): try turn.encode(to: encoder)
        case .failure(let verdict, let failure):
            try members.encode(verdict, forKey: .verdict)
            try failure.encode(to: encoder)
        }
    }
}
