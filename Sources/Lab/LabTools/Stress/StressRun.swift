// SPDX-License-Identifier: Apache-2.0

import Foundation
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
    private let printer: ProgressPrinter

    /// A run.
    /// - Parameters:
    ///   - interruption: Ends the run early when set.
    public init(_ configuration: StressConfiguration, printer: ProgressPrinter, interruption: Interruption) {
        self.configuration = configuration
        self.printer = printer
        self.interruption = interruption
    }

    /// The first calls of every app, for `--dry-run`.
    public func plan(calls: Int = 20) -> String {
        let seed = firstSeed
        return StressPlan(seed: seed, processes: configuration.processes).text(calls: calls)
            + "the first \(calls) calls of each app; nothing was started, seed \(seed)\n"
    }

    /// Plays rounds until one does not pass; the calls of one that breaks a rule are shrunk.
    /// - Throws: ``LabFailure`` if the lab fails.
    public func run() throws -> RunOutcome {
        let begin = MonotonicClock.nanoseconds()
        let executables = try Executables.find()
        let directory = try RunDirectory.create(in: "\(Self.root())/.lab", keeping: configuration.keptRuns)
        defer { withExtendedLifetime(directory) {} }
        let (look, seed) = (printer.look, firstSeed)
        let rounds = configuration.rounds
        if !look.isQuiet {
            let quirks = configuration.quirks.isEmpty ? "" : ", quirks \(configuration.quirks.joined(separator: ", "))"
            printer.print(
                "\(configuration.processes) apps share an activation for \(configuration.duration), seed \(seed)\(quirks)\n"
            )
        }
        var verdict = Examination.Verdict.passed
        var broken: (round: StressRound, outcome: StressRound.Outcome)?
        for (index, length) in rounds.enumerated() where verdict == .passed && !interruption.isSet {
            let round = StressRound(
                configuration: configuration, seed: seed &+ UInt64(index), length: length,
                directory: "\(directory.path)/round-\(index + 1)", executables: executables,
                interruption: interruption)
            let outcome = try round.perform()
            guard !interruption.isSet else { break }
            verdict = outcome.examination.verdict
            let title = "round \(index + 1) of \(rounds.count), \(length), seed \(round.seed)"
            let report = StressReport(isColoured: look.isColoured)
            printer.print(report.render(outcome, title: title, isQuiet: look.isQuiet))
            if verdict != .passed { printer.print(replay(round)) }
            if verdict == .failed { broken = (round, outcome) }
        }
        if let failure = directory.seal() { printer.print("warning: \(failure)\n") }
        if let broken { shrink(broken.round, broken.outcome) }
        // An interruption while the calls are shrunk changes nothing about the broken rule.
        let outcome = interruption.isSet && broken == nil ? RunOutcome.interrupted : RunOutcome(verdict)
        let seconds = FailureText.seconds(Double(MonotonicClock.nanoseconds() - begin) / 1e9)
        printer.print("\(outcome.word) in \(seconds), seed \(seed)\n")
        if !look.isQuiet { printer.print("recorded in \(directory.path)\n") }
        return outcome
    }

    private func shrink(_ round: StressRound, _ outcome: StressRound.Outcome) {
        guard configuration.shrinking > .zero else { return }
        do {
            let place = try ExploredPlace(
                name: "stress-\(round.seed)", below: Self.root(), environment: ProcessInfo.processInfo.environment)
            defer { place.removeIfEmpty() }
            StressShrinkRun(round, outcome, for: configuration.shrinking, at: place, printer: printer)?.perform()
        } catch {
            printer.print("the calls were not shrunk: \(error)\n".withVisibleControls)
        }
    }

    private var firstSeed: UInt64 { configuration.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }

    /// The command that repeats a round.
    private func replay(_ round: StressRound) -> String {
        let quirks = configuration.quirks.map { " --quirk \($0)" }.joined()
        return "  again: lab stress sharing --processes \(configuration.processes) --for \(round.length) "
            + "--seed \(round.seed)\(quirks)\n"
    }

    /// The folder for records: that of the lab file, if one exists.
    private static func root() -> String {
        SuiteReader.findLabFile(near: ".").map { Files.directory(of: Files.absolute($0)) } ?? Files.absolute(".")
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
    /// The real time for which the calls of a round that breaks a rule are shrunk; zero for not at all.
    public let shrinking: LabDuration
    /// Number of run directories kept, including that of this run.
    public var keptRuns = 10

    /// The real time for shrinking unless an option says otherwise.
    public static let usualShrinking = LabDuration.seconds(30)

    /// A run.
    /// - Throws: ``BadUsage`` for invalid values.
    public init(
        processes: Int, duration: LabDuration, seed: UInt64? = nil, quirks: [String] = [],
        shrinking: LabDuration = StressConfiguration.usualShrinking
    ) throws {
        guard Self.processCounts.contains(processes) else {
            throw BadUsage(
                sentence: "--processes takes \(Self.processCounts.lowerBound) to \(Self.processCounts.upperBound), "
                    + "not \(processes)")
        }
        guard duration > .zero, duration <= Self.longestRun else {
            throw BadUsage(sentence: "--for takes a duration from 1ns to \(Self.longestRun), not `\(duration)`")
        }
        guard shrinking >= .zero, shrinking <= Self.longestRun else {
            throw BadUsage(sentence: "--shrink takes a duration from 0s to \(Self.longestRun), not `\(shrinking)`")
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
        self.shrinking = shrinking
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
        Self.topology(of: (1...processes).map { "app\($0)" }, quirks: quirks, hasWatch: true)
    }

    /// The devices and apps that a part of a plan needs.
    func smallestTopology(for part: StressPart) -> Topology {
        Self.topology(of: part.apps, quirks: quirks, hasWatch: part.needsWatch)
    }

    private static func topology(of names: [String], quirks: [String], hasWatch: Bool) -> Topology {
        let keychainGroup = "LABTEAM001.com.example.shared"
        let apps = names.map { name in
            let identifier = "com.example.\(name)"
            return AppSpec(
                name: name, kind: .app, bundleIdentifier: identifier, appGroups: ["group.com.example.lab"],
                keychainAccessGroups: [keychainGroup], quirks: quirks,
                powerAuth: PowerAuthSpec(
                    sdk: .full, instanceId: "com.example.bank",
                    sharing: SharingSpec(
                        appGroup: "group.com.example.lab", appIdentifier: identifier,
                        keychainAccessGroup: keychainGroup)))
        }
        // A suspended app keeps its locks, so that the others meet them; deaths with a lock come from kills.
        // Dialogs follow each other without the pause that Face ID makes.
        let phone = DeviceSpec(name: device, kind: .phone, suspension: .lenient, biometry: .touchID, apps: apps)
        guard hasWatch else { return Topology(name: "stress", devices: [phone]) }
        let companion = AppSpec(
            name: "companion", kind: .watchApp, bundleIdentifier: "com.example.\(appWithWatch).watch",
            host: appWithWatch, powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "com.example.bank"))
        return Topology(
            name: "stress", devices: [phone, DeviceSpec(name: "watch", kind: .watch, apps: [companion])],
            links: [LinkSpec(name: "pairing", phone: device, watch: "watch")])
    }

    static let device = "phone"
    /// The app with a companion on the watch.
    static let appWithWatch = "app1"
}
