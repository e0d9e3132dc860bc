internal import LabChecks
internal import LabKit

/// What a run looks at when the steps of a scenario are over: the guards against a green that means nothing.
///
/// A scenario is green when none of them has anything to say. `FinalCheckTests` has a red case for each.
enum FinalCheck: CaseIterable {
    /// A step that failed has a reason.
    case reasons
    /// Every fault that was armed has hit something.
    case faults
    /// No process of an app has died without a command, a fault or the system wanting it.
    case deaths
    /// The record of the run is complete.
    case record
    /// The instance was left clean.
    case remains
    /// What the processes have recorded can be read.
    case traces
    /// Each event that they have recorded has the details that are declared for it.
    case events
    /// What they have recorded keeps the rules that hold in every scenario.
    case rules

    /// When it is looked at.
    enum Moment {
        /// All steps have ended as they should.
        case afterSteps
        /// The tear-down has ended, or there is none.
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
    /// Looks at what can be seen when the steps are over, or the tear-down.
    ///
    /// - Parameters:
    ///   - thread: Carried the steps out.
    ///   - areFine: Whether all steps so far have ended as they should.
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

    /// Looks at what can be seen when the instance has ended.
    ///
    /// - Parameters:
    ///   - remains: What was not left clean, a sentence each.
    ///   - traces: Where the processes have recorded what they did.
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
                fail("the traces cannot be judged: \(error)", verdict: .inconclusive)
            case (.traces, .success(let history)):
                // What such a line has held is not judged.
                if let line = history.damage.first {
                    fail("the traces cannot be judged: \(line) is no event", verdict: .inconclusive)
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
