import LabKit

/// The selection of scenarios to run.
struct Selection: Sendable {
    let filter: String?
    /// Tags, one of which a scenario must have; a tag with `!` before it excludes.
    private let tags: [String]
    /// Expressions of several words, all of which a scenario must match.
    private let expressions: [TagExpression]

    /// - Parameter tags: Tags, tags with `!` before them, and expressions such as `sharing and not slow`.
    /// - Throws: ``BadUsage`` for an invalid expression.
    init(filter: String?, tags: [String]) throws {
        self.filter = filter
        let tags = tags.map { $0.trimmed.isEmpty ? $0 : $0.trimmed }
        self.tags = tags.filter { !$0.contains(" ") }
        expressions = try tags.filter { $0.contains(" ") }.map(TagExpression.init)
    }

    func contains(_ scenario: Scenario) -> Bool {
        if let filter {
            let text = "\(scenario.id)\n\(scenario.name)".lowercased()
            if !text.contains(filter.lowercased()) { return false }
        }
        guard expressions.allSatisfy({ $0.holds(for: scenario.tags) }) else { return false }
        let excluded = tags.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
        if scenario.tags.contains(where: excluded.contains) { return false }
        let wanted = tags.filter { !$0.hasPrefix("!") }
        return wanted.isEmpty || scenario.tags.contains(where: wanted.contains)
    }

    /// Why the selection is probably not the intended one; nil if it is fine.
    func complaint(about scenarios: [Scenario]) -> String? {
        guard !scenarios.isEmpty else { return "error: there is no scenario at the given paths" }
        let known = Set(scenarios.flatMap(\.tags)).sorted()
        // A misspelled tag after `!` would exclude nothing, and one among others select too little.
        let words = tags.map { $0.hasPrefix("!") ? String($0.dropFirst()) : $0 } + expressions.flatMap(\.tags)
        for word in words {
            if !known.contains(word) {
                let advice = nearest(word, among: known).map { "; did you mean `\($0)`?" } ?? ""
                return "error: no scenario has the tag `\(word)`\(advice)"
            }
        }
        guard !scenarios.contains(where: contains) else { return nil }
        return "error: none of \(scenarios.count) scenarios is selected by the filter and the tags"
    }
}
