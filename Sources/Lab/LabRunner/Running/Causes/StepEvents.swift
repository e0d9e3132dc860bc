import LabKit

/// The events quoted in the explanation of a failed step.
struct StepEvents {
    let facts: FailureCircumstances

    /// Maximum number of printed events.
    private static let longest = 12
    /// Number of last events of a process that are printed if the step itself caused none.
    private static let shown = 8

    /// One line per event, with the time since the step began; empty if the step caused none.
    var lines: [String] {
        let events = facts.recent.filter(isShown)
        let lines = events.suffix(Self.longest).map { event in
            "+\(TerminalReport.milliseconds(event.time - facts.begin))  \(event.line)"
        }
        return events.count > Self.longest ? ["… \(events.count - Self.longest) more before"] + lines : lines
    }

    /// The last events of the actor before, or of all processes without an actor.
    var before: [String] {
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
        return [.processEnded, .processSuspended, .faultFired, .linkDown, .linkFailed, .linkFaulted].contains(
            event.name)
    }
}
