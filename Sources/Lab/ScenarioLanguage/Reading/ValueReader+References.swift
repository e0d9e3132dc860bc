// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile

extension ValueReader {
    /// Reads a value that consists of one reference: it keeps the type of the referenced value.
    package func read(_ reference: Reference, at place: SourcePlace, as type: FieldType, what: String) -> Template? {
        guard let entry = resolve(reference, at: place) else { return nil }
        switch entry.binding {
        case .constant(let node, let scope):
            guard let inner = constant(reference, in: node, at: place) else { return nil }
            return reader(of: reference, entry, in: scope, at: place)?.read(inner, as: type, what: what)
        case .typed(let declared):
            guard let actual = self.type(of: reference, in: declared, keptAt: entry.place, at: place) else {
                return nil
            }
            guard actual.fits(type) else {
                return collector.refuse(
                    .mismatchedReference(reference: reference.text, expected: type.title, actual: actual.title),
                    at: place, related: RelatedPlace("kept at", entry.place))
            }
            return .reference(reference.resolved(to: entry.key))
        }
    }

    /// The declared type of a value that consists of a reference to a captured value; nil for every other value.
    func typeOfReference(_ node: YAMLNode) -> FieldType? {
        guard let text = node.scalar?.text, let parts = try? ReferenceParser.parts(of: text), parts.count == 1,
            case .reference(let reference) = parts[0],
            let entry = scope.lookup(reference.name), case .typed(let declared) = entry.binding
        else { return nil }
        return type(of: reference, in: declared, keptAt: entry.place, at: node.place)
    }

    /// The target of a value that consists of a reference to another value of the file, such as one of a row; else nil.
    package func source(of node: YAMLNode) -> YAMLNode? {
        guard let text = node.scalar?.text, let parts = try? ReferenceParser.parts(of: text), parts.count == 1,
            case .reference(let reference) = parts[0],
            case .constant(let constant, let scope)? = scope.lookup(reference.name)?.binding
        else { return nil }
        let found = reference.path.reduce(constant as YAMLNode?) { node, key in
            node?[key]
                ?? node?.elements.flatMap { list in Int(key).flatMap { list.indices.contains($0) ? list[$0] : nil } }
        }
        guard let found else { return nil }
        return ValueReader(scope: scope ?? self.scope, collector: collector, secrets: secrets).source(of: found)
            ?? found
    }

    /// Follows a value that consists of a reference to another value of the file.
    /// - Returns: The value that is meant, with the reader of the references in it: the node itself if it is no reference.
    ///   Nil after a diagnostic, also for a value that exists only in the run.
    func target(of node: YAMLNode, what: String) -> (node: YAMLNode, values: ValueReader)? {
        guard let text = node.scalar?.text, text.contains("${") else { return (node, self) }
        guard let parts = try? ReferenceParser.parts(of: text), parts.count == 1,
            case .reference(let reference) = parts[0]
        else {
            return collector.refuse(
                .misfit(what: what, reason: "it is a mapping, or one reference to a mapping, such as `${row.with}`"),
                at: node.place)
        }
        guard let entry = resolve(reference, at: node.place) else { return nil }
        guard case .constant(let constantNode, let scope) = entry.binding else {
            return collector.refuse(
                .misfit(
                    what: what,
                    reason: "it must be known before the run; a column of `rows` or one of `values` can give it"),
                at: node.place, related: RelatedPlace("kept at", entry.place))
        }
        guard let inner = constant(reference, in: constantNode, at: node.place),
            let values = reader(of: reference, entry, in: scope, at: node.place)
        else { return nil }
        return values.target(of: inner, what: what)
    }

    /// Reads text with references inside; the values become parts of the text.
    package func interpolation(_ parts: [Template.Part], node: YAMLNode, as type: FieldType, what: String) -> Template?
    {
        switch type {
        case .text, .secret, .any, .choice, .duration: break
        default:
            return collector.refuse(
                .wrongType(what: what, expected: type.title, actual: node.scalar?.text ?? ""), at: node.place)
        }
        var result: [Template.Part] = []
        for part in parts {
            guard case .reference(let reference) = part else {
                result.append(part)
                continue
            }
            guard let entry = resolve(reference, at: node.place) else { return nil }
            switch entry.binding {
            case .constant(let constantNode, let scope):
                guard let inner = constant(reference, in: constantNode, at: node.place) else { return nil }
                let reader = reader(of: reference, entry, in: scope, at: node.place)
                switch reader?.read(inner, as: .text, what: "`${\(reference.text)}`") {
                case .literal(.string(let text)): result.append(.text(text))
                case .reference(let other): result.append(.reference(other))
                case .interpolation(let inner): result += inner
                default: return nil
                }
            case .typed(let declared):
                guard let actual = self.type(of: reference, in: declared, keptAt: entry.place, at: node.place) else {
                    return nil
                }
                if actual == .secret, type != .secret {
                    return collector.refuse(
                        .mismatchedReference(reference: reference.text, expected: type.title, actual: actual.title),
                        at: node.place, related: RelatedPlace("kept at", entry.place))
                }
                result.append(.reference(reference.resolved(to: entry.key)))
            }
        }
        return .interpolation(result)
    }

    /// Reads the target of a reference, in the scope of the target.
    /// - Returns: Nil after a diagnostic if it refers to itself.
    private func reader(
        of reference: Reference, _ entry: Scope.Entry, in scope: Scope?, at place: SourcePlace
    ) -> ValueReader? {
        let name = ([entry.key] + reference.path).joined(separator: ".")
        guard !followed.contains(name) else {
            return collector.refuse(
                .unreachableCapture(name: reference.text, reason: "its value leads back to itself"), at: place,
                related: RelatedPlace("given at", entry.place))
        }
        return ValueReader(
            scope: scope ?? self.scope, collector: collector, secrets: secrets, followed: followed + [name])
    }

    private func resolve(_ reference: Reference, at place: SourcePlace) -> Scope.Entry? {
        if let entry = scope.use(reference.name) { return entry }
        if let withheld = scope.takeWithheld(reference.name) {
            collector.report(
                .unreachableCapture(
                    name: reference.name,
                    reason: "`\(withheld.file)` keeps it for itself; name it under `outputs` there"),
                at: place, related: RelatedPlace("kept at", withheld.place))
        } else if let hidden = scope.hiddenEntry(reference.name) {
            collector.report(
                .unreachableCapture(name: reference.name, reason: hidden.reason), at: place,
                related: RelatedPlace("kept at", hidden.place))
        } else if !scope.lacksNames {
            collector.report(.undefinedVariable(name: reference.name, known: scope.names), at: place)
        }
        return nil
    }

    /// Follows a reference's path into a value of the file.
    private func constant(_ reference: Reference, in node: YAMLNode, at place: SourcePlace) -> YAMLNode? {
        var node = node
        var followed = reference.name
        for key in reference.path {
            if let inner = node[key] {
                node = inner
            } else if let elements = node.elements, let index = Int(key), elements.indices.contains(index) {
                node = elements[index]
            } else {
                return collector.refuse(
                    .unknownResultField(
                        field: key, of: "`\(followed)`", known: node.entries?.map(\.key) ?? []), at: place)
            }
            followed += ".\(key)"
        }
        return node
    }

    /// Follows a reference's path into a declared type.
    private func type(
        of reference: Reference, in declared: FieldType, keptAt kept: SourcePlace, at place: SourcePlace
    ) -> FieldType? {
        var type = declared
        var followed = reference.name
        for key in reference.path {
            switch type.unwrapped {
            case .any, .map: return .any
            case .object(let members):
                guard let member = members.first(where: { $0.name == key }) else {
                    return collector.refuse(
                        .unknownResultField(field: key, of: "`\(followed)`", known: members.map(\.name)),
                        at: place, related: RelatedPlace("kept at", kept))
                }
                type = member.memberType
            case .list(let element) where Int(key) != nil: type = element
            default:
                return collector.refuse(
                    .unknownResultField(field: key, of: "`\(followed)`", known: []), at: place,
                    related: RelatedPlace("kept at", kept))
            }
            followed += ".\(key)"
        }
        return type
    }
}

extension FieldType {
    /// The type without null.
    package var unwrapped: FieldType {
        if case .optional(let wrapped) = self { wrapped.unwrapped } else { self }
    }

    /// Whether a value of this type can be used where another type is needed.
    package func fits(_ needed: FieldType) -> Bool {
        switch (unwrapped, needed.unwrapped) {
        case (.any, _), (_, .any): true
        case (.secret, let other): other == .secret
        case (.text, .secret), (.text, .choice), (.text, .duration), (.choice, .text), (.duration, .text): true
        case (.choice, .secret), (.duration, .secret), (.choice, .choice): true
        case (.integer, .number): true
        case (.object, .map), (.map, .object): true
        case (.object(let have), .object(let need)):
            need.allSatisfy { member in
                have.first { $0.name == member.name }.map { $0.memberType.fits(member.memberType) } ?? true
            }
        case (.list(let have), .list(let need)): have.fits(need)
        case (let have, let need): have == need
        }
    }
}

/// Splits text with `${…}` into its parts.
enum ReferenceParser {
    /// A `${` that does not begin a valid reference, with the text after it.
    struct Malformed: Error {
        package let text: String
    }

    /// Parts of a text; `$${` stands for the two characters themselves.
    package static func parts(of text: String) throws(Malformed) -> [Template.Part] {
        var parts: [Template.Part] = []
        var literal = ""
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            literal += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                literal += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}"),
                    let reference = reference(String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
                else { throw Malformed(text: String(rest.prefix(40))) }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.reference(reference))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append("$")
                rest = rest.dropFirst()
            }
        }
        literal += rest
        if !literal.isEmpty || parts.isEmpty { parts.append(.text(literal)) }
        return parts
    }

    private static func reference(_ text: String) -> Reference? {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isWellFormed = names.allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        }
        guard isWellFormed, let first = names.first, first.first?.isNumber == false else { return nil }
        return Reference(name: first, path: Array(names.dropFirst()))
    }
}
