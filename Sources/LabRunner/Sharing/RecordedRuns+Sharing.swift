internal import Foundation
internal import LabSystem

/// What apps shared when a scenario failed.
public struct RecordedSharing: Sendable {
    /// The directory of the run.
    public let run: String
    /// The scenario, with the round that failed.
    public let scenario: String
    /// What was shared.
    public let state: SharingState
}

extension RecordedRuns {
    /// What apps shared when a scenario failed for the last time.
    ///
    /// - Parameters:
    ///   - path: the scenario's file, or a row as in `login.yaml[wrong-pin]`.
    ///   - run: identifier of the run; nil looks through all, the newest first.
    /// - Throws: ``BadUsage`` when nothing is recorded of it.
    public func sharing(atFailureOf path: String, run: String?) throws -> RecordedSharing {
        let runs = try all().filter { run == nil || $0.id == run }
        for run in runs {
            for result in run.report.results where concerns(result.scenario, path: path) {
                let file = "\(result.directory)/\(SharingRecord.fileName)"
                guard let data = try? Files.read(file) else { continue }
                return RecordedSharing(run: run.id, scenario: result.id, state: try SharingState(reading: data))
            }
        }
        throw BadUsage(
            sentence: run.map { "the run \($0) has recorded no failure of \(path) with apps that share" }
                ?? "no kept run has recorded a failure of \(path) with apps that share")
    }
}
