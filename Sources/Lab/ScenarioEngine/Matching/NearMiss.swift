// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
package import LabFile
package import ScenarioLanguage

/// What two differing values have in common, if that explains the difference.
///
/// It reports positions and never characters, so it reveals nothing of a secret.
enum NearMiss {
    /// The sentence; nil if the values have nothing notable in common.
    static func hint(expected: JSONValue, actual: JSONValue) -> String? {
        switch (expected, actual) {
        case (.string(let expected), .string(let actual)): return hint(expected: expected, actual: actual)
        case (.string(let text), .integer), (.string(let text), .unsigned), (.string(let text), .number),
            (.string(let text), .bool):
            return text == actual.description ? "the same characters, but not a text" : nil
        case (_, .string(let text)): return text == expected.description ? "the same characters, but a text" : nil
        case (.array(let expected), .array(let actual)): return isReordered(expected, actual) ? otherOrder : nil
        default: return nil
        }
    }

    private static func hint(expected: String, actual: String) -> String? {
        if actual.isEmpty { return "an empty text" }
        if expected.lowercased() == actual.lowercased() { return "equal except for upper and lower case" }
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
        if trimmed(expected) == trimmed(actual) { return "equal except for white space at the ends" }
        if let left = LabDuration(signed: expected), let right = LabDuration(signed: actual) {
            return left == right ? "the same time, written in another way" : nil
        }
        if let left = bytes(of: expected), let right = bytes(of: actual) {
            return commonStart(left, right).map { "as bytes the same up to number \($0) of \(left.count)" }
        }
        guard min(expected.count, actual.count) >= longText else { return nil }
        return commonStart(Array(expected), Array(actual)).map { "the same up to character \($0)" }
    }

    /// Why `any: true` does not match an existing member.
    static let nullIsNoValue =
        "null is no value: `absent: true` holds for it, and a member that may be null is left out"

    static let otherOrder = "the same elements in another order"

    /// The length in characters from which a reader needs help.
    private static let longText = 20

    /// The bytes of a hexadecimal or Base64 text that is too long to be a word.
    private static func bytes(of text: String) -> [UInt8]? {
        guard text.count >= 16, text.count.isMultiple(of: 2) else { return nil }
        if text.allSatisfy(\.isHexDigit) {
            let digits = text.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
        return Data(base64Encoded: text).map { Array($0) }
    }

    /// Number of equal elements at the beginning; nil if zero.
    private static func commonStart<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int? {
        let count = zip(left, right).prefix { $0 == $1 }.count
        return count > 0 ? count : nil
    }

    private static func isReordered(_ left: [JSONValue], _ right: [JSONValue]) -> Bool {
        guard left.count == right.count else { return false }
        let rest = unmatched(left, right, by: MatchEvaluator.isEqual)
        return rest.missing.isEmpty
    }

    /// The rest of two lists after pairing each element with at most one that matches it.
    static func unmatched<Expected, Actual>(
        _ expected: [Expected], _ actual: [Actual], by fits: (Expected, Actual) -> Bool
    ) -> (missing: [Expected], extra: [Actual]) {
        var extra = actual
        let missing = expected.filter { one in
            guard let index = extra.firstIndex(where: { fits(one, $0) }) else { return true }
            extra.remove(at: index)
            return false
        }
        return (missing, extra)
    }
}

// The differences between two values: only the differing members, each by its path.
extension MatchEvaluator {
    package func differences(_ actual: JSONValue?, from expected: JSONValue, path: String, at place: SourcePlace)
        -> [Mismatch]
    {
        switch (expected, actual) {
        case (_, let actual?) where Self.isEqual(actual, expected): return []
        case (.object(let members), .object(let others)?):
            return Set(members.keys).union(others.keys).sorted().flatMap { key in
                let path = Self.path(path, key)
                guard let member = members[key] else {
                    return [Mismatch(path: path, expected: Self.noSuchMember, actual: others[key], place: place)]
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
                    path: path, expected: Self.list(of: elements.count, not: others.count), actual: actual,
                    place: place,
                    hint: Self.sentence(
                        NearMiss.unmatched(elements, others, by: Self.isEqual), describe: \.description))
            ]
        default:
            let hint = actual.flatMap { NearMiss.hint(expected: expected, actual: $0) }
            return [Mismatch(path: path, expected: expected.description, actual: actual, place: place, hint: hint)]
        }
    }

    /// What is expected of a list that has another number of elements.
    private static func list(of count: Int, not actual: Int) -> String {
        "a list with \(count) element\(count == 1 ? "" : "s"), not \(actual)"
    }

    /// The differences of a list: its elements, or the list as a whole if the number or the order of the elements
    /// differs.
    package func differences(
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
                Self.list(of: expectations.count, not: elements.count),
                Self.sentence(unmatched(), describe: describe))
        }
        let differences = zip(elements, expectations).enumerated().flatMap { index, pair in
            mismatches(pair.0, pair.1, path: Self.path(path, String(index)))
        }
        guard !differences.isEmpty, unmatched().missing.isEmpty else { return differences }
        return whole(describe(list), NearMiss.otherOrder)
    }

    package static func path(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

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
