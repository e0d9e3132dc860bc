/// A place between two characters of a text file, both coordinates counted from 1.
///
/// Columns count Unicode scalars, as YAML does.
public struct SourcePosition: Comparable, Hashable, Codable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// Names a place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Earlier in the file is less.
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A stretch of a text file; `end` is the place after its last character.
public struct SourceRange: Hashable, Codable, Sendable {
    /// Where it begins.
    public let start: SourcePosition
    /// The place after its last character.
    public let end: SourcePosition

    /// Names a stretch.
    public init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = max(start, end)
    }

    /// A stretch of `length` characters on one line.
    public init(line: Int, column: Int, length: Int = 1) {
        self.init(
            start: SourcePosition(line: line, column: column),
            end: SourcePosition(line: line, column: column + max(length, 1)))
    }

    /// The first character of a file: where complaints about the whole file point.
    public static let start = SourceRange(line: 1, column: 1)
}

/// A stretch of a certain file.
public struct SourcePlace: Sendable {
    /// The file.
    public let file: SourceFile
    /// The stretch.
    public let range: SourceRange

    /// Names a place.
    public init(_ range: SourceRange, in file: SourceFile) {
        self.file = file
        self.range = range
    }

    /// `file:line:column`.
    public var label: String { "\(file.path):\(range.start.line):\(range.start.column)" }
}
