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
    }

    private let parent: Scope?
    private(set) var entries: [String: Entry] = [:]
    private var hidden: [String: (line: Int, reason: String)] = [:]
    private var aliases: [String: [String]] = [:]

    init(parent: Scope?) {
        self.parent = parent
    }

    func lookup(_ name: String) -> Entry? {
        entries[name] ?? parent?.lookup(name)
    }

    func hiddenEntry(_ name: String) -> (line: Int, reason: String)? {
        hidden[name] ?? parent?.hiddenEntry(name)
    }

    var names: [String] {
        entries.keys.sorted() + (parent?.names ?? [])
    }

    /// Gives a name a meaning from here on.
    func define(_ name: String, _ binding: Binding, at place: SourcePlace, reporting collector: DiagnosticCollector) {
        if let taken = lookup(name) {
            collector.report(.overwrittenVariable(name: name, firstLine: taken.place.range.start.line), at: place)
        } else {
            entries[name] = Entry(binding: binding, place: place)
        }
    }

    /// Lets a variable stand for one of some actors, of whom the run decides.
    func define(_ name: String, oneOf actors: [String]) {
        aliases[name] = actors
    }

    /// The actors that a variable may stand for; nil when it stands for none.
    func alias(_ name: String) -> [String]? { aliases[name] ?? parent?.alias(name) }

    /// Remembers that a name exists at another place, for a better complaint.
    func hide(_ name: String, line: Int, reason: String) {
        hidden[name] = (line, reason)
    }

    /// Takes over the variables of a list of steps that has run to its end.
    func adopt(_ other: Scope, reporting collector: DiagnosticCollector) {
        for (name, entry) in other.entries.sorted(by: { $0.value.place.range.start < $1.value.place.range.start }) {
            if case .typed = entry.binding { define(name, entry.binding, at: entry.place, reporting: collector) }
        }
        aliases.merge(other.aliases) { own, _ in own }
    }

    /// Remembers the variables of a list of steps as existing elsewhere.
    func hide(_ other: Scope, reason: String) {
        for (name, entry) in other.entries { hide(name, line: entry.place.range.start.line, reason: reason) }
    }
}
