// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabPoints
import LabVocabulary
import ScenarioLanguage

/// Builds the explanation of a failed step.
struct StepExplainer {
    let renderer: DiagnosticRenderer
    package let facts: FailureCircumstances
    /// The values known before the run.
    package let known: Bindings
    package let replay: String

    /// Maximum number of printed lines of a step.
    private static let longestSource = 12

    package func failure(_ step: Step, _ reason: String, verdict: Verdict) -> StepFailure {
        let events = StepEvents(facts: facts)
        let lines = events.lines
        return StepFailure(
            verdict: verdict, step: step.path, title: step.title, sentence: step.sentence(knowing: known),
            place: ReportedPlace(step.place), includedAt: step.includedAt.map { ReportedPlace($0) },
            source: source(of: step), reason: reason, differences: facts.mismatches.map(difference), details: details,
            causes: CauseFinder(facts: facts).causes, events: lines, trace: lines.isEmpty ? events.before : [],
            explain: facts.error?.name.flatMap { ErrorNames.all.contains($0) ? $0 : nil },
            actor: facts.actor, replay: replay)
    }

    /// The details of an unexpected error beside its message, one line per member.
    private var details: [String] {
        guard case .object(let members)? = facts.error?.userInfo else { return [] }
        return members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" }
    }

    /// The lines of the file with the step, secrets masked.
    private func source(of step: Step) -> String {
        let first = step.place.range.start.line
        let last = min(max(first, step.place.range.end.line), first + Self.longestSource - 1)
        let width = String(last).count
        return (first...last).map { number in
            let mark = number == first ? ">" : " "
            let padding = String(repeating: " ", count: width - String(number).count)
            return "\(mark) \(padding)\(number) | \(renderer.secrets.masked(line: number, of: step.place.file))"
        }.joined(separator: "\n")
    }

    private func difference(_ mismatch: Mismatch) -> Difference {
        Difference(
            path: mismatch.path, expected: mismatch.expected, actual: mismatch.actual?.description ?? "nothing",
            place: ReportedPlace(mismatch.place), hint: mismatch.hint, excerpt: renderer.excerpt(mismatch.place))
    }
}

/// The instance's records about a failed step: the facts for finding its causes.
///
/// An immutable value. Everything is read from the traces, so that no hanging process has to be asked.
struct FailureCircumstances {
    /// The step's number, which is the operation in the processes' events.
    package let step: String
    /// When the step, or its last attempt, began, on the monotonic clock.
    package let begin: UInt64
    /// The actor of the step, or the process of the awaited event.
    package let actor: String?
    /// The unexpected error.
    package let error: ControlError?
    /// The awaited event.
    var awaited: String?
    /// The command of the step.
    package var command: String?
    /// The differences of its answer from the expectation.
    var mismatches: [Mismatch] = []
    /// When the first attempt began, for a step that is retried until it holds.
    var waitingSince: UInt64?
    /// Everything recorded so far, in the order of time.
    package let events: [TraceEvent]
    package let topology: Topology
    /// The number of the step that was running at a time; the actor's if there were several.
    let stepAt: (_ time: UInt64, _ actor: String) -> String?
    /// The step that armed a fault.
    let armedBy: (ArmedFault.Identity) -> Step?

    /// All events since the step began.
    var recent: [TraceEvent] { events.filter { $0.time >= begin } }

    /// All events that the step caused, in all processes.
    package var own: [TraceEvent] { recent.filter { $0.isCaused(by: step) } }

    /// The device of the actor; nil if it is neither an app nor a device.
    package var device: String? {
        guard let actor else { return nil }
        return topology.app(named: actor)?.device.name ?? topology.devices.first { $0.name == actor }?.name
    }

    /// "since step 3", if the step is known.
    package func since(_ time: UInt64, by actor: String) -> String {
        stepAt(time, actor).map { " since \(Phase.title(ofStep: $0))" } ?? ""
    }

    /// "that step 4 armed", if a step did.
    package func armed(_ fault: ArmedFault.Identity) -> String {
        armedBy(fault).map { " that \(Phase.title(ofStep: $0.path)) armed (\($0.place.label))" } ?? ""
    }
}

/// The events quoted in the explanation of a failed step.
struct StepEvents {
    package let facts: FailureCircumstances

    /// Maximum number of printed events.
    private static let longest = 12
    /// Number of last events of a process that are printed if the step itself caused none.
    private static let shown = 8

    /// One line per event, with the time since the step began; empty if the step caused none.
    package var lines: [String] {
        let events = facts.recent.filter(isShown)
        let lines = events.suffix(Self.longest).map { event in
            "+\(FailureText.milliseconds(event.time - facts.begin))  \(event.line)"
        }
        return events.count > Self.longest ? ["… \(events.count - Self.longest) more before"] + lines : lines
    }

    /// The last events of the actor before, or of all processes without an actor.
    package var before: [String] {
        // A step without an actor, such as `check`, has no process.
        guard facts.actor != nil || facts.awaited != nil else { return [] }
        let events = facts.events.filter { !Self.noise.contains($0.name) }
        let own = events.filter { $0.process == facts.actor }
        return (own.isEmpty ? events : own).suffix(Self.shown).map(\.line)
    }

    /// The commands, which the step shows, and the locks, which every call of a shared session takes; a lock that a
    /// process waited for is a cause.
    private static let noise: Set<TraceEventName> = [
        .commandStarted, .commandFinished, .lockRequested, .lockTaken, .lockReleased,
    ]

    private func isShown(_ event: TraceEvent) -> Bool {
        if Self.noise.contains(event.name) { return false }
        // Agents and faults record no operation; the rest belongs to other steps that run at the same time.
        guard event.operation == nil else { return event.isCaused(by: facts.step) }
        if event.name == .operationsLeftOut { return event.process == facts.actor }
        return [.processEnded, .processSuspended, .faultFired, .linkDown, .linkFailed, .linkFaulted].contains(
            event.name)
    }
}
