// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A text file as the user wrote it, kept for as long as anything may point into it.
///
/// Immutable; any thread.
public final class SourceFile: Sendable {
    /// The path as the user gave it: what diagnostics print.
    public let path: String
    /// The whole text.
    public let text: String
    /// The lines without their line ends; line 1 is the first element.
    public let lines: [String]

    /// Keeps a text that is already in memory.
    /// - Parameter path: What diagnostics call the file.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(
            String.init)
    }

    /// The largest file that is read at all, in bytes.
    public static let largestSize = 1_048_576

    /// Reads a file of at most ``largestSize`` bytes of UTF-8.
    /// - Returns: The file, or the diagnostic that says why it cannot be read.
    public static func read(_ path: String) -> Result<SourceFile, Diagnostic> {
        func refused(_ kind: DiagnosticKind) -> Result<SourceFile, Diagnostic> {
            .failure(Diagnostic(kind, at: SourcePlace(.start, in: SourceFile(path: path, text: ""))))
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return refused(.missingFile)
        }
        guard !isDirectory.boolValue else { return refused(.unreadableFile(reason: "it is a directory")) }
        // Reading a pipe would wait for a writer.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let kind = (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
        guard kind == .typeRegular else { return refused(.unreadableFile(reason: "it is no regular file")) }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            return refused(.unreadableFile(reason: (error as NSError).localizedDescription))
        }
        guard data.count <= largestSize else { return refused(.fileTooLarge(bytes: data.count, limit: largestSize)) }
        guard let text = String(data: data, encoding: .utf8) else { return refused(.notUTF8) }
        return .success(SourceFile(path: path, text: text))
    }

    /// The text of a line, or an empty text when the line does not exist.
    /// - Parameter number: Counted from 1.
    public func line(_ number: Int) -> String { lines.indices.contains(number - 1) ? lines[number - 1] : "" }
}

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
