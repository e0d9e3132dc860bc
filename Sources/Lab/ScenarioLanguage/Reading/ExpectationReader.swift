// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
package import LabFile
import LabVocabulary

/// Reads expectations of values: literals by their declared type, matchers, partial objects.
///
/// Not thread-safe: used by the one thread that reads the file.
package struct ExpectationReader {
    package let values: ValueReader

    private var collector: DiagnosticCollector { values.collector }

    /// Reads an expectation of a value, whose name in diagnostics is `what`.
    package func read(_ node: YAMLNode, of type: FieldType, what: String) -> Expectation? {
        matcher(node, of: type, what: what).map { Expectation(matcher: $0, place: node.place) }
    }

    private func matcher(_ node: YAMLNode, of type: FieldType, what: String) -> Matcher? {
        let type = type.unwrapped
        switch node.content {
        case .scalar:
            if node.isNull { return .equals(.literal(.null)) }
            // An object or list is compared with another one only by a reference.
            return values.read(node, as: type, what: what).map(Matcher.equals)
        case .sequence(let elements):
            let elementType = self.elementType(of: type)
            let expectations = elements.compactMap { read($0, of: elementType, what: "an element of \(what)") }
            return expectations.count == elements.count ? .list(expectations) : nil
        case .mapping(let entries): return mapping(entries, node: node, of: type, what: what)
        }
    }

    private func elementType(of type: FieldType) -> FieldType {
        if case .list(let element) = type { element } else { .any }
    }

    /// A mapping is a matcher if its only key is a matcher's word and no field of the value has that name; several
    /// matchers' words must all hold.
    private func mapping(_ entries: [YAMLEntry], node: YAMLNode, of type: FieldType, what: String) -> Matcher? {
        let fields: [FieldDeclaration] = if case .object(let members) = type { members } else { [] }
        let isFieldName = { (key: String) in fields.contains { $0.name == key } }
        if !entries.isEmpty, entries.allSatisfy({ Matcher.words.contains($0.key) && !isFieldName($0.key) }) {
            let matchers = entries.compactMap { entry in
                word(entry, of: type, what: what).map { Expectation(matcher: $0, place: entry.value.place) }
            }
            guard matchers.count == entries.count else { return nil }
            return matchers.count == 1 ? matchers[0].matcher : .all(matchers)
        }
        switch type {
        case .object(let members):
            return object(entries, what: what) { entry in
                if let member = members.first(where: { $0.name == entry.key }) { return member.memberType }
                collector.report(
                    .unknownExpectedField(field: entry.key, of: what, known: members.map(\.name)),
                    at: entry.keyPlace)
                return nil
            }
        case .map, .any: return object(entries, what: what) { _ in .any }
        default:
            let first = entries.first { !Matcher.words.contains($0.key) } ?? entries.first
            return collector.refuse(
                .unknownMatcher(word: first?.key ?? "", known: Matcher.words), at: first?.keyPlace ?? node.place)
        }
    }

    private func object(_ entries: [YAMLEntry], what: String, type: (YAMLEntry) -> FieldType?) -> Matcher? {
        let members = entries.compactMap { entry -> Matcher.Member? in
            guard let type = type(entry) else { return nil }
            guard let expectation = read(entry.value, of: type, what: "`\(entry.key)`") else { return nil }
            return Matcher.Member(key: entry.key, expectation: expectation)
        }
        return members.count == entries.count ? .object(members) : nil
    }

    private func word(_ entry: YAMLEntry, of type: FieldType, what: String) -> Matcher? {
        let node = entry.value
        func refuse(_ expected: String) -> Matcher? {
            return collector.refuse(.matcherArgument(matcher: entry.key, expected: expected), at: node.place)
        }
        func list() -> [Expectation]? {
            guard let elements = node.elements, !elements.isEmpty else {
                _ = refuse("a list of expectations")
                return nil
            }
            let expectations = elements.compactMap { read($0, of: type, what: what) }
            return expectations.count == elements.count ? expectations : nil
        }
        func number() -> Template? {
            if node.scalar == nil { return refuse("a number or a duration").flatMap { _ in nil } }
            return quantity(node)
        }
        func text() -> Template? {
            if node.scalar == nil { return refuse("text").flatMap { _ in nil } }
            return values.read(node, as: .text, what: "`\(entry.key)`")
        }
        func flag(_ yes: Matcher, _ no: Matcher) -> Matcher? {
            switch node.scalar?.text {
            case "true": yes
            case "false": no
            default: refuse("`true` or `false`")
            }
        }
        func quantity(_ node: YAMLNode) -> Template? {
            values.read(node, as: MatcherNeed.quantityType(of: type, writtenAs: node), what: "`\(entry.key)`")
        }
        if let need = MatcherNeed(of: entry.key), !need.isMet(by: type) {
            return collector.refuse(
                .matcherForOtherType(matcher: entry.key, needs: need.title, what: what, type: type.title),
                at: entry.keyPlace)
        }
        switch entry.key {
        case "equals": return matcher(node, of: type, what: what)
        case "exactly": return read(node, of: type, what: what).map(Matcher.exactly)
        case "not":
            // A list excludes each of its elements, even if the value itself is a list.
            if node.elements != nil {
                return list().map { .not(Expectation(matcher: .oneOf($0), place: node.place)) }
            }
            return read(node, of: type, what: what).map(Matcher.not)
        case "oneOf": return list().map(Matcher.oneOf)
        case "all": return list().map(Matcher.all)
        case "matches":
            guard let pattern = node.scalar?.text else { return refuse("a regular expression") }
            guard (try? NSRegularExpression(pattern: pattern)) != nil else {
                return collector.refuse(.malformedPattern(pattern: pattern), at: node.place)
            }
            return .matches(pattern)
        case "contains":
            let element = containedType(of: type)
            return read(node, of: element, what: "a part of \(what)").map(Matcher.contains)
        case "startsWith": return text().map(Matcher.startsWith)
        case "endsWith": return text().map(Matcher.endsWith)
        case "atLeast": return number().map(Matcher.atLeast)
        case "atMost": return number().map(Matcher.atMost)
        case "each": return read(node, of: elementType(of: type), what: "an element of \(what)").map(Matcher.each)
        case "type":
            guard let kind = node.scalar.flatMap({ Matcher.ValueKind(rawValue: $0.text) }) else {
                let kinds = Matcher.ValueKind.allCases.map { "`\($0.rawValue)`" }
                return refuse("one of \(kinds.joined(separator: ", "))")
            }
            return .type(kind)
        case "near":
            guard let parts = node.elements, parts.count == 2, let middle = quantity(parts[0]),
                let tolerance = quantity(parts[1])
            else { return refuse("a list of a value and how far it may be away, such as `[100, 5]` or `[30s, 1s]`") }
            return .near(middle, tolerance)
        case "between":
            guard let bounds = node.elements, bounds.count == 2, let low = quantity(bounds[0]),
                let high = quantity(bounds[1])
            else { return refuse("a list of two numbers, or of two durations") }
            if case .literal(let least) = low, case .literal(let most) = high, let least = least.numberValue,
                let most = most.numberValue, least > most
            {
                return refuse("the smaller number first: nothing lies between these")
            }
            return .between(low, high)
        case "length": return read(node, of: .integer, what: "`length`").map(Matcher.length)
        case "absent": return flag(.absent, .any)
        case "any": return flag(.any, .absent)
        default: return nil
        }
    }

    private func containedType(of type: FieldType) -> FieldType {
        switch type {
        case .list(let element): element
        case .choice: .text
        default: type
        }
    }
}

/// Reads the expectation of a failure.
///
/// Not thread-safe: used by the one thread that reads the file.
package struct FailureReader {
    package let expectations: ExpectationReader
    /// Names of the errors that only own apps have.
    let ownErrors: [String]

    /// The shape of a failure in expectations: the error's own members, and those of its userInfo beside them.
    package static let type: FieldType = .map

    package static let members = ["code", "domain", "message"]

    package func read(_ node: YAMLNode) -> Expectation? {
        // `fails: externalPendingOperation` is short for `fails: { code: … }`, `fails: any` accepts every error.
        if let scalar = node.scalar, !node.isNull {
            if scalar.text == "any" { return Expectation(matcher: .any, place: node.place) }
            guard let code = expectations.values.read(node, as: .any, what: "`fails`") else { return nil }
            let expectation = Expectation(matcher: .equals(code), place: node.place)
            checkCode(expectation)
            return Expectation(
                matcher: .object([Matcher.Member(key: "code", expectation: expectation)]), place: node.place)
        }
        guard let entries = node.entries else {
            return expectations.values.collector.refuse(
                .wrongShape(what: "`fails`", expected: .mapping, actual: node.shape), at: node.place)
        }
        for entry in entries where !Self.members.contains(entry.key) {
            // userInfo keys are free, so only an obvious typo is rejected.
            if entry.key.count > 2, let meant = nearest(entry.key, among: Self.members),
                abs(meant.count - entry.key.count) <= 1
            {
                return expectations.values.collector.refuse(
                    .unknownKey(key: entry.key, container: "`fails`", known: Self.members), at: entry.keyPlace)
            }
        }
        let expectation = expectations.read(node, of: .map, what: "the error")
        guard let expectation, case .object(let members) = expectation.matcher else { return expectation }
        return Expectation(matcher: .object(members.map(checked)), place: expectation.place)
    }

    /// The member; `code: any` means `fails: any`, with more members beside it.
    private func checked(_ member: Matcher.Member) -> Matcher.Member {
        guard member.key == "code" else { return member }
        if case .equals(.literal("any")) = member.expectation.matcher {
            return Matcher.Member(key: "code", expectation: Expectation(matcher: .any, place: member.expectation.place))
        }
        checkCode(member.expectation)
        return member
    }

    /// Reports a code that no error has. Numbers are not checked: domains share them.
    private func checkCode(_ expectation: Expectation) {
        switch expectation.matcher {
        case .equals(.literal(.string(let name))):
            let known = ErrorNames.all + ownErrors
            guard !known.contains(name), Int(name) == nil else { return }
            expectations.values.collector.report(
                .unknownName(what: "error", name: name, known: known), at: expectation.place)
        case .oneOf(let choices), .all(let choices):
            for choice in choices { checkCode(choice) }
        case .not(let inner), .exactly(let inner): checkCode(inner)
        default: break
        }
    }
}

/// The kind of value that a matcher needs.
enum MatcherNeed {
    case text, quantity, list, parts, size

    /// The need of a matcher's word; nil if it accepts any value.
    init?(of word: String) {
        switch word {
        case "matches", "startsWith", "endsWith": self = .text
        case "atLeast", "atMost", "between", "near": self = .quantity
        case "each": self = .list
        case "contains": self = .parts
        case "length": self = .size
        default: return nil
        }
    }

    /// The need in a sentence.
    package var title: String {
        switch self {
        case .text: "text"
        case .quantity: "a number or a duration"
        case .list: "a list"
        case .parts, .size: "text, a list or an object"
        }
    }

    /// Whether a value of a type can meet the need.
    package func isMet(by type: FieldType) -> Bool {
        switch (self, type.unwrapped) {
        case (_, .any): true
        case (.text, .text), (.text, .secret), (.text, .choice), (.text, .duration): true
        case (.quantity, .integer), (.quantity, .number), (.quantity, .duration): true
        case (.list, .list), (.parts, .list), (.size, .list): true
        case (.parts, .text), (.parts, .secret), (.parts, .choice), (.parts, .map), (.parts, .object): true
        case (.size, .text), (.size, .secret), (.size, .choice), (.size, .map), (.size, .object): true
        default: false
        }
    }

    /// The type for reading the bounds of a quantity: that of the value, else as written.
    static func quantityType(of type: FieldType, writtenAs node: YAMLNode) -> FieldType {
        switch type.unwrapped {
        case .integer, .number: return .number
        case .duration: return .duration
        default:
            guard let text = node.scalar?.text else { return .number }
            if text.contains("${") { return .any }
            return Double(text) == nil && LabDuration(signed: text) != nil ? .duration : .number
        }
    }
}
