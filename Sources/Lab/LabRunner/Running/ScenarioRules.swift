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

    /// Holds the rules against what the processes of a scenario have recorded.
    ///
    /// - Parameters:
    ///   - topology: Its cast.
    ///   - history: The events that the rules look at.
    static func violations(of topology: Topology, in history: RecordedHistory) -> [Violation] {
        guard topology.apps.allSatisfy({ $0.quirks.isEmpty }),
            topology.devices.count(where: { $0.kind == .phone }) == 1, history.hasOneSharedActivation
        else { return [] }
        return Examination(history, by: SharingCheckers.inScenarios, limits: limits).results.compactMap { result in
            guard let breach = result.breach else { return nil }
            return Violation(
                sentence: "the rule `\(result.name)` of shared activations is broken: \(breach.sentence)",
                events: ExcerptTable(breach.excerpt).lines)
        }
    }
}
