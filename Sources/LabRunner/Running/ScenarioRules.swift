internal import LabChecks
internal import LabKit

/// What must hold in every scenario, whatever its steps expect: those rules of stress runs that cost little.
///
/// An app with a defect of the original breaks some of them on purpose. With several sets of locks at once the rules cannot
/// tell which lock an event is about. Neither is judged.
enum ScenarioRules {
    /// A rule that a scenario has broken.
    struct Violation {
        /// The rule and what has broken it.
        let sentence: String
        /// The fewest events that show it, a line each.
        let events: [String]
    }

    /// A longer history is not judged: no scenario is to wait for that.
    private static let limits: Examination.Limits = {
        var limits = Examination.Limits()
        limits.events = 200_000
        limits.seconds = 5
        return limits
    }()

    /// Holds the rules against the traces of a scenario.
    ///
    /// - Parameters:
    ///   - topology: Its cast.
    ///   - directory: Where the traces are.
    static func violations(of topology: Topology, traces directory: String) throws -> [Violation] {
        guard topology.apps.allSatisfy({ $0.quirks.isEmpty }), topology.devices.count(where: { $0.kind == .phone }) == 1
        else { return [] }
        let history = try RecordedHistory(traces: directory, where: SharingCheckers.judgeInScenarios)
        if let line = history.damage.first { throw LabFailure("\(line) is no event") }
        guard history.hasOneSharedActivation else { return [] }
        return Examination(history, by: SharingCheckers.inScenarios, limits: limits).results.compactMap { result in
            guard let breach = result.breach else { return nil }
            return Violation(
                sentence: "the rule `\(result.name)` of shared activations is broken: \(breach.sentence)",
                events: ExcerptTable(breach.excerpt).lines)
        }
    }
}

extension ScenarioRun {
    /// Adds a failure for each rule that the scenario has broken.
    func checkRules(traces: String) {
        do {
            for violation in try ScenarioRules.violations(of: scenario.topology, traces: traces) {
                fail(violation.sentence, verdict: .failed, trace: violation.events)
            }
        } catch {
            fail("the traces cannot be judged: \(error)", verdict: .inconclusive)
        }
    }
}
