// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
public import LabFile
import LabPoints

/// One runnable test: a scenario file, or one row of a table-driven one, checked and resolved.
///
/// An immutable value. Thread rule: any thread.
public struct Scenario: Sendable {
    /// Stable name in reports: the path of the file, with the row's name in brackets for a table.
    public let id: String
    /// The title.
    public let name: String
    /// Its subject, such as a section of the manual; nil if the file does not state one.
    package let about: String?
    /// The chapters of the manuals that it shows, as the file names them.
    package let manual: [String]
    /// Tags for selection.
    public let tags: [String]
    /// Why the scenario is known not to pass; nil if it should pass. A quarantined scenario runs, and its failure does
    /// not fail the run.
    package let quarantine: Quarantine?
    /// Why the topology cannot play the scenario; nil when it can.
    package let obstacle: String?
    /// The file.
    public let file: SourceFile
    /// The place of its row in a table; nil for a scenario without a table.
    var rowPlace: SourcePlace?
    /// The files that it includes, each by its path without links.
    package let includes: Set<String>
    /// The topology.
    public let topology: Topology
    /// The values known before the first step, and their sources.
    package let values: [DeclaredValue]
    /// Values drawn from the seed before the first step.
    package let generated: [GeneratedValue]
    /// Steps that prepare the scenario; if they fail the rest does not run.
    package let setup: Phase?
    package let steps: [Step]
    /// Steps that always run, whatever happened before.
    package let tearDown: Phase?
    /// Places that are masked in output.
    package let secrets: SecretRanges
    /// Secret texts known before the run: literals and environment values.
    package let secretTexts: [String]

    package init(
        id: String, name: String, about: String?, manual: [String], tags: [String], quarantine: Quarantine?,
        obstacle: String?, file: SourceFile, rowPlace: SourcePlace? = nil, includes: Set<String>, topology: Topology,
        values: [DeclaredValue], generated: [GeneratedValue], setup: Phase?, steps: [Step], tearDown: Phase?,
        secrets: SecretRanges, secretTexts: [String]
    ) {
        self.id = id
        self.name = name
        self.about = about
        self.manual = manual
        self.tags = tags
        self.quarantine = quarantine
        self.obstacle = obstacle
        self.file = file
        self.rowPlace = rowPlace
        self.includes = includes
        self.topology = topology
        self.values = values
        self.generated = generated
        self.setup = setup
        self.steps = steps
        self.tearDown = tearDown
        self.secrets = secrets
        self.secretTexts = secretTexts
    }

    /// The steps of all phases, in the order in which they are carried out.
    package var allSteps: [Step] { (setup?.steps ?? []) + steps + (tearDown?.steps ?? []) }
    /// Whether another run can carry the set-up out, because all rows of the table share it.
    package var sharesSetup: Bool { setup?.isShared ?? false }
    /// The identifier of its table: that of the scenario without its row.
    package var table: String { ScenarioPath.parts(of: id).file }
    /// The name of the row of a table-driven scenario, as it stands in ``id``.
    package var row: String? { ScenarioPath.parts(of: id).row }

    /// The place of its row, and its values; nil for a scenario without a table.
    package var rowText: String? {
        rowPlace.map { place in
            let cells = values.filter(\.isOfRow).map {
                "\($0.name.dropFirst("row.".count)) = \($0.value?.description ?? "")"
            }
            return ([place.label] + (cells.isEmpty ? [] : [cells.joined(separator: ", ")])).joined(separator: ": ")
        }
    }

    /// The command that runs the same scenario, and only the same row of it, with a seed.
    ///
    /// The command contains the values given from outside, except secrets. `labOption` is the value of `--lab`.
    package func replay(seed: UInt64, labOption: String?) -> String {
        let redactor = Redactor(secrets: secretTexts)
        let given = values.compactMap { value in
            value.given.flatMap {
                redactor.redact($0) != $0 ? nil : " --set \(ShellWord.quoted("\(value.name)=\($0)"))"
            }
        }
        return "lab run \(word)\(Self.option(lab: labOption))\(given.joined()) --seed \(seed)"
    }

    /// The command that shows a part of the records of the scenario's failure, such as `sharing main`.
    package func inspection(_ subject: String, labOption: String?) -> String {
        "lab inspect \(subject) --failure \(word)\(Self.option(lab: labOption))"
    }

    /// The command that compares the last run of the scenario with an earlier one.
    package func comparison(with run: String, labOption: String?) -> String {
        "lab diff \(run) latest \(word)\(Self.option(lab: labOption))"
    }

    /// The scenario's name on a command line.
    private var word: String { ShellWord.quoted(file.path + (row.map { "[\($0)]" } ?? "")) }

    private static func option(lab: String?) -> String { lab.map { " --lab \(ShellWord.quoted($0))" } ?? "" }

    /// The names of the events that its steps may ask for after their arrival: only these have to be kept.
    package var awaitedEvents: Set<String> {
        Set([setup?.steps ?? [], steps, tearDown?.steps ?? []].joined().flatMap(\.awaitedEvents))
    }
}

/// A value of `values:` that is drawn from the seed.
package struct GeneratedValue: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// A unique readable name.
        case name
        /// Decimal digits; a secret.
        case pin
        /// A version-4 UUID.
        case uuid
        /// A whole number below a limit.
        case number
    }

    package let name: String
    package let kind: Kind
    /// Number of digits of a PIN, or the exclusive upper limit of a number.
    package let size: Int
}

/// The steps before or after those of the scenario, with a time limit of their own.
package struct Phase: Sendable {
    /// Maximum real time for all of them together.
    package let limit: LabDuration
    package let steps: [Step]
    /// Whether the steps are carried out once for all rows of a table, each of which begins with the state that they leave.
    package let isShared: Bool

    package init(limit: LabDuration, steps: [Step], isShared: Bool = false) {
        self.limit = limit
        self.steps = steps
        self.isShared = isShared
    }

    /// The first letter of the numbers of set-up steps; by itself the number of a shared set-up in the record of a row.
    package static let setupPrefix = "s"
    /// The first letter of the numbers of tear-down steps.
    static let tearDownPrefix = "t"

    /// A step's number in a sentence.
    package static func title(ofStep path: String) -> String {
        if path == setupPrefix { return "the shared set-up" }
        if path.hasPrefix(setupPrefix) { return "set-up step \(path.dropFirst())" }
        if path.hasPrefix(tearDownPrefix) { return "tear-down step \(path.dropFirst())" }
        return "step \(path)"
    }

    /// The default.
    static let usualLimit = LabDuration.seconds(30).stretched
}

/// A value that a scenario has before its first step, and its source.
package struct DeclaredValue: Sendable {
    package enum Origin: Sendable {
        /// The scenario itself.
        case file
        /// The scenario, because an environment variable is not set.
        case fallback(variable: String)
        /// An environment variable that the scenario names.
        case variable(String)
        /// A value from outside that overrides the one in the file: by `--set` or by an environment variable.
        case given(by: String)
        /// The row of a table.
        case row
        /// The seed of the run.
        case seed

        /// The source of the value, printed after it.
        package var sentence: String {
            switch self {
            case .file: "from the file"
            case .fallback(let variable): "from the file, because \(variable) is not set"
            case .variable(let name): "from the environment variable \(name)"
            case .given(let source): "from \(source)"
            case .row: "from the row of the table"
            case .seed: "generated from the seed"
            }
        }
    }

    /// The name in references.
    package let name: String
    /// The written or given value; nil for a value drawn from the seed.
    package let value: JSONValue?
    /// Whether it is masked in all output.
    package let isSecret: Bool
    package let origin: Origin

    /// Whether it is a value of the scenario's row.
    var isOfRow: Bool { if case .row = origin { true } else { false } }

    /// The value from outside that overrides the one in the file.
    package var given: String? { if case .given = origin { value?.stringValue } else { nil } }
}

/// Why a scenario is known not to pass, its owner, and how long that is accepted.
package struct Quarantine: Sendable, Equatable {
    package let reason: String
    package let owner: String?
    /// The last day, as `2027-01-31`; nil without an end.
    package let until: String?

    /// Whether it has expired on a day, such as `2027-01-31`.
    package func isOver(on day: String) -> Bool { until.map { $0 < day } ?? false }

    /// The reason, with the other facts in brackets.
    package var sentence: String {
        let facts = [owner, until.map { "until \($0)" }].compactMap(\.self).joined(separator: ", ")
        return facts.isEmpty ? reason : "\(reason) (\(facts))"
    }
}

extension Step {
    fileprivate var awaitedEvents: [String] {
        let own: [String] =
            switch action {
            case .waitFor(let event, _): [event.event]
            // The handling times of commands show whether branches overlapped.
            case .race: [TraceEventName.commandStarted, .commandFinished].map(\.rawValue)
            default: []
            }
        return own + inner.flatMap(\.awaitedEvents)
    }
}

extension Scenario {
    /// The values drawn from a seed; secret ones are masked from here on. Rows that share a set-up have the same ones, as
    /// the set-up has used them.
    package func drawn(seed: UInt64, hiddenBy redactor: Redactor) -> Bindings {
        var bindings = Bindings()
        for value in generated {
            let drawn = value.draw(seed: seed, scenario: sharesSetup ? table : id)
            if value.kind == .pin, case .string(let text) = drawn { redactor.insert(text) }
            bindings.set(value.name, to: drawn)
        }
        return bindings
    }
}

extension GeneratedValue {
    private static let adjectives = [
        "amber", "brisk", "calm", "dapper", "eager", "fair", "gentle", "hazel", "ivory", "jolly", "keen", "lively",
        "mellow", "noble", "olive", "plain", "quiet", "rapid", "solid", "tidy",
    ]
    private static let nouns = [
        "badger", "comet", "dolphin", "ember", "falcon", "garnet", "harbor", "island", "juniper", "kestrel", "lantern",
        "meadow", "nectar", "otter", "pebble", "quartz", "raven", "spruce", "thistle", "willow",
    ]

    /// Draws the value for a scenario of a run.
    func draw(seed: UInt64, scenario: String) -> JSONValue {
        var stream = SeedStream(seed: seed, scenario, name)
        switch kind {
        case .name:
            let adjective = Self.adjectives[Int.random(in: 0..<Self.adjectives.count, using: &stream)]
            let noun = Self.nouns[Int.random(in: 0..<Self.nouns.count, using: &stream)]
            return .string("\(adjective)-\(noun)-\(Int.random(in: 100...999, using: &stream))")
        case .pin:
            return .string((0..<size).map { _ in String(Int.random(in: 0...9, using: &stream)) }.joined())
        case .uuid:
            var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &stream) }
            bytes[6] = bytes[6] & 0x0f | 0x40
            bytes[8] = bytes[8] & 0x3f | 0x80
            let hex = bytes.map { String(format: "%02x", $0) }.joined()
            let cuts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
            return .string(cuts.map { String(Array(hex)[$0]) }.joined(separator: "-"))
        case .number:
            return .integer(Int64.random(in: 0..<Int64(size), using: &stream))
        }
    }
}

/// The effect of a scenario's quarantine on its result today.
package struct QuarantineStatus {
    /// Why a failure does not count; nil if it does.
    package let quarantine: String?
    /// The remark if the scenario passes.
    package let remarkOnPassing: String?
    /// The remark if it fails and the failure counts again.
    package let remarkOnFailing: String?
}

extension Scenario {
    /// The effect of the quarantine on the day of the run.
    package var standing: QuarantineStatus {
        guard let quarantine else {
            return QuarantineStatus(quarantine: nil, remarkOnPassing: nil, remarkOnFailing: nil)
        }
        let passes = "passes although it is quarantined: \(quarantine.sentence); remove `quarantine`"
        guard quarantine.isOver(on: HeaderReader.today) else {
            return QuarantineStatus(quarantine: quarantine.sentence, remarkOnPassing: passes, remarkOnFailing: nil)
        }
        return QuarantineStatus(
            quarantine: nil, remarkOnPassing: passes,
            remarkOnFailing: "its quarantine has ended: \(quarantine.sentence)")
    }
}
