internal import Foundation
internal import LabKit

/// What two values that differ have in common, where that explains the difference.
///
/// It tells places and never characters, so that it gives nothing of a secret away.
enum NearMiss {
    /// The sentence; nil when the values are simply two different ones.
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

    /// Why `any: true` does not hold for a member that is there.
    static let nullIsNoValue =
        "null is no value: `absent: true` holds for it, and a member that may be null is left out"

    static let otherOrder = "the same elements in another order"

    /// From how many characters on the eye needs help.
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

    /// How many elements are the same before the first that differs; nil when there is none.
    private static func commonStart<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int? {
        let count = zip(left, right).prefix { $0 == $1 }.count
        return count > 0 ? count : nil
    }

    private static func isReordered(_ left: [JSONValue], _ right: [JSONValue]) -> Bool {
        guard left.count == right.count else { return false }
        let rest = unmatched(left, right, by: MatchEvaluator.isEqual)
        return rest.missing.isEmpty
    }

    /// What is left of two lists when each element has met at most one that fits it.
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
