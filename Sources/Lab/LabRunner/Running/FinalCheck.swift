import LabChecks
import LabKit

/// The checks of a run after the steps of a scenario: they prevent a green result that proves nothing.
///
/// A scenario is green if none of them reports anything. `FinalCheckTests` has a red case for each.
enum FinalCheck: CaseIterable {
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
    enum Moment {
        /// All steps have passed.
        case afterSteps
        /// The tear-down, if any, has ended.
        case afterTearDown
        /// The instance has ended.
        case afterInstance
    }

    var moments: [Moment] {
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
    ///
    /// - Parameters:
    ///   - thread: The executor of the steps.
    ///   - areFine: Whether all steps so far have passed.
    func check(_ moment: FinalCheck.Moment, of thread: StepRunner, areFine: Bool) {
        for check in FinalCheck.allCases where check.moments.contains(moment) {
            switch check {
            case .reasons:
                if !areFine, failures.isEmpty {
                    let reason = interruption.isSet ? interruption.reason : "a step failed without a reason"
                    fail(reason, verdict: .inconclusive)
                }
            case .faults: thread.checkFaults()
            case .deaths: checkDeaths(in: thread.instance)
            case .record: if let failure = history.failure { fail(failure, verdict: .inconclusive) }
            case .remains, .traces, .events, .rules: break
            }
        }
    }

    /// Performs the checks that are possible after the instance has ended.
    ///
    /// - Parameters:
    ///   - remains: Leftovers, a sentence each.
    ///   - traces: The directory of the processes' traces.
    func checkEnd(remains: [String], traces: String) {
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
                for complaint in remains { fail("the instance was not left clean: \(complaint)", verdict: .failed) }
            case (.traces, .failure(let error)):
                fail("the traces cannot be checked: \(error)", verdict: .inconclusive)
            case (.traces, .success(let history)):
                // The content of such a line is not checked.
                if let line = history.damage.first {
                    fail("the traces cannot be checked: \(line) is not an event", verdict: .inconclusive)
                }
            case (.events, _):
                for mismatch in mismatches.sorted() {
                    fail("an event of the lab is not as declared: \(mismatch)", verdict: .failed)
                }
            case (.rules, .success(let history)) where history.damage.isEmpty:
                for violation in ScenarioRules.violations(of: scenario.topology, in: history) {
                    fail(violation.sentence, verdict: .failed, trace: violation.events)
                }
            case (.rules, _), (.reasons, _), (.faults, _), (.deaths, _), (.record, _): break
            }
        }
    }

    private func checkDeaths(in instance: InstanceConnection) {
        do {
            let deaths = try AppDeaths(in: instance).unwanted
            for death in deaths where isNews(death) {
                fail(AppDeaths.sentence(death, in: directory), verdict: .failed)
            }
        } catch {
            fail("whether a process died by itself is not known: \(error)", verdict: .inconclusive)
        }
    }
}
