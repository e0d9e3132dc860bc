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
        func contains(_ reference: Reference) -> Bool { contains(key: reference.key) }

        fileprivate func contains(key: String) -> Bool { keys.contains(key) }

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
    /// Where steps below give names to what they keep.
    private var later: [String: SourcePlace] = [:]
    /// What included files keep without handing it out, with the names of the files.
    private var withheld: [String: (place: SourcePlace, file: String)] = [:]
    /// Names that would have a value but for a mistake that is reported already.
    private var assumed: Set<String> = []
    /// Whether any name may be one of those.
    private(set) var isIncomplete = false
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
        hiddenElsewhere(name) ?? laterPlace(of: name).map { ($0, "it gets its value only later") }
    }

    private func hiddenElsewhere(_ name: String) -> (place: SourcePlace, reason: String)? {
        hidden[name] ?? parent?.hiddenElsewhere(name)
    }

    private func laterPlace(of name: String) -> SourcePlace? { later[name] ?? parent?.laterPlace(of: name) }

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

    /// Remembers that a step below keeps something under a name.
    func announce(_ name: String, at place: SourcePlace) { later[name] = place }

    /// Remembers what an included file keeps and does not declare as an output.
    func withhold(_ name: String, at place: SourcePlace, by file: String) { withheld[name] = (place, file) }

    /// The file that keeps something under a name for itself. The name counts as one that has a value from then on: however
    /// often it is read, the output that is not declared is one mistake.
    func takeWithheld(_ name: String) -> (place: SourcePlace, file: String)? {
        guard let found = withheld.removeValue(forKey: name) else { return parent?.takeWithheld(name) }
        assume(name, at: found.place)
        return found
    }

    /// Lets a name count as one that has a value, because what would give it has a mistake that is reported: one mistake
    /// is one complaint.
    func assume(_ name: String, at place: SourcePlace) {
        guard lookup(name) == nil, hiddenElsewhere(name) == nil else { return }
        entries[name] = Entry(binding: .typed(.any), place: place, key: prefix + name)
        assumed.insert(name)
    }

    /// Lets every name count as one that has a value: a file that would tell its outputs cannot be read.
    func assumeMore() { isIncomplete = true }

    /// Whether a name has no value only because of a mistake that is reported already.
    func isAssumed(_ name: String) -> Bool { assumed.contains(name) || parent?.isAssumed(name) ?? false }

    /// Whether a name that is not here may be missing because of a mistake that is reported already.
    var lacksNames: Bool { isIncomplete || parent?.lacksNames ?? false }

    /// Whether a step keeps what an entry stands for.
    func isCaptured(_ entry: Entry) -> Bool { captures.contains(key: entry.key) }

    /// Takes over the variables of a list of steps that has run to its end.
    func adopt(_ other: Scope, reporting collector: DiagnosticCollector) {
        for (name, entry) in other.entries.sorted(by: { $0.value.place.range.start < $1.value.place.range.start }) {
            if case .typed = entry.binding { define(name, entry, reporting: collector) }
        }
        aliases.merge(other.aliases) { own, _ in own }
        takeMistakes(of: other)
    }

    /// Remembers the variables of a list of steps as existing elsewhere.
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
