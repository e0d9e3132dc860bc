internal import LabFile
internal import LabKit
internal import Synchronization

/// The files whose contents the record of a run has already, by their paths.
///
/// Thread rule: any thread.
final class RecordedSources: Sendable {
    private let paths = Mutex<Set<String>>([])

    /// Registers a file.
    ///
    /// - Returns: Whether it is new.
    fileprivate func insert(_ file: SourceFile) -> Bool { paths.withLock { $0.insert(file.path).inserted } }
}

extension ScenarioRun {
    /// Records the content of a step's file once, secrets masked.
    ///
    /// - Returns: The reference of the record to the step's source: lines of that content.
    func recordSource(of step: Step) -> [String: JSONValue] {
        let (file, range) = (step.place.file, step.place.range)
        if sources.insert(file) {
            let lines = (1...max(1, file.lines.count)).map { renderer.secrets.masked(line: $0, of: file) }
            history.record("source", ["file": .string(file.path), "text": .string(lines.joined(separator: "\n"))])
        }
        var fields: [String: JSONValue] = [
            "file": .string(file.path), "line": .integer(Int64(range.start.line)),
            "column": .integer(Int64(range.start.column)), "lastLine": .integer(Int64(range.end.line)),
        ]
        if !step.includedAt.isEmpty { fields["includedAt"] = .array(step.includedAt.map { .string($0.label) }) }
        return fields
    }
}
