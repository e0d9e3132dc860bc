import Foundation
import LabKit

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
        case (_, .string(let text)):
            return text == expected.description ? "the same characters, but a text" : nil
        case (.array(let expected), .array(let actual)):
            return isReordered(expected, actual) ? otherOrder : nil
        default:
            return nil
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
