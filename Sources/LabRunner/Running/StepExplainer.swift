internal import LabFile
internal import LabKit

/// Makes the explanation of a failed step.
struct StepExplainer {
    let renderer: DiagnosticRenderer
    let events: TraceBoard
    let replay: String

    /// The lines of a step that are printed at most.
    private static let longestSource = 12
    /// The trace events that are printed at most.
    private static let shownEvents = 8

    func failure(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch], peer: String?
    ) -> StepFailure {
        StepFailure(
            verdict: verdict, step: step.path, title: step.title, place: step.place.label, source: source(of: step),
            reason: reason, differences: mismatches.map(difference),
            trace: events.lastEvents(of: peer, count: Self.shownEvents), replay: replay)
    }

    /// The lines of the file that hold the step, secrets masked.
    private func source(of step: Step) -> String {
        let first = step.place.range.start.line
        let last = min(max(first, step.place.range.end.line), first + Self.longestSource - 1)
        return (first...last).map { number in
            let mark = number == first ? ">" : " "
            return "\(mark) \(number) | \(renderer.secrets.masked(line: number, of: step.place.file))"
        }.joined(separator: "\n")
    }

    private func difference(_ mismatch: Mismatch) -> Difference {
        Difference(
            path: mismatch.path, expected: mismatch.expected, actual: mismatch.actual?.description ?? "nothing",
            place: mismatch.place.label, excerpt: renderer.excerpt(mismatch.place))
    }
}
