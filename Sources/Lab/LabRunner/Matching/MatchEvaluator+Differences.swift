import LabFile
import LabKit

// The differences between two values: only the differing members, each by its path.
extension MatchEvaluator {
    func differences(_ actual: JSONValue?, from expected: JSONValue, path: String, at place: SourcePlace) -> [Mismatch]
    {
        switch (expected, actual) {
        case (_, let actual?) where Self.isEqual(actual, expected):
            return []
        case (.object(let members), .object(let others)?):
            return Set(members.keys).union(others.keys).sorted().flatMap { key in
                let path = Self.path(path, key)
                guard let member = members[key] else {
                    return [Mismatch(path: path, expected: "no such member", actual: others[key], place: place)]
                }
                return differences(others[key], from: member, path: path, at: place)
            }
        case (.array(let elements), .array(let others)?) where elements.count == others.count:
            if let hint = NearMiss.hint(expected: expected, actual: .array(others)) {
                return [
                    Mismatch(path: path, expected: expected.description, actual: actual, place: place, hint: hint)
                ]
            }
            return zip(elements, others).enumerated().flatMap { index, pair in
                differences(pair.1, from: pair.0, path: Self.path(path, String(index)), at: place)
            }
        case (.array(let elements), .array(let others)?):
            return [
                Mismatch(
                    path: path, expected: "a list of \(elements.count), not \(others.count)", actual: actual,
                    place: place,
                    hint: Self.sentence(
                        NearMiss.unmatched(elements, others, by: Self.isEqual), describe: \.description))
            ]
        default:
            let hint = actual.flatMap { NearMiss.hint(expected: expected, actual: $0) }
            return [Mismatch(path: path, expected: expected.description, actual: actual, place: place, hint: hint)]
        }
    }

    /// The differences of a list: its elements, or the list as a whole if the number or the order of the elements
    /// differs.
    func differences(
        _ elements: [JSONValue], from expectations: [Expectation], path: String, of list: Expectation
    ) -> [Mismatch] {
        func whole(_ expected: String, _ hint: String) -> [Mismatch] {
            [Mismatch(path: path, expected: expected, actual: .array(elements), place: list.place, hint: hint)]
        }
        // Compares every element with every expectation: too expensive for a list that matches.
        func unmatched() -> (missing: [Expectation], extra: [JSONValue]) {
            NearMiss.unmatched(expectations, elements) { mismatches($1, $0).isEmpty }
        }
        guard elements.count == expectations.count else {
            return whole(
                "a list of \(expectations.count), not \(elements.count)",
                Self.sentence(unmatched(), describe: describe))
        }
        let differences = zip(elements, expectations).enumerated().flatMap { index, pair in
            mismatches(pair.0, pair.1, path: Self.path(path, String(index)))
        }
        guard !differences.isEmpty, unmatched().missing.isEmpty else { return differences }
        return whole(describe(list), NearMiss.otherOrder)
    }

    /// The path of a member.
    static func path(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The elements of two lists that match no element of the other.
    private static func sentence<Expected>(
        _ rest: (missing: [Expected], extra: [JSONValue]), describe: (Expected) -> String
    ) -> String {
        let missing = rest.missing.map(describe).joined(separator: ", ")
        let extra = rest.extra.map(\.description).joined(separator: ", ")
        let parts = [missing.isEmpty ? nil : "missing: \(missing)", extra.isEmpty ? nil : "too many: \(extra)"]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}
