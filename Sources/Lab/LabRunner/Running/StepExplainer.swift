import LabFile
import LabKit

/// Builds the explanation of a failed step.
struct StepExplainer {
    let renderer: DiagnosticRenderer
    let facts: FailureCircumstances
    /// The values known before the run.
    let known: Bindings
    let replay: String

    /// Maximum number of printed lines of a step.
    private static let longestSource = 12

    func failure(_ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch]) -> StepFailure {
        let events = StepEvents(facts: facts)
        let lines = events.lines
        return StepFailure(
            verdict: verdict, step: step.path, title: step.title, sentence: step.sentence(knowing: known),
            place: step.place.label,
            includedAt: step.includedAt.map(\.label), source: source(of: step),
            reason: reason, differences: mismatches.map(difference), details: details,
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
            place: mismatch.place.label, hint: mismatch.hint, excerpt: renderer.excerpt(mismatch.place))
    }
}
