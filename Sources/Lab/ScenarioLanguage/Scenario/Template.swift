// SPDX-License-Identifier: Apache-2.0

package import LabCore

/// A value as written: literal, reference to a variable, or a mix of both. It is resolved on the parsed tree when its
/// step runs, so that a value from outside never becomes syntax.
package indirect enum Template: Sendable {
    case literal(JSONValue)
    case reference(Reference)
    /// Text with references inside.
    case interpolation([Part])
    case list([Template])
    case object([String: Template])

    package enum Part: Sendable {
        case text(String)
        case reference(Reference)
    }
}

/// `${name.field.0}`.
package struct Reference: Sendable, Equatable {
    /// The text as written.
    package let name: String
    package let path: [String]
    /// The variable's name in the run.
    package let key: String

    package init(name: String, path: [String], key: String? = nil) {
        self.name = name
        self.path = path
        self.key = key ?? name
    }

    /// The same reference, with the variable's name in the run.
    package func resolved(to key: String) -> Reference { Reference(name: name, path: path, key: key) }

    package var text: String { ([name] + path).joined(separator: ".") }

    /// The name of a variable as written; its name in the run carries the step that includes its file.
    package static func written(_ key: String) -> Substring {
        key[(key.lastIndex(of: "/").map(key.index(after:)) ?? key.startIndex)...]
    }
}

/// A reference without a value when its step runs: only in a tear-down whose scenario ended early.
package struct UnresolvedReference: Error {
    package let reference: Reference
}

/// The variables' values while a list of steps runs. A value is set once, and again in each round of a block.
package struct Bindings: Sendable {
    package private(set) var values: [String: JSONValue] = [:]

    package init(values: [String: JSONValue] = [:]) {
        self.values = values
    }
    /// The values set here, without those from before the branch began.
    private var own: Set<String> = []
    /// The variables that have no value because an order of turns has killed the app that would have given it.
    package private(set) var lost: Set<String> = []

    package mutating func set(_ name: String, to value: JSONValue) {
        values[name] = value
        own.insert(name)
        lost.remove(name)
    }

    /// Notes the variables that get no value, because an order of turns has killed the app that would have given it. Those
    /// that have one keep it.
    package mutating func lose(_ names: some Sequence<String>) {
        lost.formUnion(names.filter { values[$0] == nil })
    }

    /// The initial values of a branch.
    package var ofBranch: Bindings {
        var branch = self
        branch.own = []
        return branch
    }

    /// Adds the values that a branch has set. Its other values may be older than those set by another branch.
    package mutating func merge(_ branch: Bindings) {
        for name in branch.own { if let value = branch.values[name] { set(name, to: value) } }
        lose(branch.lost)
    }

    package func resolve(_ template: Template) throws(UnresolvedReference) -> JSONValue {
        switch template {
        case .literal(let value): return value
        case .reference(let reference): return try resolve(reference)
        case .interpolation(let parts):
            var text = ""
            for part in parts {
                switch part {
                case .text(let piece): text += piece
                case .reference(let reference): text += Self.text(of: try resolve(reference))
                }
            }
            return .string(text)
        case .list(let elements):
            var values: [JSONValue] = []
            for element in elements { values.append(try resolve(element)) }
            return .array(values)
        case .object(let members):
            var object: [String: JSONValue] = [:]
            for (key, member) in members { object[key] = try resolve(member) }
            return .object(object)
        }
    }

    private func resolve(_ reference: Reference) throws(UnresolvedReference) -> JSONValue {
        guard var value = values[reference.key] else { throw UnresolvedReference(reference: reference) }
        for key in reference.path {
            switch value {
            case .object(let members):
                // A member missing in the answer is null.
                value = members[key] ?? .null
            case .array(let elements):
                guard let index = Int(key), elements.indices.contains(index) else {
                    throw UnresolvedReference(reference: reference)
                }
                value = elements[index]
            default: throw UnresolvedReference(reference: reference)
            }
        }
        return value
    }

    /// A value inside a text: text stays unchanged, everything else is written as JSON.
    package static func text(of value: JSONValue) -> String {
        if case .string(let text) = value { text } else { value.description }
    }
}
