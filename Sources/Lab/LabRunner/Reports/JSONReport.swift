public import Foundation
import LabSystem

/// The results as JSON, with a version for programs that read it.
public struct JSONReport: Codable, Sendable {
    /// Version of the written format; increased when a member changes its meaning or is removed.
    static let version = 1
    /// The file in the directory of a run.
    static let fileName = "report.json"

    /// Version of the format.
    public var version = Self.version
    /// The run's seed; nil if shards with different seeds were merged. Each result has its own as well.
    public var seed: UInt64?
    /// Wall time of the run in seconds.
    public var seconds: Double
    /// The scenarios.
    public var results: [ScenarioResult]
    /// The part of a suite that was run; nil for all of it.
    public var shard: ShardRecord?

    /// Version, command, files and machine of the run; nil if shards were merged, and in tests.
    public var circumstances: RunCircumstances?

    /// A report of a run.
    public init(
        seed: UInt64?, seconds: Double, results: [ScenarioResult], shard: ShardRecord? = nil,
        circumstances: RunCircumstances? = nil
    ) {
        self.seed = seed
        self.seconds = seconds
        self.results = results
        self.shard = shard
        self.circumstances = circumstances
    }

    /// The document, with sorted keys.
    public func rendered() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

extension JSONReport {
    /// Reads a report.
    ///
    /// - Throws: ``BadUsage`` if the file is not such a report.
    init(at path: String) throws {
        let data: Data
        do {
            data = try Files.read(path)
        } catch {
            throw BadUsage(sentence: "the report \(path) cannot be read: \(error)")
        }
        guard let report = try? JSONDecoder().decode(JSONReport.self, from: data) else {
            throw BadUsage(sentence: "\(path) is not a report of `lab run --report json=FILE`")
        }
        guard report.version == Self.version else {
            throw BadUsage(
                sentence:
                    "\(path) has version \(report.version) of the format, and this lab reads version \(Self.version)")
        }
        self = report
    }
}

/// The part of a suite that a run covers, and the whole: for checking that parts fit together.
public struct ShardRecord: Codable, Sendable, Equatable {
    /// From 1.
    public var number: Int
    /// How many parts there are.
    public var count: Int
    /// The identifiers of all results of the whole suite, in order.
    public var suite: [String]
}

extension JSONReport {
    /// The report with adjusted paths, if its records may have been moved with it: a result whose directory is missing
    /// gets the directory of the same name beside the report.
    ///
    /// - Parameter directory: The report's directory.
    func found(beside directory: String) -> JSONReport {
        var report = self
        for index in results.indices where !results[index].directory.isEmpty {
            let recorded = results[index].directory
            guard !Files.exists(recorded), let runs = recorded.range(of: "/runs/", options: .backwards) else {
                continue
            }
            // In an artefact `.lab/runs/ID/…` lies beside the report; the report of a run lies in `ID`.
            let path = recorded[runs.upperBound...]
            let inRun = path.drop { $0 != "/" }
            let places = ["\(directory)/.lab/runs/\(path)", "\(directory)/runs/\(path)", "\(directory)\(inRun)"]
            if let place = places.first(where: Files.exists) { report.results[index].directory = place }
        }
        return report
    }
}
