// SPDX-License-Identifier: Apache-2.0

import LabSystem

/// One complaint about a file the user wrote: what is wrong, and where.
///
/// An immutable value; any thread. The sentence is made by `DiagnosticWording`, the print-out by
/// ``DiagnosticRenderer``; no text is built where the mistake is found.
public struct Diagnostic: Error, Sendable {
    /// What a complaint means for the run.
    public enum Severity: String, Sendable {
        /// Nothing is run.
        case error
        /// It is reported, and the run continues.
        case warning
    }

    /// What is wrong, with the facts the sentence needs.
    public let kind: DiagnosticKind
    /// Where.
    public let place: SourcePlace
    /// What it means for the run.
    public let severity: Severity
    /// Where the file of ``place`` was included, the innermost place first; empty for a file that is not included.
    public let includedAt: [SourcePlace]
    /// The other place that the complaint is about, such as the declaration, if any.
    public let related: RelatedPlace?

    /// Records a complaint.
    public init(
        _ kind: DiagnosticKind, at place: SourcePlace, severity: Severity = .error, includedAt: [SourcePlace] = [],
        related: RelatedPlace? = nil
    ) {
        self.kind = kind
        self.place = place
        self.severity = severity
        self.includedAt = includedAt
        self.related = related
    }

    /// Whether two complaints say the same about the same place of the same file. What they would suggest may differ, as it
    /// does between the rows of a table.
    public func isSame(as other: Diagnostic) -> Bool {
        place.file.path == other.place.file.path && place.range.start == other.place.range.start
            && kind.sentence == other.kind.sentence
    }
}

/// A place that helps to understand a complaint about another one.
public struct RelatedPlace: Sendable {
    /// What happens there, in words that end before the place: `declared at`.
    public let words: String
    /// Where.
    public let place: SourcePlace

    /// Names a place.
    public init(_ words: String, _ place: SourcePlace) {
        self.words = words
        self.place = place
    }
}

/// All complaints about the files of one reading, and the places of secrets that no print-out may show.
///
/// Not thread-safe: used by the one thread that reads the files.
public final class DiagnosticCollector {
    private var found: [Diagnostic] = []
    private var noticed: [Diagnostic] = []
    /// The files that are being included, the innermost last: where each was included, and its path.
    private var including: [(place: SourcePlace, file: String)] = []
    /// Places whose text is masked in every print-out.
    public private(set) var secretRanges = SecretRanges()

    /// An empty collection.
    public init() {}

    /// Adds a complaint. The same complaint about the same place is kept once: one cause, one complaint.
    public func report(_ kind: DiagnosticKind, at place: SourcePlace, related: RelatedPlace? = nil) {
        report(Diagnostic(kind, at: place, includedAt: chain(to: place.file), related: related))
    }

    /// Reports a problem that does not prevent the file from running.
    public func warn(_ kind: DiagnosticKind, at place: SourcePlace) {
        let warning = Diagnostic(kind, at: place, severity: .warning, includedAt: chain(to: place.file))
        if !noticed.contains(where: { $0.isSame(as: warning) }) { noticed.append(warning) }
    }

    /// Reads a file that another one includes; what is found wrong in it is reported with the place of the `include`.
    public func reading<Value>(_ file: SourceFile, includedAt place: SourcePlace, _ body: () -> Value) -> Value {
        including.append((place, file.path))
        defer { including.removeLast() }
        return body()
    }

    /// Where the file that is being read was included, the innermost place first.
    public var currentChain: [SourcePlace] { including.reversed().map(\.place) }

    /// Where a file was included. A value that the includer gave is the includer's.
    private func chain(to file: SourceFile) -> [SourcePlace] {
        guard let last = including.lastIndex(where: { $0.file == file.path }) else { return [] }
        return including[...last].reversed().map(\.place)
    }

    /// Adds a complaint. The same complaint about the same place is kept once: one cause, one complaint.
    public func report(_ diagnostic: Diagnostic) {
        if !found.contains(where: { $0.isSame(as: diagnostic) }) { found.append(diagnostic) }
    }

    /// Marks a place as holding a secret.
    public func hide(_ place: SourcePlace) { secretRanges.insert(place) }

    /// Whether nothing is wrong so far.
    public var isEmpty: Bool { found.isEmpty }
    /// The number of complaints so far; lets a caller see whether a step of its own added any.
    public var count: Int { found.count }
    /// Every complaint, sorted by file and place.
    public var diagnostics: [Diagnostic] { Self.sorted(found) }
    /// Everything that was pointed out, sorted by file and place.
    public var warnings: [Diagnostic] { Self.sorted(noticed) }

    private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.sorted { left, right in
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
    public mutating func insert(_ place: SourcePlace) { ranges[place.file.path, default: []].append(place.range) }

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

/// Prints diagnostics: `file:line:column: error: sentence`, the source line, a caret, the other place, and advice.
///
/// An immutable value; any thread.
public struct DiagnosticRenderer: Sendable {
    /// Places that are masked in the printed source lines.
    public let secrets: SecretRanges

    /// A renderer that masks the given places.
    public init(secrets: SecretRanges = SecretRanges()) { self.secrets = secrets }

    /// The complete print-out of a list, one blank line between entries.
    public func render(_ diagnostics: [Diagnostic]) -> String { diagnostics.map(render).joined(separator: "\n") }

    /// The print-out of one diagnostic, ending in a line end.
    public func render(_ diagnostic: Diagnostic) -> String {
        var text = "\(diagnostic.place.label): \(diagnostic.severity.rawValue): \(diagnostic.kind.sentence)\n"
        text += excerpt(diagnostic.place)
        if let related = diagnostic.related {
            text += "  \(related.words) \(related.place.label)\n" + excerpt(related.place)
        }
        for place in diagnostic.includedAt { text += "  included at \(place.label)\n" + excerpt(place) }
        if let advice = diagnostic.kind.advice { text += "  help: \(advice)\n" }
        return text
    }

    /// The most characters of a source line that are shown; of a longer line, those around the caret.
    private static let widestLine = 160

    /// The source line of a place with a caret under it; empty when the file has no such line.
    public func excerpt(_ place: SourcePlace) -> String {
        let range = place.range
        let line = Array(secrets.masked(line: range.start.line, of: place.file).unicodeScalars)
        guard !line.isEmpty else { return "" }
        let end = range.end.line == range.start.line ? range.end.column : line.count + 1
        let caret = min(range.start.column - 1, line.count)
        // A third of the width stands before the caret, so that what it points at is seen.
        let first =
            line.count <= Self.widestLine ? 0 : max(0, min(caret - Self.widestLine / 3, line.count - Self.widestLine))
        let last = min(line.count, first + Self.widestLine)
        let before = first > 0 ? "…" : ""
        let after = last < line.count ? "…" : ""
        let marked = line[caret..<max(caret, min(end - 1, last))]
        // Columns of the terminal and not characters; tabs keep their width when the caret line repeats them.
        let indent = (before + Self.text(line[first..<caret])).map {
            $0 == "\t" ? "\t" : String(repeating: " ", count: Terminal.width(of: String($0)))
        }
        let number = String(range.start.line)
        let gutter = String(repeating: " ", count: number.count)
        let marker = "^" + String(repeating: "~", count: max(1, Terminal.width(of: Self.text(marked))) - 1)
        return
            " \(number) | \(before)\(Self.text(line[first..<last]))\(after)\n \(gutter) | \(indent.joined())\(marker)\n"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
