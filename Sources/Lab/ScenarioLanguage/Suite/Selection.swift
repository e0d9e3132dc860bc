// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem

/// The selection of scenarios to run.
package struct Selection: Sendable {
    package let filter: String?
    /// Tags, one of which a scenario must have; a tag with `!` before it excludes.
    private let tags: [String]
    /// Expressions of several words, all of which a scenario must match.
    private let expressions: [TagExpression]

    /// - Parameter tags: Tags, tags with `!` before them, and expressions such as `sharing and not slow`.
    /// - Throws: ``BadUsage`` for an invalid expression.
    package init(filter: String?, tags: [String]) throws {
        self.filter = filter
        let tags = tags.map { $0.trimmed.isEmpty ? $0 : $0.trimmed }
        self.tags = tags.filter { !$0.contains(" ") }
        expressions = try tags.filter { $0.contains(" ") }.map(TagExpression.init)
    }

    package func contains(_ scenario: Scenario) -> Bool {
        if let filter {
            let text = "\(scenario.id)\n\(scenario.name)".lowercased()
            if !text.contains(filter.lowercased()) { return false }
        }
        guard expressions.allSatisfy({ $0.holds(for: scenario.tags) }) else { return false }
        let excluded = tags.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
        if scenario.tags.contains(where: excluded.contains) { return false }
        let wanted = tags.filter { !$0.hasPrefix("!") }
        return wanted.isEmpty || scenario.tags.contains(where: wanted.contains)
    }

    /// Why the selection is probably not the intended one; nil if it is fine.
    package func complaint(about scenarios: [Scenario]) -> String? {
        guard !scenarios.isEmpty else { return "error: there is no scenario at the given paths" }
        let known = Set(scenarios.flatMap(\.tags)).sorted()
        // A misspelled tag after `!` would exclude nothing, and one among others select too little.
        let words = tags.map { $0.hasPrefix("!") ? String($0.dropFirst()) : $0 } + expressions.flatMap(\.tags)
        for word in words where !known.contains(word) {
            return "error: no scenario has the tag `\(word)`\(suggestion(for: word, among: known))"
        }
        guard !scenarios.contains(where: contains) else { return nil }
        return "error: none of \(scenarios.count) scenarios is selected by the filter and the tags"
    }
}

/// An expression over tags: `sharing and not slow or watch`. `not` binds closest, then `and`, then `or`.
struct TagExpression: Sendable {
    /// A tag that must be present, or must not.
    private struct Term {
        let tag: String
        let isWanted: Bool
    }

    private let alternatives: [[Term]]

    /// Reads an expression; a tag alone is one, and `!` before a tag means `not`.
    /// - Throws: ``BadUsage`` for a word in the wrong place.
    init(_ text: String) throws {
        var alternatives: [[Term]] = [[]]
        var isWanted = true
        var isTermDue = true
        for word in text.split(separator: " ").map(String.init) {
            switch word {
            case "not" where isTermDue: isWanted.toggle()
            case "and" where !isTermDue: isTermDue = true
            case "or" where !isTermDue:
                alternatives.append([])
                isTermDue = true
            case "and", "or", "not": throw Self.refused(text, "`\(word)` stands where a tag belongs")
            default:
                guard isTermDue else { throw Self.refused(text, "`and` or `or` is missing before `\(word)`") }
                let tag = word.hasPrefix("!") ? String(word.dropFirst()) : word
                let term = Term(tag: tag, isWanted: isWanted != word.hasPrefix("!"))
                alternatives[alternatives.count - 1].append(term)
                (isWanted, isTermDue) = (true, false)
            }
        }
        guard !isTermDue else { throw Self.refused(text, "a tag is missing at the end") }
        self.alternatives = alternatives
    }

    private static func refused(_ text: String, _ reason: String) -> BadUsage {
        BadUsage(sentence: "--tags `\(text)`: \(reason)")
    }

    /// All tags that are named.
    package var tags: [String] { alternatives.joined().map(\.tag) }

    /// Whether a scenario with these tags matches.
    package func holds(for tags: [String]) -> Bool {
        alternatives.contains { $0.allSatisfy { tags.contains($0.tag) == $0.isWanted } }
    }
}

/// A path on a command line: a file, a directory, or one row of a table as reports print it, `login.yaml[wrong-pin]`.
package struct ScenarioPath {
    /// The file or the directory.
    package let file: String
    /// The name of the row; nil means all.
    package let row: String?

    /// The text after the file.
    package var suffix: String { row.map { "[\($0)]" } ?? "" }

    package init(_ text: String) {
        // A file may have brackets in its name.
        (file, row) = Files.exists(text) ? (text, nil) : Self.parts(of: text)
    }

    /// The path of a scenario, relative to the current directory if inside it. A scenario outside of the project has
    /// the given path as its identifier.
    package static func path(ofScenario id: String, inProject root: String) -> String {
        Files.exists(ScenarioPath("\(root)/\(id)").file) ? shortened("\(root)/\(id)") : id
    }

    /// An absolute path, made relative to the current directory if inside it.
    package static func shortened(_ path: String) -> String {
        self.path(of: path, below: FileManager.default.currentDirectoryPath) ?? path
    }

    /// The path of a file, relative to a folder given by its absolute path; nil if the file is not inside it.
    package static func path(of file: String, below folder: String) -> String? {
        let path = Files.absolute(file)
        return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : nil
    }

    /// The file and the row of a scenario's identifier. Both may have brackets in their names.
    package static func parts(of id: String) -> (file: String, row: String?) {
        guard id.hasSuffix("]"),
            let open = id.firstRange(of: ".yaml[").map({ id.index(before: $0.upperBound) }) ?? id.lastIndex(of: "[")
        else { return (id, nil) }
        return (String(id[..<open]), String(id[id.index(after: open)...].dropLast()))
    }
}

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
    /// - Parameters:
    ///   - ids: Those of all parts together.
    ///   - durations: The basis for balancing the parts.
    package func part(of ids: [String], by durations: RecordedDurations?) -> Set<String> {
        guard let parts = durations?.parts(of: ids, count: count) else { return Set(ids.filter(contains)) }
        return Set(ids.filter { parts[$0] == number })
    }

    /// Whether a scenario belongs to this part, if durations are unknown.
    package func contains(_ id: String) -> Bool {
        var stream = SeedStream(seed: 0, "shard", id)
        return stream.next() % UInt64(count) == UInt64(number - 1)
    }
}

/// How long scenarios took in an earlier run, from its JSON report: the basis for balancing shards.
public struct RecordedDurations: Sendable {
    /// Wall time in seconds, all rounds of a scenario together.
    private let seconds: [String: Double]

    package init(_ seconds: [String: Double]) { self.seconds = seconds }

    /// Distributes scenarios over a number of parts with about equal times: the longest first, each to the part with
    /// the least time so far. A scenario missing in the report counts as the median.
    /// - Returns: The part of each, from 1.
    package func parts(of ids: [String], count: Int) -> [String: Int] {
        let sorted = seconds.values.sorted()
        let median = sorted.isEmpty ? 1 : sorted[sorted.count / 2]
        let known = ids.map { (id: $0, seconds: seconds[$0] ?? median) }
        var loads = Array(repeating: 0.0, count: count)
        var parts: [String: Int] = [:]
        for (id, seconds) in known.sorted(by: { ($1.seconds, $0.id) < ($0.seconds, $1.id) }) {
            // At least one part exists: shards count from 1.
            let part = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[part] += seconds
            parts[id] = part + 1
        }
        return parts
    }
}
