// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import ScenarioLanguage

/// The checks of a run after the steps of a scenario: they prevent a green result that proves nothing.
///
/// A scenario is green if none of them reports anything. `FinalCheckTests` has a red case for each.
package enum FinalCheck: CaseIterable {
    /// Every failed step has a reason.
    case reasons
    /// Every armed fault has hit something.
    case faults
    /// No app process has died without a command, a fault or the system causing it.
    case deaths
    /// The record of the run is complete.
    case record
    /// The instance was left clean.
    case remains
    /// The traces of the processes are readable.
    case traces
    /// Each recorded event has its declared details.
    case events
    /// The traces satisfy the rules that hold in every scenario.
    case rules

    /// The time of the check.
    package enum Moment {
        /// All steps have passed.
        case afterSteps
        /// The tear-down, if any, has ended.
        case afterTearDown
        /// The instance has ended.
        case afterInstance
    }

    package var moments: [Moment] {
        switch self {
        case .faults: [.afterSteps]
        case .deaths: [.afterSteps, .afterTearDown]
        case .reasons, .record: [.afterTearDown]
        case .remains, .traces, .events, .rules: [.afterInstance]
        }
    }
}

extension ScenarioRun {
    /// Performs the checks that are possible after the steps, or after the tear-down.
    package func check(_ moment: FinalCheck.Moment, of thread: StepRunner, areFine: Bool) {
        for check in FinalCheck.allCases where check.moments.contains(moment) {
            switch check {
            case .reasons:
                if !areFine, failures.isEmpty {
                    let reason = interruption.isSet ? interruption.reason : "a step failed without a reason"
                    failures.fail(reason, verdict: .inconclusive)
                }
            case .faults: thread.checkFaults()
            case .deaths: checkDeaths(in: thread.instance)
            case .record: if let failure = history.failure { failures.fail(failure, verdict: .inconclusive) }
            case .remains, .traces, .events, .rules: break
            }
        }
    }

    /// Performs the checks that are possible after the instance has ended.
    /// - Parameters:
    ///   - remains: Leftovers, a sentence each.
    ///   - earlier: Events that show which activations apps had stored before the traces begin.
    func checkEnd(remains: [String], traces: String, after earlier: [TraceEvent] = []) {
        var mismatches: Set<String> = []
        let recorded = Result {
            try RecordedHistory(traces: traces) { event in
                if let mismatch = event.mismatch { mismatches.insert(mismatch) }
                return SharingCheckers.judgeInScenarios(event)
            }
        }
        for check in FinalCheck.allCases where check.moments.contains(.afterInstance) {
            switch (check, recorded) {
            case (.remains, _):
                for complaint in remains {
                    failures.fail("the instance was not left clean: \(complaint)", verdict: .failed)
                }
            case (.traces, .failure(let error)):
                failures.fail("the traces cannot be checked: \(error)", verdict: .inconclusive)
            case (.traces, .success(let history)):
                // The content of such a line is not checked.
                if let line = history.damage.first {
                    failures.fail("the traces cannot be checked: \(line) is not an event", verdict: .inconclusive)
                }
            case (.events, _):
                for mismatch in mismatches.sorted() {
                    failures.fail("an event of the lab is not as declared: \(mismatch)", verdict: .failed)
                }
            case (.rules, .success(let history)) where history.damage.isEmpty:
                for violation in ScenarioRules.violations(of: scenario.topology, in: history, after: earlier) {
                    failures.fail(violation.sentence, verdict: .failed, trace: violation.events)
                }
            case (.rules, _), (.reasons, _), (.faults, _), (.deaths, _), (.record, _): break
            }
        }
    }

    /// Reports processes that have died by themselves, each once.
    func checkDeaths(in instance: InstanceConnection) {
        do {
            let deaths = try AppDeaths(in: instance).unwanted
            for death in deaths where isNews(death) {
                failures.fail(AppDeaths.sentence(death, in: directory), verdict: .failed)
            }
        } catch {
            failures.fail("whether a process died by itself is not known: \(error)", verdict: .inconclusive)
        }
    }
}

/// The rules that hold in every scenario, whatever its steps expect: those rules of stress runs that are cheap.
///
/// An app with a quirk breaks some of them on purpose. With several sets of locks at once the rules cannot determine
/// which lock an event is about. Neither is checked.
enum ScenarioRules {
    /// A rule that a scenario has broken.
    struct Violation {
        /// The rule and its violation.
        package let sentence: String
        /// The shortest list of events that show it, a line each.
        package let events: [String]
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
    /// The traces may begin after a shared set-up, with counters, tokens and an activation that they do not explain: each
    /// rule compares events of the traces with each other, and takes nothing for the beginning. No process of the set-up
    /// is alive, so none of them holds a lock or has a pending operation.
    /// - Parameter earlier: Events that show which activations apps had stored before the traces begin.
    static func violations(
        of topology: Topology, in history: RecordedHistory, after earlier: [TraceEvent] = []
    ) -> [Violation] {
        guard topology.apps.allSatisfy({ $0.quirks.isEmpty }), canJudge(topology, history, after: earlier) else {
            return []
        }
        return examination(of: history).results.compactMap { result in
            guard let breach = result.breach else { return nil }
            return Violation(
                sentence: "the rule `\(result.name)` of shared activations is broken: \(breach.sentence)",
                events: ExcerptTable(breach.excerpt).lines)
        }
    }

    /// Whether the traces show whose lock each event is about.
    static func canJudge(
        _ topology: Topology, _ history: RecordedHistory, after earlier: [TraceEvent] = []
    ) -> Bool {
        guard topology.devices.count(where: { $0.kind == .phone }) == 1 else { return false }
        let whole = earlier.isEmpty ? history : RecordedHistory(earlier + history.events)
        return whole.hasOneSharedActivation
    }

    /// Holds a history that can be judged against the rules, whatever quirks the apps have.
    static func examination(of history: RecordedHistory) -> Examination {
        Examination(history, by: SharingCheckers.inScenarios, limits: limits)
    }
}
