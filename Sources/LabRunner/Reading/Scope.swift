internal import LabFile
internal import LabKit

/// The variables that can be used at a place of a scenario.
///
/// Not thread-safe: used by the one thread that reads the file.
final class Scope {
    /// What a name stands for.
    enum Binding {
        /// A value that is in the file: it is read again at each use, by the type that is needed there.
        case constant(YAMLNode, in: Scope?)
        /// A value that exists when the scenario runs, of a known type.
        case typed(FieldType)
    }

    struct Entry {
        let binding: Binding
        let place: SourcePlace
        /// What the variable is called while the scenario runs. Names of an included file are its own: they carry the
        /// number of the step that includes it.
        let key: String
    }

    /// The captures of a scenario, to point out those that nobody reads.
    final class Captures {
        private var unread: [String: (name: String, place: SourcePlace)] = [:]

        private var keys: Set<String> = []

        fileprivate func add(_ name: String, key: String, at place: SourcePlace) {
            unread[key] = (name, place)
            keys.insert(key)
        }

        /// Whether a step keeps what is referred to.
        func contains(_ reference: Reference) -> Bool { keys.contains(reference.key) }

        /// Notes that somebody reads a capture.
        fileprivate func read(_ entry: Entry) { unread[entry.key] = nil }

        /// Points the rest out.
        func warn(in collector: DiagnosticCollector) {
            for capture in unread.values { collector.warn(.unreadCapture(name: capture.name), at: capture.place) }
        }
    }

    let captures: Captures
    private let parent: Scope?
    private let prefix: String
    private(set) var entries: [String: Entry] = [:]
    private var hidden: [String: (place: SourcePlace, reason: String)] = [:]
    private var aliases: [String: [String]] = [:]

    /// The outermost scope of a scenario, or one inside another.
    init(parent: Scope?) {
        self.parent = parent
        captures = parent?.captures ?? Captures()
        prefix = parent?.prefix ?? ""
    }

    /// The scope of an included file, which sees nothing of its includer.
    ///
    /// - Parameter step: the number of the step that includes it.
    init(ofFileIncludedBy step: String, from includer: Scope) {
        parent = nil
        captures = includer.captures
        prefix = "\(step)/"
    }

    func lookup(_ name: String) -> Entry? {
        entries[name] ?? parent?.lookup(name)
    }

    /// The variable of a name, which counts as read from here on.
    func use(_ name: String) -> Entry? {
        guard let entry = lookup(name) else { return nil }
        captures.read(entry)
        return entry
    }

    func hiddenEntry(_ name: String) -> (place: SourcePlace, reason: String)? {
        hidden[name] ?? parent?.hiddenEntry(name)
    }

    var names: [String] {
        entries.keys.sorted() + (parent?.names ?? [])
    }

    /// Gives a name a meaning from here on.
    func define(_ name: String, _ binding: Binding, at place: SourcePlace, reporting collector: DiagnosticCollector) {
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

    /// Gives a name to what a step keeps.
    ///
    /// - Returns: What it is called while the scenario runs.
    func capture(
        _ name: String, _ type: FieldType, at place: SourcePlace, reporting collector: DiagnosticCollector
    ) -> String {
        define(name, .typed(type), at: place, reporting: collector)
        captures.add(name, key: prefix + name, at: place)
        return prefix + name
    }

    /// Gives a name to a value that an included file hands out.
    func define(
        _ name: String, output entry: Entry, actors: [String]?, at place: SourcePlace,
        reporting collector: DiagnosticCollector
    ) {
        captures.read(entry)
        define(name, Entry(binding: entry.binding, place: place, key: entry.key), reporting: collector)
        if let actors { define(name, oneOf: actors) }
    }

    /// Lets a variable stand for one of some actors, of whom the run decides.
    func define(_ name: String, oneOf actors: [String]) {
        aliases[name] = actors
    }

    /// The actors that a variable may stand for; nil when it stands for none.
    func alias(_ name: String) -> [String]? { aliases[name] ?? parent?.alias(name) }

    /// Remembers that a name exists at another place, for a better complaint.
    func hide(_ name: String, at place: SourcePlace, reason: String) {
        hidden[name] = (place, reason)
    }

    /// Takes over the variables of a list of steps that has run to its end.
    func adopt(_ other: Scope, reporting collector: DiagnosticCollector) {
        for (name, entry) in other.entries.sorted(by: { $0.value.place.range.start < $1.value.place.range.start }) {
            if case .typed = entry.binding { define(name, entry, reporting: collector) }
        }
        aliases.merge(other.aliases) { own, _ in own }
    }

    /// Remembers the variables of a list of steps as existing elsewhere.
    func hide(_ other: Scope, reason: String) {
        for (name, entry) in other.entries { hide(name, at: entry.place, reason: reason) }
    }
}
