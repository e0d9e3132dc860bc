public import Foundation

/// The results as JSON, with a version for programs that read it.
public struct JSONReport: Codable, Sendable {
    /// Version of the format that is written; it grows when a member changes its meaning or goes.
    static let version = 1

    /// Version of the format.
    public var version = Self.version
    /// The run's seed.
    public var seed: UInt64
    /// Wall time of the run in seconds.
    public var seconds: Double
    /// The scenarios.
    public var results: [ScenarioResult]

    /// A report of a run.
    public init(seed: UInt64, seconds: Double, results: [ScenarioResult]) {
        self.seed = seed
        self.seconds = seconds
        self.results = results
    }

    /// The document, with sorted keys.
    public func rendered() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
