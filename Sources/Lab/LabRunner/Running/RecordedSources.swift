import LabFile
import Synchronization

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
    /// - Returns: The step's lines in that content.
    func recordSource(of step: Step) -> HistoryEvent.SourceLines {
        let (file, range) = (step.place.file, step.place.range)
        if sources.insert(file) {
            let lines = (1...max(1, file.lines.count)).map { renderer.secrets.masked(line: $0, of: file) }
            history.record(.source(.init(file: file.path, text: lines.joined(separator: "\n"))))
        }
        return HistoryEvent.SourceLines(
            file: file.path, line: range.start.line, column: range.start.column, lastLine: range.end.line,
            includedAt: step.includedAt.isEmpty ? nil : step.includedAt.map(\.label))
    }
}
