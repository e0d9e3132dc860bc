// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
package import LabCore
package import LabFile
package import ScenarioLanguage

/// Compares values with expectations and lists every difference.
package struct MatchEvaluator {
    package let bindings: Bindings
    /// Whether objects may only have the members that are expected of them.
    private let isExact: Bool

    package init(bindings: Bindings) { self.init(bindings: bindings, isExact: false) }

    private init(bindings: Bindings, isExact: Bool) {
        self.bindings = bindings
        self.isExact = isExact
    }

    /// All differences, in the order of the file; empty means the value is as expected.
    func mismatches(_ value: JSONValue?, _ expectation: Expectation, path: String = "") -> [Mismatch] {
        func differs(_ expected: String) -> [Mismatch] {
            [Mismatch(path: path, expected: expected, actual: value, place: expectation.place)]
        }
        do {
            return try judge(value, expectation, path: path, differs: differs)
        } catch let error as UnresolvedReference {
            return differs("${\(error.reference.text)}, which has no value")
        } catch {
            return differs("\(error)")
        }
    }

    /// All differences of an error. `code` is matched by its name, or by its number if the scenario gives a number.
    func mismatches(_ error: ControlError, _ expectation: Expectation) -> [Mismatch] {
        let byName = mismatches(error.matchable(code: .name), expectation)
        let byNumber = mismatches(error.matchable(code: .number), expectation)
        return byNumber.count < byName.count ? byNumber : byName
    }

    private func judge(
        _ value: JSONValue?, _ expectation: Expectation, path: String, differs: (String) -> [Mismatch]
    ) throws -> [Mismatch] {
        switch expectation.matcher {
        case .any:
            if value.isPresent { return [] }
            return [
                Mismatch(
                    path: path, expected: "any value", actual: value, place: expectation.place,
                    hint: value == nil ? nil : NearMiss.nullIsNoValue)
            ]
        case .absent: return value.isPresent ? differs("nothing") : []
        case .exactly(let inner): return with(isExact: true).mismatches(value, inner, path: path)
        case .equals(let template):
            let expected = try bindings.resolve(template)
            if expected == .null, value == nil { return [] }
            return differences(value, from: expected, path: path, at: expectation.place)
        case .object(let members):
            guard case .object(let object)? = value else { return differs("an object") }
            let different = members.flatMap { member in
                mismatches(object[member.key], member.expectation, path: Self.path(path, member.key))
            }
            let others = isExact ? Set(object.keys).subtracting(members.map(\.key)).sorted() : []
            return different
                + others.map { key in
                    Mismatch(
                        path: Self.path(path, key), expected: Self.noSuchMember, actual: object[key],
                        place: expectation.place)
                }
        case .list(let expectations):
            guard case .array(let elements)? = value else { return differs("a list") }
            return differences(elements, from: expectations, path: path, of: expectation)
        case .all(let expectations): return expectations.flatMap { mismatches(value, $0, path: path) }
        case .oneOf(let expectations):
            if expectations.contains(where: { mismatches(value, $0, path: path).isEmpty }) { return [] }
            return differs("one of " + expectations.map { describe($0) }.joined(separator: ", "))
        case .not(let inner):
            return mismatches(value, inner, path: path).isEmpty ? differs("not " + describe(inner)) : []
        case .contains(let inner):
            // A part says nothing about what is beside it.
            return with(isExact: false).contains(value, inner)
                ? [] : differs("something that contains " + describe(inner))
        case .each(let inner):
            guard case .array(let elements)? = value else { return differs("a list") }
            return elements.enumerated().flatMap { index, element in
                mismatches(element, inner, path: Self.path(path, String(index)))
            }
        case .length(let inner):
            guard let length = value?.length else { return differs("a length of " + describe(inner)) }
            return mismatches(.integer(Int64(length)), inner).isEmpty
                ? [] : differs("a length of \(describe(inner)), not \(length)")
        default: return try compare(value, expectation.matcher) ? [] : differs(describe(expectation))
        }
    }

    private func with(isExact: Bool) -> MatchEvaluator { MatchEvaluator(bindings: bindings, isExact: isExact) }

    /// What is expected of a member that must not be there.
    static let noSuchMember = "no such member"

    /// The matchers for one text or one number.
    private func compare(_ value: JSONValue?, _ matcher: Matcher) throws -> Bool {
        switch matcher {
        case .matches(let pattern):
            guard case .string(let text)? = value else { return false }
            // The pattern was compiled when the scenario was read.
            let expression = try NSRegularExpression(pattern: pattern)
            return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        case .startsWith(let template):
            guard case .string(let text)? = value else { return false }
            return text.hasPrefix(Bindings.text(of: try bindings.resolve(template)))
        case .endsWith(let template):
            guard case .string(let text)? = value else { return false }
            return text.hasSuffix(Bindings.text(of: try bindings.resolve(template)))
        case .between(let low, let high): return try compare(value, >=, low) && compare(value, <=, high)
        case .near(let middle, let tolerance):
            guard let actual = Self.quantity(value), let middle = Self.quantity(try bindings.resolve(middle)),
                let tolerance = Self.quantity(try bindings.resolve(tolerance)), actual.isTime == middle.isTime,
                tolerance.isTime == middle.isTime
            else { return false }
            return abs(actual.amount - middle.amount) <= tolerance.amount
        case .type(let kind): return kind.holds(value)
        case .atLeast(let low): return try compare(value, >=, low)
        case .atMost(let high): return try compare(value, <=, high)
        default: return false
        }
    }

    /// Whether two numbers, or two times, are in a relation.
    private func compare(
        _ value: JSONValue?, _ relation: (Double, Double) -> Bool, _ limit: Template
    ) throws -> Bool {
        guard let actual = Self.quantity(value), let limit = Self.quantity(try bindings.resolve(limit)),
            actual.isTime == limit.isTime
        else { return false }
        return relation(actual.amount, limit.amount)
    }

    /// A number, or the nanoseconds of a duration; nil for anything else.
    private static func quantity(_ value: JSONValue?) -> (amount: Double, isTime: Bool)? {
        if let number = value?.numberValue { return (number, false) }
        guard case .string(let text)? = value, let duration = LabDuration(signed: text) else { return nil }
        return (Double(duration.nanoseconds), true)
    }

    private func contains(_ value: JSONValue?, _ inner: Expectation) -> Bool {
        switch value {
        case .array(let elements): return elements.contains { mismatches($0, inner).isEmpty }
        case .string(let text):
            guard case .equals(let template) = inner.matcher, let piece = try? bindings.resolve(template) else {
                return mismatches(value, inner).isEmpty
            }
            return text.contains(Bindings.text(of: piece))
        default: return mismatches(value, inner).isEmpty
        }
    }

    /// Equality where 1 and 1.0 are the same number.
    static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.integer, .number), (.number, .integer), (.unsigned, .number), (.number, .unsigned):
            return left.numberValue == right.numberValue
        case (.array(let a), .array(let b)): return a.count == b.count && zip(a, b).allSatisfy(isEqual)
        case (.object(let a), .object(let b)):
            return a.count == b.count && a.allSatisfy { key, value in b[key].map { isEqual(value, $0) } ?? false }
        default: return left == right
        }
    }

    /// An expectation in words.
    package func describe(_ expectation: Expectation) -> String {
        func text(_ template: Template) -> String { (try? bindings.resolve(template).description) ?? "?" }
        switch expectation.matcher {
        case .equals(let template): return text(template)
        case .exactly(let inner): return describe(inner)
        case .object(let members):
            return "{ " + members.map { "\($0.key): \(describe($0.expectation))" }.joined(separator: ", ") + " }"
        case .list(let elements): return "[" + elements.map { describe($0) }.joined(separator: ", ") + "]"
        case .matches(let pattern): return "text that matches \(pattern)"
        case .oneOf(let list): return "one of " + list.map { describe($0) }.joined(separator: ", ")
        case .all(let list): return list.map { describe($0) }.joined(separator: " and ")
        case .not(let inner): return "not \(describe(inner))"
        case .contains(let inner): return "something that contains \(describe(inner))"
        case .startsWith(let template): return "text that starts with \(text(template))"
        case .endsWith(let template): return "text that ends with \(text(template))"
        case .between(let low, let high): return "a number from \(text(low)) to \(text(high))"
        case .near(let middle, let tolerance): return "\(text(middle)), give or take \(text(tolerance))"
        case .each(let inner): return "a list of elements that are all \(describe(inner))"
        case .type(let kind): return kind.title
        case .atLeast(let low): return "at least \(text(low))"
        case .atMost(let high): return "at most \(text(high))"
        case .length(let inner): return "a length of \(describe(inner))"
        case .absent: return "nothing"
        case .any: return "any value"
        }
    }
}

extension JSONValue? {
    fileprivate var isPresent: Bool {
        switch self {
        case nil, .null: false
        default: true
        }
    }
}

extension JSONValue {
    fileprivate var length: Int? {
        switch self {
        case .string(let text): text.count
        case .array(let elements): elements.count
        case .object(let members): members.count
        default: nil
        }
    }
}

/// One difference between a value and its expectation.
package struct Mismatch: Sendable {
    /// The path in the value: `devices.0.name`; empty for the value itself.
    package let path: String
    /// The expected value, in words or as JSON.
    package let expected: String
    /// The actual value; nil if missing.
    package let actual: JSONValue?
    package let place: SourcePlace
    /// What both values have in common, if that explains the difference.
    var hint: String?
}
