/// Explanations as `lab explain` prints them.
public enum ExplanationReference {
    /// The names that are explained, each with its meaning.
    public static func names() -> String {
        sections { explanations in explanations.map { "  \($0.name)  \($0.meaning)" }.joined(separator: "\n") }
    }

    /// Everything that is explained.
    public static func text() -> String {
        sections { explanations in explanations.map(text).joined(separator: "\n\n") }
    }

    /// One explanation in full.
    public static func text(_ explanation: Explanation) -> String {
        var lines = [explanation.name + (explanation.code.map { " (\($0))" } ?? "")]
        if let printed = explanation.printed { lines.append("  printed as: …\(printed)…") }
        lines.append("  \(explanation.meaning)")
        if !explanation.causes.isEmpty {
            lines.append("  Usual causes:")
            lines += explanation.causes.map { "    - \($0)" }
        }
        lines.append("  What to do: \(explanation.advice)")
        if !explanation.references.isEmpty {
            lines.append("  Specified in docs/spec: \(explanation.references.joined(separator: "; "))")
        }
        if !explanation.scenarios.isEmpty {
            lines.append("  Shown by: \(explanation.scenarios.map { "Scenarios/\($0)" }.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    /// One part for each kind of name.
    private static func sections(_ body: ([Explanation]) -> String) -> String {
        Explanation.Subject.allCases.map { subject in
            "\(subject.title)\n\n\(body(Explanation.all.filter { $0.subject == subject }))\n"
        }.joined(separator: "\n")
    }
}
