import Foundation
import Glibc
import LabKit
import LabSystem

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
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command line.
    ///   - directory: A folder of the project.
    static func now(arguments: [String], in directory: String) -> RunCircumstances {
        let commit = git(["rev-parse", "HEAD"], in: directory)
        return RunCircumstances(
            version: LabVersion.current, arguments: withoutValues(arguments),
            began: LabTime(nanoseconds: RealTimeClock.nanoseconds()).date.formatted(.iso8601),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: machine, commit: commit,
            isModified: commit == nil ? nil : git(["status", "--porcelain"], in: directory).map { !$0.isEmpty })
    }

    /// Name and release of the kernel, and the processor's architecture.
    static var machine: String {
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

    /// The output of git; nil without git or a repository.
    private static func git(_ words: [String], in directory: String) -> String? {
        let output = try? ToolCall.output(of: ["git", "-C", directory] + words)
        return output.map { String(decoding: $0, as: UTF8.self).trimmed }
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
