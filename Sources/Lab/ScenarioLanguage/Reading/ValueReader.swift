// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile

/// Reads values by their declared type, with the references in them.
///
/// Not thread-safe: used by the one thread that reads the file.
package struct ValueReader {
    package let scope: Scope
    package let collector: DiagnosticCollector
    /// Receives secret literals.
    package let secrets: SecretTexts
    /// The values of the file being read because one refers to the other, the outermost first.
    var followed: [String] = []

    package init(scope: Scope, collector: DiagnosticCollector, secrets: SecretTexts, followed: [String] = []) {
        self.scope = scope
        self.collector = collector
        self.secrets = secrets
        self.followed = followed
    }

    /// Reads a value, whose name in diagnostics is `what`; nil after a diagnostic if it does not match the type.
    package func read(_ node: YAMLNode, as type: FieldType, what: String) -> Template? {
        if case .optional(let wrapped) = type {
            return node.isNull ? .literal(.null) : read(node, as: wrapped, what: what)
        }
        // First, and whatever its shape: the excerpt below a mistake would show it, too.
        if case .secret = type { collector.hide(node.place) }
        switch node.content {
        case .scalar(let scalar): return read(scalar, node: node, as: type, what: what)
        case .sequence(let elements): return read(elements, node: node, as: type, what: what)
        case .mapping(let entries): return read(entries, node: node, as: type, what: what)
        }
    }

    private func read(_ scalar: YAMLScalar, node: YAMLNode, as type: FieldType, what: String) -> Template? {
        let parts: [Template.Part]
        do {
            parts = try ReferenceParser.parts(of: scalar.text)
        } catch {
            // The text behind the `${` of a secret is a part of it.
            return collector.refuse(.malformedReference(text: type == .secret ? "${" : error.text), at: node.place)
        }
        if parts.count == 1, case .reference(let reference) = parts[0] {
            return read(reference, at: node.place, as: type, what: what)
        }
        let hasReferences = parts.contains { if case .reference = $0 { true } else { false } }
        if hasReferences { return interpolation(parts, node: node, as: type, what: what) }
        let text = parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        return literal(YAMLScalar(text: text, isQuoted: scalar.isQuoted), node: node, as: type, what: what)
    }

    private func literal(_ scalar: YAMLScalar, node: YAMLNode, as type: FieldType, what: String) -> Template? {
        func refuse(_ expected: String) -> Template? {
            return collector.refuse(.wrongType(what: what, expected: expected, actual: scalar.text), at: node.place)
        }
        if scalar.isNull {
            switch type {
            case .any, .optional, .nothing: return .literal(.null)
            default:
                return collector.refuse(
                    .wrongShape(what: what, expected: shape(of: type), actual: .nothing), at: node.place)
            }
        }
        switch type {
        case .text: return .literal(.string(scalar.text))
        case .secret:
            secrets.insert(scalar.text)
            return .literal(.string(scalar.text))
        case .integer:
            if let number = Int64(scalar.text) { return .literal(.integer(number)) }
            guard let number = UInt64(scalar.text) else { return refuse("an integer") }
            return .literal(.unsigned(number))
        case .number:
            if let number = Int64(scalar.text) { return .literal(.integer(number)) }
            guard let number = Double(scalar.text), number.isFinite else { return refuse("a number") }
            return .literal(.number(number))
        case .boolean:
            guard scalar.text == "true" || scalar.text == "false" else { return refuse("`true` or `false`") }
            return .literal(.bool(scalar.text == "true"))
        case .duration:
            guard LabDuration(signed: scalar.text) != nil else { return refuse("a duration") }
            return .literal(.string(scalar.text))
        case .choice(let words):
            guard words.contains(scalar.text) else {
                return collector.refuse(.notAChoice(what: what, value: scalar.text, choices: words), at: node.place)
            }
            return .literal(.string(scalar.text))
        case .any: return .literal(Self.guess(scalar))
        case .list, .map, .object:
            return collector.refuse(.wrongShape(what: what, expected: shape(of: type), actual: .value), at: node.place)
        case .optional(let wrapped): return literal(scalar, node: node, as: wrapped, what: what)
        case .nothing: return refuse("nothing")
        }
    }

    /// Without a declared type, unquoted words are read as JSON would read them.
    static func guess(_ scalar: YAMLScalar) -> JSONValue {
        if scalar.isQuoted { return .string(scalar.text) }
        switch scalar.text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            // `0123` and `+1` are texts: only a number in canonical spelling is one.
            if let number = Int64(scalar.text), String(number) == scalar.text { return .integer(number) }
            if isDecimal(scalar.text), let number = Double(scalar.text) { return .number(number) }
            return .string(scalar.text)
        }
    }

    /// Whether a text is digits, a point and digits, as JSON writes them; without a regular expression, because every
    /// plain word is checked.
    private static func isDecimal(_ text: String) -> Bool {
        let parts = (text.hasPrefix("-") ? text.dropFirst() : text[...]).split(
            separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && (parts[0] == "0" || !parts[0].hasPrefix("0"))
            && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { $0.isASCII && $0.isNumber } }
    }

    private func shape(of type: FieldType) -> YAMLShape {
        switch type {
        case .list: .list
        case .map, .object: .mapping
        default: .value
        }
    }

    private func read(_ elements: [YAMLNode], node: YAMLNode, as type: FieldType, what: String) -> Template? {
        let elementType: FieldType
        switch type {
        case .list(let element): elementType = element
        case .any: elementType = .any
        default:
            return collector.refuse(.wrongShape(what: what, expected: shape(of: type), actual: .list), at: node.place)
        }
        let values = elements.compactMap { read($0, as: elementType, what: "an element of \(what)") }
        return values.count == elements.count ? .list(values) : nil
    }

    private func read(_ entries: [YAMLEntry], node: YAMLNode, as type: FieldType, what: String) -> Template? {
        var members: [String: Template] = [:]
        switch type {
        case .map, .any:
            for entry in entries { members[entry.key] = read(entry.value, as: .any, what: "`\(entry.key)`") }
        case .object(let declared):
            for entry in entries {
                guard let member = declared.first(where: { $0.name == entry.key }) else {
                    collector.report(
                        .unknownKey(key: entry.key, container: what, known: declared.map(\.name)),
                        at: entry.keyPlace)
                    continue
                }
                members[entry.key] = read(entry.value, as: member.memberType, what: "`\(entry.key)`")
            }
        default:
            return collector.refuse(
                .wrongShape(what: what, expected: shape(of: type), actual: .mapping), at: node.place)
        }
        return members.count == entries.count ? .object(members) : nil
    }
}

/// The secret texts found while reading.
///
/// Not thread-safe: used by the one thread that reads the file.
package final class SecretTexts {
    package private(set) var texts: Set<String> = []

    package init() {}

    package func insert(_ text: String) {
        if !text.isEmpty { texts.insert(text) }
    }
}

extension DiagnosticCollector {
    /// Reports a mistake. Always nil, so that the reader of a value can return it.
    func refuse<Value>(_ kind: DiagnosticKind, at place: SourcePlace, related: RelatedPlace? = nil) -> Value? {
        report(kind, at: place, related: related)
        return nil
    }
}
