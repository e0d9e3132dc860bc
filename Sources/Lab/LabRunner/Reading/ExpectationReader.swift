import Foundation
import LabFile
import LabKit

/// Reads expectations of values: literals by their declared type, matchers, partial objects.
///
/// Not thread-safe: used by the one thread that reads the file.
struct ExpectationReader {
    let values: ValueReader

    private var collector: DiagnosticCollector { values.collector }

    /// Reads an expectation of a value.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - type: The declared type of the value.
    ///   - what: Name of the value in diagnostics.
    func read(_ node: YAMLNode, of type: FieldType, what: String) -> Expectation? {
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
        case .mapping(let entries):
            return mapping(entries, node: node, of: type, what: what)
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
        case .map, .any:
            return object(entries, what: what) { _ in .any }
        default:
            let first = entries.first { !Matcher.words.contains($0.key) } ?? entries.first
            collector.report(
                .unknownMatcher(word: first?.key ?? "", known: Matcher.words), at: first?.keyPlace ?? node.place)
            return nil
        }
    }

    private func object(
        _ entries: [YAMLEntry], what: String, type: (YAMLEntry) -> FieldType?
    ) -> Matcher? {
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
            collector.report(.matcherArgument(matcher: entry.key, expected: expected), at: node.place)
            return nil
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
            collector.report(
                .matcherForOtherType(matcher: entry.key, needs: need.title, what: what, type: type.title),
                at: entry.keyPlace)
            return nil
        }
        switch entry.key {
        case "equals": return matcher(node, of: type, what: what)
        case "exactly": return exact(node, of: type, what: what).map(Matcher.exactly)
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
                collector.report(.malformedPattern(pattern: pattern), at: node.place)
                return nil
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

    private func exact(_ node: YAMLNode, of type: FieldType, what: String) -> Template? {
        values.read(node, as: node.isNull ? .any : type, what: what)
    }

    private func containedType(of type: FieldType) -> FieldType {
        switch type {
        case .list(let element): element
        case .choice: .text
        default: type
        }
    }
}
