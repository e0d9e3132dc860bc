/// Why a scenario is known not to pass, its owner, and how long that is accepted.
struct Quarantine: Sendable, Equatable {
    let reason: String
    let owner: String?
    /// The last day, as `2027-01-31`; nil without an end.
    let until: String?

    /// Whether it has expired on a day, such as `2027-01-31`.
    func isOver(on day: String) -> Bool { until.map { $0 < day } ?? false }

    /// The reason, with the other facts in brackets.
    var sentence: String {
        let facts = [owner, until.map { "until \($0)" }].compactMap(\.self).joined(separator: ", ")
        return facts.isEmpty ? reason : "\(reason) (\(facts))"
    }
}
