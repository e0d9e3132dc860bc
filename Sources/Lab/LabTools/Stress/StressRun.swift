// SPDX-License-Identifier: Apache-2.0

import LabChecks
public import LabCore
import LabPoints
import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// A run of `lab stress sharing`: apps that share one activation perform random actions, are killed, suspended and
/// restarted, and their records are checked against the rules.
///
/// Thread rule: `run` is called once, on a thread that may block.
public struct StressRun {
    private let configuration: StressConfiguration
    private let interruption: Interruption
    private let look: OutputStyle
    private let print: (String) -> Void

    /// A run.
    /// - Parameters:
    ///   - interruption: Ends the run early when set.
    ///   - print: Takes pieces of text, in order.
    public init(
        _ configuration: StressConfiguration, look: OutputStyle, interruption: Interruption,
        print: @escaping (String) -> Void
    ) {
        self.configuration = configuration
        self.look = look
        self.interruption = interruption
        self.print = print
    }

    /// The first calls of every app, for `--dry-run`.
    public func plan(calls: Int = 20) -> String {
        let seed = firstSeed
        return StressPlan(seed: seed, processes: configuration.processes).text(calls: calls)
            + "the first \(calls) calls of each app; nothing was started, seed \(seed)\n"
    }

    /// Plays rounds until one does not pass.
    /// - Throws: ``LabFailure`` if the lab fails.
    public func run() throws -> RunOutcome {
        let begin = MonotonicClock.nanoseconds()
        let executables = try Executables.find()
        let directory = try RunDirectory.create(in: Self.records(), keeping: configuration.keptRuns)
        defer { withExtendedLifetime(directory) {} }
        let seed = firstSeed
        let rounds = configuration.rounds
        if !look.isQuiet {
            let quirks = configuration.quirks.isEmpty ? "" : ", quirks \(configuration.quirks.joined(separator: ", "))"
            print(
                "\(configuration.processes) apps share an activation for \(configuration.duration), seed \(seed)\(quirks)\n"
            )
        }
        var verdict = Examination.Verdict.passed
        for (index, length) in rounds.enumerated() where verdict == .passed && !interruption.isSet {
            let round = StressRound(
                configuration: configuration, seed: seed &+ UInt64(index), length: length,
                directory: "\(directory.path)/round-\(index + 1)", executables: executables,
                interruption: interruption)
            let outcome = try round.perform()
            guard !interruption.isSet else { break }
            verdict = outcome.examination.verdict
            let title = "round \(index + 1) of \(rounds.count), \(length), seed \(round.seed)"
            print(StressReport(isColoured: look.isColoured).render(outcome, title: title, isQuiet: look.isQuiet))
            if verdict != .passed { print(replay(round)) }
        }
        if let failure = directory.seal() { print("warning: \(failure)\n") }
        let outcome = interruption.isSet ? RunOutcome.interrupted : RunOutcome(verdict)
        let seconds = FailureText.seconds(Double(MonotonicClock.nanoseconds() - begin) / 1e9)
        print("\(outcome.word) in \(seconds), seed \(seed)\n")
        if !look.isQuiet { print("recorded in \(directory.path)\n") }
        return outcome
    }

    private var firstSeed: UInt64 { configuration.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }

    /// The command that repeats a round.
    private func replay(_ round: StressRound) -> String {
        let quirks = configuration.quirks.map { " --quirk \($0)" }.joined()
        return "  again: lab stress sharing --processes \(configuration.processes) --for \(round.length) "
            + "--seed \(round.seed)\(quirks)\n"
    }

    /// The directory of records: beside the lab file, if one exists.
    private static func records() -> String {
        let root = SuiteReader.findLabFile(near: ".").map { Files.directory(of: Files.absolute($0)) }
        return "\(root ?? Files.absolute("."))/.lab"
    }
}

extension RunOutcome {
    /// The outcome for the verdict of a check.
    init(_ verdict: Examination.Verdict) {
        switch verdict {
        case .passed: self = .passed
        case .failed: self = .failed
        case .inconclusive: self = .inconclusive
        }
    }

    /// The outcome in a word, at the beginning of the last line of a run.
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .inconclusive, .badInput: "inconclusive"
        case .interrupted: "interrupted"
        }
    }
}

/// The settings of `lab stress sharing`.
public struct StressConfiguration: Sendable {
    /// The possible numbers of apps.
    public static let processCounts = 2...16
    /// The maximum length of a round: a longer run has several rounds, each in an instance of its own. A history is
    /// checked after its round, and the first violation ends the run, so short rounds find it early.
    public static let longestRound = LabDuration.seconds(10)

    /// The maximum length of a run.
    public static let longestRun = LabDuration.seconds(24 * 60 * 60)

    /// Number of apps that share the activation.
    public let processes: Int
    /// Real time during which calls are made.
    public let duration: LabDuration
    /// The seed of the first round; nil for a random one.
    public let seed: UInt64?
    /// Quirks of every app, as named in topologies.
    public let quirks: [String]
    /// Number of run directories kept, including that of this run.
    public var keptRuns = 10

    /// A run.
    /// - Throws: ``BadUsage`` for invalid values.
    public init(processes: Int, duration: LabDuration, seed: UInt64? = nil, quirks: [String] = []) throws {
        guard Self.processCounts.contains(processes) else {
            throw BadUsage(
                sentence: "--processes takes \(Self.processCounts.lowerBound) to \(Self.processCounts.upperBound), "
                    + "not \(processes)")
        }
        guard duration > .zero, duration <= Self.longestRun else {
            throw BadUsage(sentence: "--for takes a duration from 1ns to \(Self.longestRun), not `\(duration)`")
        }
        do {
            _ = try QuirkSet(parsing: quirks)
        } catch {
            throw BadUsage(sentence: "--quirk: \(error)")
        }
        self.processes = processes
        self.duration = duration
        self.seed = seed
        self.quirks = quirks
    }

    /// The length of each round.
    var rounds: [LabDuration] {
        var rest = duration
        var rounds: [LabDuration] = []
        while rest > .zero {
            let round = min(rest, Self.longestRound)
            rounds.append(round)
            rest = LabDuration(nanoseconds: rest.nanoseconds - round.nanoseconds)
        }
        return rounds
    }

    /// A phone with apps of one vendor that share an activation, and a watch with an app of the first one.
    var topology: Topology {
        let keychainGroup = "LABTEAM001.com.example.shared"
        let apps = (1...processes).map { number in
            let identifier = "com.example.app\(number)"
            return AppSpec(
                name: "app\(number)", kind: .app, bundleIdentifier: identifier, appGroups: ["group.com.example.lab"],
                keychainAccessGroups: [keychainGroup], quirks: quirks,
                powerAuth: PowerAuthSpec(
                    sdk: .full, instanceId: "com.example.bank",
                    sharing: SharingSpec(
                        appGroup: "group.com.example.lab", appIdentifier: identifier,
                        keychainAccessGroup: keychainGroup)))
        }
        // A suspended app keeps its locks, so that the others meet them; deaths with a lock come from kills.
        // Dialogs follow each other without the pause that Face ID makes.
        let phone = DeviceSpec(name: Self.device, kind: .phone, suspension: .lenient, biometry: .touchID, apps: apps)
        let companion = AppSpec(
            name: "companion", kind: .watchApp, bundleIdentifier: "com.example.\(Self.appWithWatch).watch",
            host: Self.appWithWatch, powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "com.example.bank"))
        return Topology(
            name: "stress", devices: [phone, DeviceSpec(name: "watch", kind: .watch, apps: [companion])],
            links: [LinkSpec(name: "pairing", phone: Self.device, watch: "watch")])
    }

    static let device = "phone"
    /// The app with a companion on the watch.
    static let appWithWatch = "app1"
}
