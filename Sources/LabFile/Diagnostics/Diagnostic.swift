/// One complaint about a file the user wrote: what is wrong, and where.
///
/// An immutable value; any thread. The sentence is made by `DiagnosticWording`, the print-out by
/// ``DiagnosticRenderer``; no text is built where the mistake is found.
public struct Diagnostic: Error, Sendable {
    /// What is wrong, with the facts the sentence needs.
    public let kind: DiagnosticKind
    /// Where.
    public let place: SourcePlace

    /// Records a complaint.
    public init(_ kind: DiagnosticKind, at place: SourcePlace) {
        self.kind = kind
        self.place = place
    }

    /// Whether two complaints say the same about the same place of the same file.
    public func isSame(as other: Diagnostic) -> Bool {
        place.file.path == other.place.file.path && place.range.start == other.place.range.start && kind == other.kind
    }
}

/// All complaints about the files of one reading, and the places of secrets that no print-out may show.
///
/// Not thread-safe: used by the one thread that reads the files.
public final class DiagnosticCollector {
    private var found: [Diagnostic] = []
    /// Places whose text is masked in every print-out.
    public private(set) var secretRanges = SecretRanges()

    /// An empty collection.
    public init() {}

    /// Adds a complaint. The same complaint about the same place is kept once: one cause, one complaint.
    public func report(_ kind: DiagnosticKind, at place: SourcePlace) {
        report(Diagnostic(kind, at: place))
    }

    /// Adds a complaint. The same complaint about the same place is kept once: one cause, one complaint.
    public func report(_ diagnostic: Diagnostic) {
        if !found.contains(where: { $0.isSame(as: diagnostic) }) { found.append(diagnostic) }
    }

    /// Marks a place as holding a secret.
    public func hide(_ place: SourcePlace) {
        secretRanges.insert(place)
    }

    /// Whether nothing is wrong so far.
    public var isEmpty: Bool { found.isEmpty }

    /// The number of complaints so far; lets a caller see whether a step of its own added any.
    public var count: Int { found.count }

    /// Every complaint, sorted by file and place.
    public var diagnostics: [Diagnostic] {
        found.sorted { left, right in
            left.place.file.path == right.place.file.path
                ? left.place.range.start < right.place.range.start
                : left.place.file.path < right.place.file.path
        }
    }
}

/// The places of files that hold secrets and are masked whenever a source line is printed.
public struct SecretRanges: Sendable {
    private var ranges: [String: [SourceRange]] = [:]

    /// No secrets.
    public init() {}

    /// Adds a place.
    public mutating func insert(_ place: SourcePlace) {
        ranges[place.file.path, default: []].append(place.range)
    }

    /// Adds all places of another set.
    public mutating func formUnion(_ other: SecretRanges) {
        for (path, more) in other.ranges { ranges[path, default: []] += more }
    }

    /// The text of a line with every character of a secret replaced by a bullet.
    public func masked(line number: Int, of file: SourceFile) -> String {
        var scalars = Array(file.line(number).unicodeScalars)
        for range in ranges[file.path] ?? [] where range.start.line <= number && number <= range.end.line {
            let first = range.start.line == number ? range.start.column - 1 : 0
            let end = range.end.line == number ? range.end.column - 1 : scalars.count
            for index in max(first, 0)..<max(first, min(end, scalars.count)) where scalars[index] != " " {
                scalars[index] = "•"
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
