public import Foundation

/// The results as JSON, with a version for programs that read it.
public struct JSONReport: Codable, Sendable {
    /// Version of the format; it grows when a member changes its meaning.
    public var version = 1
    /// The run's seed; nothing when shards with different ones were merged. Each result has its own besides.
    public var seed: UInt64?
    /// Wall time of the run in seconds.
    public var seconds: Double
    /// The scenarios.
    public var results: [ScenarioResult]
    /// The part of a suite that the run was; nothing when it was all of it.
    public var shard: ShardRecord?

    /// A report of a run.
    public init(seed: UInt64?, seconds: Double, results: [ScenarioResult], shard: ShardRecord? = nil) {
        self.seed = seed
        self.seconds = seconds
        self.results = results
        self.shard = shard
    }

    /// The document, with sorted keys.
    public func rendered() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// Which part of a suite a run was, and what the whole is: what makes sure that parts fit together.
public struct ShardRecord: Codable, Sendable, Equatable {
    /// From 1.
    public var number: Int
    /// How many parts there are.
    public var count: Int
    /// The identifiers of all results that the whole suite has, in its order.
    public var suite: [String]
}
