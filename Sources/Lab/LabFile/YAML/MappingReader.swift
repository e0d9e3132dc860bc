// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// Reads a mapping whose set of keys is closed: knows every key that was asked for and complains about
/// the others when reading ends.
///
/// Not thread-safe: used by the one thread that reads the files.
public final class MappingReader {
    /// The mapping, for diagnostics about it as a whole.
    public let node: YAMLNode
    /// What diagnostics call the mapping, with an article: "a device".
    public let container: String
    private let collector: DiagnosticCollector
    private var known: [String] = []
    private var missing: [String] = []

    /// Begins to read a mapping.
    /// - Returns: nil, with a diagnostic, if the node is not a mapping.
    public init?(_ node: YAMLNode, container: String, reporting collector: DiagnosticCollector) {
        guard node.entries != nil else {
            collector.report(.wrongShape(what: container, expected: .mapping, actual: node.shape), at: node.place)
            return nil
        }
        self.node = node
        self.container = container
        self.collector = collector
    }

    /// The value of a key that may be missing; a null counts as missing.
    public func optional(_ key: String) -> YAMLNode? {
        known.append(key)
        guard let value = node[key], !value.isNull else { return nil }
        return value
    }

    /// The value of a key that must be there.
    public func required(_ key: String) -> YAMLNode? {
        if let value = optional(key) { return value }
        missing.append(key)
        return nil
    }

    /// The place of a key, or of the mapping when the key is missing.
    public func place(of key: String) -> SourcePlace {
        node.entries?.first { $0.key == key }?.keyPlace ?? placeOfWhole
    }

    /// The first key stands for the whole mapping, so that the caret does not underline a page.
    private var placeOfWhole: SourcePlace { node.entries?.first?.keyPlace ?? node.place }

    /// A single value as text.
    public func text(_ key: String, required isRequired: Bool = false) -> String? {
        guard let value = isRequired ? required(key) : optional(key) else { return nil }
        guard let scalar = value.scalar else {
            collector.report(.wrongShape(what: "`\(key)`", expected: .value, actual: value.shape), at: value.place)
            return nil
        }
        return scalar.text
    }

    /// A whole number within limits.
    public func integer(_ key: String, in limits: ClosedRange<Int64>) -> Int64? {
        guard let text = text(key), let value = node[key] else { return nil }
        guard let number = Int64(text) else {
            collector.report(.wrongType(what: "`\(key)`", expected: "an integer", actual: text), at: value.place)
            return nil
        }
        return checked(number, in: limits, of: key, written: value)
    }

    /// A number within limits, whole or not.
    public func number(_ key: String, in limits: ClosedRange<Double>) -> Double? {
        guard let text = text(key), let value = node[key] else { return nil }
        guard let number = Double(text) else {
            collector.report(.wrongType(what: "`\(key)`", expected: "a number", actual: text), at: value.place)
            return nil
        }
        return checked(number, in: limits, of: key, written: value)
    }

    private func checked<Number>(
        _ number: Number, in limits: ClosedRange<Number>, of key: String, written value: YAMLNode
    ) -> Number? {
        guard limits.contains(number) else {
            collector.report(
                .outOfRange(
                    what: "`\(key)`", value: value.scalar?.text ?? "",
                    limit: "from \(limits.lowerBound) to \(limits.upperBound)"),
                at: value.place)
            return nil
        }
        return number
    }

    /// A truth value, spelled `true` or `false`.
    public func boolean(_ key: String) -> Bool? {
        guard let text = text(key), let value = node[key] else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default:
            collector.report(
                .wrongType(what: "`\(key)`", expected: "`true` or `false`", actual: text), at: value.place)
            return nil
        }
    }

    /// One of a list of words.
    public func choice(_ key: String, of choices: [String], required isRequired: Bool = false) -> String? {
        guard let text = text(key, required: isRequired), let value = node[key] else { return nil }
        guard choices.contains(text) else {
            collector.report(.notAChoice(what: "`\(key)`", value: text, choices: choices), at: value.place)
            return nil
        }
        return text
    }

    /// A word of a type.
    public func choice<Word: CaseIterable & RawRepresentable<String>>(
        _ key: String, of type: Word.Type, required isRequired: Bool = false
    ) -> Word? {
        choice(key, of: type.allCases.map(\.rawValue), required: isRequired).flatMap(Word.init(rawValue:))
    }

    /// A duration with a unit.
    public func duration(_ key: String) -> LabDuration? {
        guard let text = text(key), let value = node[key] else { return nil }
        guard let duration = LabDuration(signed: text) else {
            collector.report(.wrongType(what: "`\(key)`", expected: "a duration", actual: text), at: value.place)
            return nil
        }
        return duration
    }

    /// A list of single values.
    public func texts(_ key: String) -> [String]? {
        list(key)?.compactMap { element in
            if let scalar = element.scalar, !element.isNull { return scalar.text }
            collector.report(
                .wrongShape(what: "an element of `\(key)`", expected: .value, actual: element.shape),
                at: element.place)
            return nil
        }
    }

    /// A list.
    public func list(_ key: String) -> [YAMLNode]? {
        guard let value = optional(key) else { return nil }
        guard let elements = value.elements else {
            collector.report(.wrongShape(what: "`\(key)`", expected: .list, actual: value.shape), at: value.place)
            return nil
        }
        return elements
    }

    /// The entries of a mapping whose keys are names the user chooses.
    public func namedEntries(_ key: String) -> [YAMLEntry]? {
        guard let value = optional(key) else { return nil }
        guard let entries = value.entries else {
            collector.report(.wrongShape(what: "`\(key)`", expected: .mapping, actual: value.shape), at: value.place)
            return nil
        }
        return entries
    }

    /// Declares a key without reading it.
    public func declare(_ keys: String...) { known += keys }

    /// Reports every unknown key and every missing one; a key that is only misspelled is reported once. Call
    /// it last.
    public func finish() {
        let unknown = (node.entries ?? []).filter { !known.contains($0.key) }
        for entry in unknown {
            collector.report(.unknownKey(key: entry.key, container: container, known: known), at: entry.keyPlace)
        }
        let misspelled = unknown.compactMap { nearest($0.key, among: known) }
        for key in missing where !misspelled.contains(key) {
            collector.report(.missingKey(key: key, container: container), at: placeOfWhole)
        }
    }
}
