import LabKit

/// One of several equal parts of a suite, for machines that share the work.
///
/// The part of a scenario depends only on its identifier and the number of parts, so that adding one moves no other,
/// unless durations from an earlier run are given.
public struct Shard: Sendable, Equatable {
    /// From 1.
    public let number: Int
    /// Number of parts.
    public let count: Int

    /// Reads the value of `--shard`.
    ///
    /// - Parameters:
    ///   - text: `2/5`; or `/5`, with the index from the environment; or `auto`, with both from the environment.
    ///   - environment: Variables of Slurm's job arrays, Kubernetes's indexed jobs and GitLab's parallel jobs.
    /// - Throws: ``BadUsage`` that names the missing value.
    public init(_ text: String, environment: [String: String]) throws {
        if text == "auto" {
            guard let place = Self.place(in: environment), let count = place.count else {
                throw BadUsage(
                    sentence:
                        "--shard auto needs an environment that says which shard this is and how many there are: SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT, or CI_NODE_INDEX with CI_NODE_TOTAL. Otherwise give K/N, or /N with JOB_COMPLETION_INDEX"
                )
            }
            try self.init(place.number, of: count, text)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = Int(parts[1]), parts[0].isEmpty || Int(parts[0]) != nil else {
            throw BadUsage(sentence: "--shard takes K/N such as 2/5, /N, or auto, not `\(text)`")
        }
        if let number = Int(parts[0]) {
            try self.init(number, of: count, text)
            return
        }
        guard let place = Self.place(in: environment) else {
            throw BadUsage(
                sentence:
                    "--shard \(text) needs SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or CI_NODE_INDEX in the environment; otherwise give the number of the shard, 1/\(count)"
            )
        }
        try self.init(place.number, of: count, text)
    }

    private init(_ number: Int, of count: Int, _ text: String) throws {
        guard count >= 1, (1...count).contains(number) else {
            throw BadUsage(sentence: "--shard \(text) is number \(number) of \(count), but shards count from 1 to N")
        }
        (self.number, self.count) = (number, count)
    }

    /// The index that a scheduler has given this process, counted from 1.
    private static func place(in environment: [String: String]) -> (number: Int, count: Int?)? {
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
        if let id = number("SLURM_ARRAY_TASK_ID") {
            // An array such as 10-30:10 has the tasks 10, 20 and 30.
            let first = number("SLURM_ARRAY_TASK_MIN") ?? 1
            let step = max(1, number("SLURM_ARRAY_TASK_STEP") ?? 1)
            return ((id - first) / step + 1, number("SLURM_ARRAY_TASK_COUNT"))
        }
        if let index = number("JOB_COMPLETION_INDEX") { return (index + 1, nil) }
        return number("CI_NODE_INDEX").map { ($0, number("CI_NODE_TOTAL")) }
    }

    /// The scenarios of this part.
    ///
    /// - Parameters:
    ///   - ids: Those of all parts together.
    ///   - durations: The basis for balancing the parts.
    func part(of ids: [String], by durations: RecordedDurations?) -> Set<String> {
        guard let parts = durations?.parts(of: ids, count: count) else { return Set(ids.filter(contains)) }
        return Set(ids.filter { parts[$0] == number })
    }

    /// Whether a scenario belongs to this part, if durations are unknown.
    func contains(_ id: String) -> Bool {
        var stream = SeedStream(seed: 0, "shard", id)
        return stream.next() % UInt64(count) == UInt64(number - 1)
    }
}
