// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// A node of a YAML document that knows where it was written.
///
/// Scalars stay text: their reader knows the declared type, so `0123` keeps its zero and `no`
/// is a word. An immutable value; any thread.
public struct YAMLNode: Sendable {
    /// What the node holds.
    public indirect enum Content: Sendable {
        /// A single value.
        case scalar(YAMLScalar)
        /// A list.
        case sequence([YAMLNode])
        /// Keys with values, in the order of the file.
        case mapping([YAMLEntry])
    }

    /// What the node holds.
    public let content: Content
    /// Where the node was written.
    public let place: SourcePlace

    /// Makes a node.
    public init(_ content: Content, at place: SourcePlace) {
        self.content = content
        self.place = place
    }

    /// The kind of node, as diagnostics name it.
    public var shape: YAMLShape {
        switch content {
        case .scalar(let scalar): scalar.isNull ? .nothing : .value
        case .sequence: .list
        case .mapping: .mapping
        }
    }

    /// The scalar, if it is one.
    public var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The elements, if it is a list.
    public var elements: [YAMLNode]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The entries, if it is a mapping.
    public var entries: [YAMLEntry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    /// Whether the value was left out or spelled `null` or `~`.
    public var isNull: Bool { shape == .nothing }

    /// The value of a key, if this is a mapping that has it.
    public subscript(key: String) -> YAMLNode? { entries?.first { $0.key == key }?.value }

    /// The node as JSON, when it has a shape.
    /// - Returns: nil, with a complaint about `key`, for another shape.
    func json(as shape: YAMLShape, of key: String, reporting collector: DiagnosticCollector) -> JSONValue? {
        guard self.shape == shape else {
            collector.report(.wrongShape(what: "`\(key)`", expected: shape, actual: self.shape), at: place)
            return nil
        }
        return json
    }

    private var json: JSONValue {
        switch content {
        case .mapping(let entries):
            return .object(Dictionary(entries.map { ($0.key, $0.value.json) }) { _, last in last })
        case .sequence(let elements): return .array(elements.map(\.json))
        case .scalar(let scalar):
            guard !scalar.isNull else { return .null }
            // A plain scalar is what JSON would read it as; everything else, quoted or not, is text.
            let plain = scalar.isQuoted ? nil : try? JSONValue.parse(Data(scalar.text.utf8))
            return plain ?? .string(scalar.text)
        }
    }

    /// This node with another one laid over it: mappings are merged key by key, everything else is
    /// replaced. Every part keeps the place it was written at, so a complaint about the result points
    /// into the right file.
    public func overlaid(by other: YAMLNode) -> YAMLNode {
        guard let base = entries, let over = other.entries else { return other }
        var merged = base.map { entry in
            guard let replacement = over.first(where: { $0.key == entry.key }) else { return entry }
            return YAMLEntry(
                key: entry.key, keyPlace: replacement.keyPlace, value: entry.value.overlaid(by: replacement.value))
        }
        merged += over.filter { entry in !base.contains { $0.key == entry.key } }
        return YAMLNode(.mapping(merged), at: other.place)
    }
}

/// A single value of a YAML document: its text, and whether it was quoted.
public struct YAMLScalar: Sendable, Equatable {
    /// The text after YAML's own unescaping.
    public let text: String
    /// Quoted and block scalars are text by the writer's wish.
    public let isQuoted: Bool

    /// Makes a scalar.
    public init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// Whether the value was left out or spelled `null` or `~`.
    public var isNull: Bool { !isQuoted && (text.isEmpty || text == "~" || text == "null") }
}

/// One `key: value` of a mapping.
public struct YAMLEntry: Sendable {
    /// The key's text.
    public let key: String
    /// Where the key was written.
    public let keyPlace: SourcePlace
    /// The value.
    public let value: YAMLNode

    /// Makes an entry.
    public init(key: String, keyPlace: SourcePlace, value: YAMLNode) {
        self.key = key
        self.keyPlace = keyPlace
        self.value = value
    }
}

/// The kinds of node, as diagnostics name them.
public enum YAMLShape: String, Sendable, Equatable {
    /// A value that was left out.
    case nothing = "nothing"
    /// A single value.
    case value = "a single value"
    /// A list.
    case list = "a list"
    /// Keys with values.
    case mapping = "a mapping"
}
