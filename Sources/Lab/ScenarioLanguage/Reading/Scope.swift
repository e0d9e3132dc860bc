// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile

/// The variables that can be used at a place of a scenario.
///
/// Not thread-safe: used by the one thread that reads the file.
package final class Scope {
    /// The meaning of a name.
    package enum Binding {
        /// A value in the file: it is read again at each use, by the type needed there.
        case constant(YAMLNode, in: Scope?)
        /// A value that exists when the scenario runs, of a known type.
        case typed(FieldType)
    }

    package struct Entry {
        package let binding: Binding
        package let place: SourcePlace
        /// The variable's name in the run. Names of an included file are local: they carry the number of the step that
        /// includes it.
        package let key: String

        package init(binding: Binding, place: SourcePlace, key: String) {
            self.binding = binding
            self.place = place
            self.key = key
        }
    }

    /// The captures of a scenario, for warnings about unused ones.
    final class Captures {
        private var unread: [String: (name: String, place: SourcePlace)] = [:]

        private var keys: Set<String> = []

        fileprivate func add(_ name: String, key: String, at place: SourcePlace) {
            unread[key] = (name, place)
            keys.insert(key)
        }

        /// Whether a step captures the value of a reference.
        package func contains(_ reference: Reference) -> Bool { contains(key: reference.key) }

        fileprivate func contains(key: String) -> Bool { keys.contains(key) }

        /// Marks a capture as used.
        fileprivate func read(_ entry: Entry) { unread[entry.key] = nil }

        func warn(in collector: DiagnosticCollector) {
            for capture in unread.values { collector.warn(.unreadCapture(name: capture.name), at: capture.place) }
        }
    }

    let captures: Captures
    private let parent: Scope?
    private let prefix: String
    package private(set) var entries: [String: Entry] = [:]
    private var hidden: [String: (place: SourcePlace, reason: String)] = [:]
    /// Captures of later steps, with their places.
    private var later: [String: SourcePlace] = [:]
    /// Captures of included files that are not outputs, with the names of the files.
    private var withheld: [String: (place: SourcePlace, file: String)] = [:]
    /// Names that lack a value only because of an error that is already reported.
    private var assumed: Set<String> = []
    /// Whether any name may be one of those.
    private(set) var isIncomplete = false
    private var aliases: [String: [String]] = [:]

    /// The outermost scope of a scenario, or one inside another.
    package init(parent: Scope?) {
        self.parent = parent
        captures = parent?.captures ?? Captures()
        prefix = parent?.prefix ?? ""
    }

    /// The scope of an included file, which cannot see the variables of its includer.
    /// - Parameter step: the number of the step that includes it.
    package init(ofFileIncludedBy step: String, from includer: Scope) {
        parent = nil
        captures = includer.captures
        prefix = "\(step)/"
    }

    /// The variables at one moment.
    package struct Variables {
        fileprivate var entries: [String: Entry] = [:]
        fileprivate var aliases: [String: [String]] = [:]

        /// No variables.
        package init() {}
    }

    /// The variables of this scope, without those around it. Setting them goes back to an earlier moment.
    package var variables: Variables {
        get {
            var variables = Variables()
            (variables.entries, variables.aliases) = (entries, aliases)
            return variables
        }
        set { (entries, aliases) = (newValue.entries, newValue.aliases) }
    }

    func lookup(_ name: String) -> Entry? { entries[name] ?? parent?.lookup(name) }

    /// The variable of a name, which counts as used from here on.
    package func use(_ name: String) -> Entry? {
        guard let entry = lookup(name) else { return nil }
        captures.read(entry)
        return entry
    }

    func hiddenEntry(_ name: String) -> (place: SourcePlace, reason: String)? {
        hiddenElsewhere(name) ?? laterPlace(of: name).map { ($0, "it gets its value only later") }
    }

    private func hiddenElsewhere(_ name: String) -> (place: SourcePlace, reason: String)? {
        hidden[name] ?? parent?.hiddenElsewhere(name)
    }

    private func laterPlace(of name: String) -> SourcePlace? { later[name] ?? parent?.laterPlace(of: name) }

    package var names: [String] { entries.keys.sorted() + (parent?.names ?? []) }

    /// Defines a name from here on.
    package func define(
        _ name: String, _ binding: Binding, at place: SourcePlace, reporting collector: DiagnosticCollector
    ) {
        define(name, Entry(binding: binding, place: place, key: prefix + name), reporting: collector)
    }

    private func define(_ name: String, _ entry: Entry, reporting collector: DiagnosticCollector) {
        if let taken = lookup(name) {
            collector.report(
                .overwrittenVariable(name: name), at: entry.place, related: RelatedPlace("given at", taken.place))
        } else {
            entries[name] = entry
        }
    }

    /// Defines the name of a step's capture; gives its name in the run.
    package func capture(
        _ name: String, _ type: FieldType, at place: SourcePlace, reporting collector: DiagnosticCollector
    ) -> String {
        define(name, .typed(type), at: place, reporting: collector)
        captures.add(name, key: prefix + name, at: place)
        return prefix + name
    }

    /// Defines the name of an output of an included file.
    package func define(
        _ name: String, output entry: Entry, actors: [String]?, at place: SourcePlace,
        reporting collector: DiagnosticCollector
    ) {
        captures.read(entry)
        define(name, Entry(binding: entry.binding, place: place, key: entry.key), reporting: collector)
        if let actors { define(name, oneOf: actors) }
    }

    /// Defines an alias of several actors; the run decides which one it means.
    package func define(_ name: String, oneOf actors: [String]) { aliases[name] = actors }

    /// The actors that a variable may mean; nil if it is not an alias.
    package func alias(_ name: String) -> [String]? { aliases[name] ?? parent?.alias(name) }

    /// Records that a name exists at another place, for a better diagnostic.
    func hide(_ name: String, at place: SourcePlace, reason: String) { hidden[name] = (place, reason) }

    /// Records that a later step captures a value under a name.
    package func announce(_ name: String, at place: SourcePlace) { later[name] = place }

    /// Records a capture of an included file that is not declared as an output.
    func withhold(_ name: String, at place: SourcePlace, by file: String) { withheld[name] = (place, file) }

    /// The file with a capture of this name that is not an output. The name counts as defined from then on: a missing
    /// output is reported once, however often it is used.
    func takeWithheld(_ name: String) -> (place: SourcePlace, file: String)? {
        guard let found = withheld.removeValue(forKey: name) else { return parent?.takeWithheld(name) }
        assume(name, at: found.place)
        return found
    }

    /// Treats a name as defined, because its definition has an error that is already reported: each mistake is reported
    /// once.
    func assume(_ name: String, at place: SourcePlace) {
        guard lookup(name) == nil, hiddenElsewhere(name) == nil else { return }
        entries[name] = Entry(binding: .typed(.any), place: place, key: prefix + name)
        assumed.insert(name)
    }

    /// Treats every name as defined: the outputs are unknown because their file cannot be read.
    func assumeMore() { isIncomplete = true }

    /// Whether a name lacks a value only because of an error that is already reported.
    func isAssumed(_ name: String) -> Bool { assumed.contains(name) || parent?.isAssumed(name) ?? false }

    /// Whether an unknown name may be missing because of an error that is already reported.
    var lacksNames: Bool { isIncomplete || parent?.lacksNames ?? false }

    /// Whether an entry is a step's capture.
    func isCaptured(_ entry: Entry) -> Bool { captures.contains(key: entry.key) }

    /// Adopts the variables of a list of steps that has run to its end.
    package func adopt(_ other: Scope, reporting collector: DiagnosticCollector) {
        for (name, entry) in other.entries.sorted(by: { $0.value.place.range.start < $1.value.place.range.start }) {
            if case .typed = entry.binding { define(name, entry, reporting: collector) }
        }
        aliases.merge(other.aliases) { own, _ in own }
        takeMistakes(of: other)
    }

    /// Records the variables of a list of steps as existing elsewhere.
    func hide(_ other: Scope, reason: String) {
        for (name, entry) in other.entries { hide(name, at: entry.place, reason: reason) }
        takeMistakes(of: other)
    }

    private func takeMistakes(of other: Scope) {
        assumed.formUnion(other.assumed)
        isIncomplete = isIncomplete || other.isIncomplete
        withheld.merge(other.withheld) { own, _ in own }
    }
}
