import LabChecks
import LabKit

/// The rules that hold in every scenario, whatever its steps expect: those rules of stress runs that are cheap.
///
/// An app with a quirk breaks some of them on purpose. With several sets of locks at once the rules cannot determine
/// which lock an event is about. Neither is checked.
enum ScenarioRules {
    /// A rule that a scenario has broken.
    struct Violation {
        /// The rule and its violation.
        let sentence: String
        /// The shortest list of events that show it, a line each.
        let events: [String]
    }

    /// A longer history is not checked: it would delay the scenario.
    private static let limits: Examination.Limits = {
        var limits = Examination.Limits()
        limits.events = 200_000
        limits.seconds = 5
        return limits
    }()

    /// Checks the traces of a scenario's processes against the rules.
    ///
    /// - Parameters:
    ///   - topology: Its topology.
    ///   - history: The events for the rules.
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
