// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabFile
import LabReports
import LabSystem
public import ScenarioEngine
public import ScenarioLanguage

/// The settings of `lab explore`.
public struct ExploreOptions: Sendable {
    /// The possible bounds of preemptions.
    public static let preemptionCounts = ExploredOrders.preemptionCounts
    /// The possible bounds of deaths.
    public static let deathCounts = ExploredOrders.deathCounts
    /// The possible numbers of drawn orders.
    public static let drawnCounts = 0...1_000_000

    /// The file of the scenario; with a row in brackets for a table.
    public let path: String
    /// The greatest number of preemptions of an order; nil for that of the scenario.
    let preemptions: Int?
    /// The greatest number of deaths of an order; nil for that of the scenario.
    let deaths: Int?
    let jobs: Int
    let limit: Int?
    /// The real time after which no order begins; nil for that of the scenario.
    let time: LabDuration?
    /// Number of orders that are drawn when the search has ended; nil for none.
    let random: Int?
    /// The part of the orders that is played; nil for all.
    let shard: Shard?
    /// The seed of all random values; nil for a random one.
    public let seed: UInt64?
    /// The lab file; nil searches for one.
    public let labFile: String?

    /// The settings of an exploration.
    /// - Parameters:
    ///   - preemptions: The greatest number of preemptions of an order: switches away from an app that could have gone on;
    ///     nil for that of the scenario's `orders`, which is 2 without it.
    ///   - deaths: The greatest number of deaths of an order: apps that are killed at one of their places; nil for that of
    ///     the scenario's `orders`, which is 0 without it.
    ///   - jobs: Number of orders that are played at the same time.
    ///   - limit: The greatest number of orders that are played; nil for all.
    ///   - time: The real time after which no order begins; nil for that of the scenario's `orders`, if it has one.
    ///   - random: Number of orders that are drawn when the search has ended, whatever has ended it but an order that
    ///     fails or an interruption; nil for none.
    ///   - shard: The part of the orders that is played; it needs a seed, which all parts have in common.
    /// - Throws: ``BadUsage`` for invalid values.
    public init(
        path: String, preemptions: Int? = nil, deaths: Int? = nil,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount, limit: Int? = nil, time: LabDuration? = nil,
        random: Int? = nil, shard: Shard? = nil, seed: UInt64? = nil, labFile: String? = nil
    ) throws {
        if let preemptions { try Self.check(preemptions, Self.preemptionCounts, of: "--preemptions") }
        if let deaths { try Self.check(deaths, Self.deathCounts, of: "--deaths") }
        if let random { try Self.check(random, Self.drawnCounts, of: "--random") }
        guard jobs >= 1 else { throw BadUsage(sentence: "--jobs must be at least 1, not \(jobs)") }
        if let limit, limit < 1 { throw BadUsage(sentence: "--limit must be at least 1, not \(limit)") }
        if let time, time <= .zero {
            throw BadUsage(sentence: "--time takes a duration such as 30s or 5m, not `\(time)`")
        }
        guard shard == nil || seed != nil else {
            throw BadUsage(
                sentence: "--shard needs --seed, the same one for each shard: the orders of all have the same values")
        }
        guard shard == nil || random == nil else {
            throw BadUsage(
                sentence: "--shard excludes --random: drawn orders are not divided; draw them on one machine")
        }
        self.path = path
        self.preemptions = preemptions
        self.deaths = deaths
        self.jobs = jobs
        self.limit = limit
        self.time = time
        self.random = random
        self.shard = shard
        self.seed = seed
        self.labFile = labFile
    }

    /// The bounds of the exploration of a block; an option wins over the block's `orders`.
    func bounds(of block: Step) -> ExplorationBounds {
        let orders = block.orders ?? .all(at: block.place)
        return ExplorationBounds(
            preemptions: preemptions ?? orders.preemptions, deaths: deaths ?? orders.deaths, jobs: jobs, limit: limit,
            time: time ?? orders.budget, random: random, shard: shard)
    }

    private static func check(_ count: Int, _ counts: ClosedRange<Int>, of option: String) throws {
        guard counts.contains(count) else {
            throw BadUsage(sentence: "\(option) takes \(counts.lowerBound) to \(counts.upperBound), not \(count)")
        }
    }
}

/// A run of `lab explore`: the block of a scenario is played in every order in which its apps can pass the fault
/// points, up to a number of preemptions and deaths; an order that fails is written as a scenario.
///
/// Thread rule: `run` is called once, on a thread that may block.
public struct ExploreRun {
    private let options: ExploreOptions
    private let environment: [String: String]
    private let printer: ProgressPrinter
    private let interruption: Interruption
    private let writeErrors: (String) -> Void

    /// A run.
    /// - Parameters:
    ///   - interruption: Ends the run early when set; what is known by then is printed.
    ///   - writeErrors: Takes diagnostics, for standard error.
    public init(
        _ options: ExploreOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        printer: ProgressPrinter, interruption: Interruption, writeErrors: @escaping (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.printer = printer
        self.interruption = interruption
        self.writeErrors = writeErrors
    }

    /// Explores.
    /// - Throws: ``BadUsage`` if the scenario has nothing to explore, ``LabFailure`` if the lab fails.
    public func run() throws -> RunOutcome {
        var selection = RunOptions(paths: [options.path])
        selection.labFile = options.labFile
        let search = SuiteSearch(
            options: selection, environment: environment, print: printer.print, writeErrors: writeErrors)
        guard let found = search.find() else { return .badInput }
        guard found.scenarios.count == 1, let scenario = found.scenarios.first else {
            throw BadUsage(
                sentence: "`lab explore` takes one scenario, and \(options.path) has \(found.scenarios.count); "
                    + "name one of them, for example \(found.scenarios.first?.id ?? "file.yaml")")
        }
        if let obstacle = scenario.obstacle { throw BadUsage(sentence: "\(scenario.file.path): \(obstacle)") }
        let explored = try ExploredScenario(scenario)
        let executables = try Executables.find(environment: environment)
        let place = try ExploredPlace(
            name: ExploredPlace.name(of: scenario), below: Files.directory(of: found.labFile), environment: environment,
            labOption: options.labFile)
        defer { place.removeIfEmpty() }
        let setting = ScenarioRun.Setting(
            executables: executables, labFile: found.labFile, labOption: options.labFile,
            sharedSetups: SharedSetups(recordedIn: place.directory, labVersion: LabVersion.current))
        let player = OrderPlayer(
            explored: explored, seed: options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)), setting: setting,
            directory: place.directory, interruption: interruption)
        return try explore(with: player, at: place)
    }

    private func explore(with player: OrderPlayer, at place: ExploredPlace) throws -> RunOutcome {
        let begin = MonotonicClock.nanoseconds()
        let explored = player.explored
        printer.print("exploring the \(explored.word) at \(explored.label)\n".withVisibleControls)
        let bounds = options.bounds(of: explored.block)
        var record = bounds.shard.map { ExplorationRecord(of: explored, seed: player.seed, bounds, in: $0) }
        try record?.write(to: place.directory)
        printer.start(total: nil)
        var exploration = Exploration(player, bounds: bounds) {
            show($0, columns: BoundTally.columns(deaths: bounds.deaths))
        }
        let end = exploration.perform()
        printer.finish()
        let written = exploration.finding.flatMap { show($0.finding, number: $0.number, of: player, at: place) }
        if let result = exploration.unreached { show(unreached: result, of: explored) }
        if let first = exploration.firstInconclusive {
            let text = "order \(first.number) could not be judged: \(first.reason)"
            printer.print("\(mark(.inconclusive)) \(text.onOneVisibleLine)\n")
            printer.print("  recorded in \(place.directory)/order-\(first.number)\n".withVisibleControls)
        }
        let seconds = FailureText.seconds(Double(MonotonicClock.nanoseconds() - begin) / 1e9)
        if record != nil {
            record?.note(exploration, endedBy: end, written: written)
            try record?.write(to: place.directory)
            printer.print("for `lab merge`: \(ScenarioPath.shortened(place.directory))\n".withVisibleControls)
        }
        let part = bounds.shard.map { "shard \($0.number)/\($0.count): " } ?? ""
        printer.print("\(part)\(exploration.coverage(end)) (\(seconds), seed \(player.seed))\n")
        switch end {
        case .found: return .failed
        case .interrupted: return .interrupted
        case .unreached: return exploration.unreached?.verdict == .failed ? .failed : .inconclusive
        case .limit, .time: return .inconclusive
        case .complete: return exploration.inconclusive == 0 ? .passed : .inconclusive
        }
    }

    // MARK: Texts

    /// - Parameter columns: Those of the names of levels with their numbers of orders.
    private func show(_ event: Exploration.Event, columns: Int) {
        switch event {
        case .began(let number, let source): printer.began(Self.title(number, source))
        case .ended(let order): printer.ended(Self.title(order.number, order.source), at: order.number - 1, "")
        case .closed(let bound):
            let report = TerminalReport(isColoured: printer.look.isColoured)
            let seconds = Double(MonotonicClock.nanoseconds() - bound.begin) / 1e9
            printer.print(bound.line(seconds: seconds, report: report, width: columns) + "\n")
        }
    }

    private static func title(_ number: Int, _ source: OrderSource) -> String {
        switch source {
        case .search(let beginning):
            "order \(number), \(BoundTally.name(preemptions: beginning.preemptions, deaths: beginning.deaths))"
        case .drawn: "order \(number), drawn"
        }
    }

    private func mark(_ verdict: Verdict) -> String {
        TerminalReport(isColoured: printer.look.isColoured).mark(verdict)
    }

    /// - Returns: The path of the scenario that repeats the order; nil if it was not written.
    private func show(
        _ finding: OrderFinding, number: Int, of player: OrderPlayer, at place: ExploredPlace
    ) -> String? {
        printer.print("\(mark(.failed)) \("order \(number): \(finding.reason)".onOneVisibleLine)\n")
        printer.print(OrderText.columns(finding.turns).map { "    \($0)\n" }.joined())
        printFailures(of: finding.result)
        do {
            let scenario = try place.write(finding, number: number, of: player.explored, seed: player.seed)
            let command = scenario.replay(seed: player.seed, labOption: options.labFile)
            printer.print("written: \(scenario.file.path)\n  repeat it: \(command)\n".withVisibleControls)
            return scenario.file.path
        } catch {
            printer.print("the order was not written as a scenario: \(error)\n".withVisibleControls)
            return nil
        }
    }

    private func show(unreached result: ScenarioResult, of explored: ExploredScenario) {
        let word = explored.word
        let isSkipped = result.verdict == .passed
        let text =
            isSkipped
            ? "the \(word) was not carried out, because its `when` did not hold"
            : "the scenario ended before the first turn of its \(word)"
        printer.print("\(mark(isSkipped ? .inconclusive : result.verdict)) \(text)\n")
        printFailures(of: result)
    }

    /// The failures without the commands that need the record of a `lab run`.
    private func printFailures(of result: ScenarioResult) {
        let text = FailureText(isColoured: printer.look.isColoured)
        for failure in result.failures {
            var failure = failure
            (failure.sharing, failure.link, failure.replay) = (nil, nil, "")
            printer.print(text.render(failure) + "\n")
        }
    }
}

extension BoundTally {
    /// The columns of the longest name with its number of orders.
    static let width = "10 preemptions 10000".count
    /// The same with deaths.
    static let widthWithDeaths = "10 preemptions, 10 deaths 10000".count

    /// The columns of name and number with a bound of deaths.
    static func columns(deaths: Int) -> Int { deaths == 0 ? width : widthWithDeaths }

    /// `1 preemption`, `1 preemption, 1 death`.
    static func name(preemptions: Int, deaths: Int) -> String {
        let name = FailureText.counted(preemptions, "preemption")
        return deaths == 0 ? name : "\(name), \(FailureText.counted(deaths, "death"))"
    }

    /// `  1 preemption       38 orders  ✓  4.10 s`.
    /// - Parameters:
    ///   - seconds: How long it took; nil if that is not known.
    ///   - width: The columns of name and number.
    func line(seconds: Double?, report: TerminalReport, width: Int = BoundTally.width) -> String {
        let verdict: Verdict = hasFailed ? .failed : inconclusive > 0 ? .inconclusive : left > 0 ? .notRun : .passed
        let name = level.map { Self.name(preemptions: $0.preemptions, deaths: $0.deaths) } ?? "drawn"
        let orders = left == 0 ? FailureText.counted(played, "order") : "\(played) of at least \(played + left) orders"
        let gap = String(repeating: " ", count: max(1, width - name.count - String(played).count))
        let after = hasFailed ? " after \(played)" : inconclusive > 0 ? " \(inconclusive) inconclusive" : ""
        let time = seconds.map { "  \(FailureText.seconds($0))" } ?? ""
        return "  \(name)\(gap)\(orders)  \(report.mark(verdict))\(after)\(time)"
    }
}
