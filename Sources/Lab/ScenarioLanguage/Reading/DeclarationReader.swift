// SPDX-License-Identifier: Apache-2.0

import LabCore
package import LabFile

/// Reads the values that a scenario has before its first step: `values:`, and the row of a table.
///
/// Not thread-safe: used by the one thread that reads the file.
struct DeclarationReader {
    package let given: ExternalValues
    package let scope: Scope
    package let collector: DiagnosticCollector
    /// Receives secret texts.
    package let secrets: SecretTexts
    /// All values, in the order of the file.
    private(set) var values: [DeclaredValue] = []
    /// The values drawn from the seed.
    private(set) var generated: [GeneratedValue] = []

    init(given: ExternalValues, scope: Scope, collector: DiagnosticCollector, secrets: SecretTexts) {
        (self.given, self.scope, self.collector, self.secrets) = (given, scope, collector, secrets)
    }

    /// The row of a table; its members are values too.
    package mutating func read(row: YAMLNode) {
        scope.define("row", .constant(row, in: nil), at: row.place, reporting: collector)
        for entry in row.entries ?? [] {
            values.append(
                DeclaredValue(name: "row.\(entry.key)", value: entry.value.shown, isSecret: false, origin: .row))
        }
    }

    /// One entry of `values:`: a literal, or a mapping that states the source of the value.
    package mutating func read(_ entry: YAMLEntry) {
        if let (text, source) = given[entry.key] {
            // A secret stays secret, whatever its source.
            let isSecret =
                entry.value["secret"].map { $0.scalar?.text != "false" } ?? false
                || entry.value["generate"]?.scalar?.text == GeneratedValue.Kind.pin.rawValue
            define(entry, outside: text, isSecret: isSecret, origin: .given(by: source))
        } else if entry.value["generate"] != nil {
            generate(entry)
        } else if let variable = entry.value["environment"], variable.scalar != nil {
            readVariable(entry, named: variable)
        } else if let secret = entry.value["secret"] {
            guard let reader = MappingReader(entry.value, container: "a secret value", reporting: collector) else {
                return scope.assume(entry.key, at: entry.keyPlace)
            }
            reader.declare("secret")
            reader.finish()
            define(entry, secret, isSecret: true, origin: .file)
        } else {
            define(entry, entry.value, isSecret: false, origin: .file)
        }
    }

    private mutating func generate(_ entry: YAMLEntry) {
        guard let reader = MappingReader(entry.value, container: "a generated value", reporting: collector) else {
            return scope.assume(entry.key, at: entry.keyPlace)
        }
        let kind = reader.choice("generate", of: GeneratedValue.Kind.self, required: true)
        let digits = reader.integer("digits", in: 4...32)
        let below = reader.integer("below", in: 1...Int64(Int32.max))
        reader.finish()
        guard let kind else { return scope.assume(entry.key, at: entry.keyPlace) }
        let size = kind == .pin ? Int(digits ?? 4) : Int(below ?? 1000)
        generated.append(GeneratedValue(name: entry.key, kind: kind, size: size))
        values.append(DeclaredValue(name: entry.key, value: nil, isSecret: kind == .pin, origin: .seed))
        let type: FieldType = kind == .pin ? .secret : kind == .number ? .integer : .text
        scope.define(entry.key, .typed(type), at: entry.keyPlace, reporting: collector)
    }

    private mutating func readVariable(_ entry: YAMLEntry, named node: YAMLNode) {
        guard let reader = MappingReader(entry.value, container: "an environment value", reporting: collector) else {
            return scope.assume(entry.key, at: entry.keyPlace)
        }
        let name = reader.text("environment", required: true)
        let fallback = reader.optional("default")
        let isSecret = reader.boolean("secret") ?? false
        reader.finish()
        guard let variable = name else { return scope.assume(entry.key, at: entry.keyPlace) }
        if let text = given.environment[variable] {
            define(entry, outside: text, isSecret: isSecret, origin: .variable(variable))
        } else if let fallback {
            define(entry, fallback, isSecret: isSecret, origin: .fallback(variable: variable))
        } else {
            collector.report(.unsetEnvironmentVariable(name: variable), at: node.place)
            scope.assume(entry.key, at: entry.keyPlace)
        }
    }

    private mutating func define(
        _ entry: YAMLEntry, outside text: String, isSecret: Bool, origin: DeclaredValue.Origin
    ) {
        if isSecret { secrets.insert(text) }
        values.append(DeclaredValue(name: entry.key, value: .string(text), isSecret: isSecret, origin: origin))
        let node = YAMLNode(fromOutside: text, at: entry.keyPlace)
        scope.define(entry.key, .constant(node, in: nil), at: entry.keyPlace, reporting: collector)
    }

    private mutating func define(
        _ entry: YAMLEntry, _ node: YAMLNode, isSecret: Bool, origin: DeclaredValue.Origin
    ) {
        if isSecret {
            collector.hide(node.place)
            if let text = node.scalar?.text { secrets.insert(text) }
        }
        values.append(DeclaredValue(name: entry.key, value: node.shown, isSecret: isSecret, origin: origin))
        scope.define(entry.key, .constant(node, in: nil), at: entry.keyPlace, reporting: collector)
    }
}

extension YAMLNode {
    /// The value as written, with references.
    fileprivate var shown: JSONValue {
        switch content {
        case .scalar(let scalar) where scalar.isNull: .null
        case .scalar(let scalar): ValueReader.guess(scalar)
        case .sequence(let elements): .array(elements.map(\.shown))
        case .mapping(let entries):
            .object(Dictionary(entries.map { ($0.key, $0.value.shown) }) { first, _ in first })
        }
    }

    /// A text from the command line, the environment or a table. It never becomes a reference, and it is quoted, so
    /// that it is read by the declared type where it is used, without guessing.
    package init(fromOutside text: String, at place: SourcePlace) {
        self.init(.scalar(YAMLScalar(text: text.replacing("${", with: "$${"), isQuoted: true)), at: place)
    }
}

/// Values for `values:` given from outside: `--set name=value`, and `LAB_VAR_name` in the environment.
package struct ExternalValues {
    /// The prefix of environment variables that hold a value.
    package static let prefix = "LAB_VAR_"

    /// The values of `--set`.
    package let settings: [String: String]
    package let environment: [String: String]

    package init(settings: [String: String], environment: [String: String]) {
        (self.settings, self.environment) = (settings, environment)
    }

    /// The value given for a name, and its source. `--set` applies to one run, so it overrides exported variables.
    package subscript(name: String) -> (text: String, source: String)? {
        if let text = settings[name] { return (text, "--set") }
        let variable = Self.prefix + name
        return environment[variable].map { ($0, "the environment variable \(variable)") }
    }

    /// Names given by `--set` that no scenario declares: a mistake.
    package func mistake(declared: Set<String>) -> String? {
        settings.keys.sorted().first { !declared.contains($0) }.map { name in
            "--set: " + Self.sentence(about: name, declared: declared, prefix: "")
        }
    }

    /// Names given by the environment that no scenario declares. Only a warning: exported variables may belong to other
    /// runs.
    package func notes(declared: Set<String>) -> [String] {
        environment.keys.filter { $0.hasPrefix(Self.prefix) }.sorted().compactMap { variable in
            let name = String(variable.dropFirst(Self.prefix.count))
            if declared.contains(name) { return nil }
            return "\(variable): " + Self.sentence(about: name, declared: declared, prefix: Self.prefix)
        }
    }

    private static func sentence(about name: String, declared: Set<String>, prefix: String) -> String {
        let advice = nearest(name, among: declared.sorted()).map { "; did you mean `\(prefix)\($0)`?" } ?? ""
        return "no scenario declares `\(name)` in `values:`\(advice)"
    }
}
