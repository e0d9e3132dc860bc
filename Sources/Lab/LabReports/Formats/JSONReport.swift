// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import LabCore
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// The results as JSON, with a version for programs that read it.
public struct JSONReport: Codable, Sendable {
    /// Version of the written format; increased when a member changes its meaning or is removed.
    package static let version = 1
    /// The file in the directory of a run.
    package static let fileName = "report.json"

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

    package init(
        version: Int = Self.version, seed: UInt64? = nil, seconds: Double, results: [ScenarioResult],
        shard: ShardRecord? = nil, circumstances: RunCircumstances? = nil
    ) {
        self.version = version
        self.seed = seed
        self.seconds = seconds
        self.results = results
        self.shard = shard
        self.circumstances = circumstances
    }

    /// The document, with sorted keys.
    public func rendered() throws -> Data { Data(try JSONTextEncoder.document(self).utf8) }
}

extension JSONReport {
    /// Reads a report.
    /// - Throws: ``BadUsage`` if the file is not such a report.
    package init(at path: String) throws {
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

    /// The report with adjusted paths, if its records may have been moved with it: a result whose directory is missing
    /// gets the directory of the same name beside the report.
    package func found(beside directory: String) -> JSONReport {
        var report = self
        for index in results.indices where !results[index].directory.isEmpty {
            let recorded = results[index].directory
            guard !Files.exists(recorded), let runs = recorded.range(of: "/runs/", options: .backwards)
            else { continue }
            // In an artefact `.lab/runs/ID/…` lies beside the report; the report of a run lies in `ID`.
            let path = recorded[runs.upperBound...]
            let inRun = path.drop { $0 != "/" }
            let places = ["\(directory)/.lab/runs/\(path)", "\(directory)/runs/\(path)", "\(directory)\(inRun)"]
            if let place = places.first(where: Files.exists) { report.results[index].directory = place }
        }
        return report
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

    package init(number: Int, count: Int, suite: [String]) {
        self.number = number
        self.count = count
        self.suite = suite
    }
}

/// The facts for judging a run later: the lab, the command, the state of the files, and the machine.
public struct RunCircumstances: Codable, Sendable, Equatable {
    /// Version of the lab.
    public var version: String
    /// The arguments of the command line, without the values of `--set`.
    public var arguments: [String]
    /// When the run began, ISO 8601 in UTC.
    public var began: String
    /// Processor cores available to the run.
    public var cores: Int
    /// Name and release of the system's kernel, and the processor's architecture.
    public var system: String
    /// The git commit of the lab file's folder; nil outside of a repository.
    public var commit: String?
    /// Whether files differed from that commit; nil outside of a repository.
    public var isModified: Bool?

    /// The current facts.
    package static func now(arguments: [String], in directory: String) -> RunCircumstances {
        let (commit, isModified) = git(in: directory)
        return RunCircumstances(
            version: LabVersion.current, arguments: withoutValues(arguments),
            began: LabTime(nanoseconds: RealTimeClock.nanoseconds()).date.formatted(.iso8601),
            cores: ProcessInfo.processInfo.activeProcessorCount, system: machine, commit: commit,
            isModified: isModified)
    }

    /// Name and release of the kernel, and the processor's architecture.
    package static var machine: String {
        var name = utsname()
        uname(&name)
        return "\(text(&name.sysname)) \(text(&name.release)) \(text(&name.machine))"
    }

    /// A given value may be a secret.
    private static func withoutValues(_ arguments: [String]) -> [String] {
        var isValue = false
        return arguments.map { argument in
            defer { isValue = argument == "--set" }
            let prefix = argument.hasPrefix("--set=") ? "--set=" : ""
            guard isValue || !prefix.isEmpty else { return argument }
            let setting = argument.dropFirst(prefix.count)
            return "\(prefix)\(setting.prefix { $0 != "=" })=\(Secret.mask)"
        }
    }

    /// The commit, and whether files differ from it; nil without git, a repository or a commit.
    private static func git(in directory: String) -> (commit: String?, isModified: Bool?) {
        let status = ["git", "-C", directory, "status", "--porcelain=v2", "--branch"]
        guard let output = try? ToolCall.output(of: status) else { return (nil, nil) }
        // The headers begin with `#`; `(initial)` stands for the commit of a repository that has none.
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let prefix = "# branch.oid "
        guard let commit = lines.first(where: { $0.hasPrefix(prefix) })?.dropFirst(prefix.count), commit != "(initial)"
        else { return (nil, nil) }
        return (String(commit), lines.contains { !$0.hasPrefix("#") })
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// The version of the lab, for `lab --version` and the record of a run.
public enum LabVersion {
    public static let current = "0.1.0"
}
