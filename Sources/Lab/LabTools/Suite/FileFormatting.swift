// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// Formats the files that a command line names.
///
/// Thread rule: any thread.
public struct FileFormatting {
    /// What to do with a file that is not formatted.
    public enum Treatment: Sendable {
        /// Rewrite it.
        case rewrites
        /// Name it, and leave it unchanged.
        case checks
    }

    /// The path that stands for standard input.
    public static let standardInput = "-"

    private let treatment: Treatment
    private let print: (String) -> Void
    private let writeErrors: (String) -> Void

    /// - Parameters:
    ///   - print: Takes pieces of text, for standard output.
    ///   - writeErrors: Takes diagnostics, for standard error.
    public init(_ treatment: Treatment, print: @escaping (String) -> Void, writeErrors: @escaping (String) -> Void) {
        self.treatment = treatment
        self.print = print
        self.writeErrors = writeErrors
    }

    /// The result for a file, worst first.
    private enum Result: Int, Comparable {
        case refused, defect, changed, same

        static func < (left: Result, right: Result) -> Bool { left.rawValue < right.rawValue }
    }

    /// Formats files, and those in directories together with the lab file there; a file with an error stays unchanged.
    /// - Throws: ``BadUsage`` if a file cannot be written.
    public func run(_ paths: [String]) throws -> RunOutcome {
        let missing = SuiteReader.missing(among: paths)
        guard missing.isEmpty else {
            for path in missing { complain("error: there is no such file or directory: \(path)\n") }
            return .badInput
        }
        var search = ScenarioFiles(takesLabFiles: true)
        var seen: Set<String> = []
        let files = paths.flatMap { search.files(at: $0) }.filter { seen.insert(Files.absolute($0)).inserted }
        for note in search.notes { complain("note: \(note)\n") }
        let results = try files.map(format)
        let changed = results.count { $0 == .changed }
        let verb = treatment == .checks ? "would be" : changed == 1 ? "was" : "were"
        print("\(changed) of \(files.count) \(files.count == 1 ? "file" : "files") \(verb) rewritten\n")
        return outcome(results.min() ?? .same)
    }

    /// Formats a text from standard input and prints it.
    public func run(standardInput text: String) -> RunOutcome {
        let (result, formatted) = formatted(SourceFile(path: "<standard input>", text: text))
        if treatment == .rewrites { print(formatted ?? "") }
        if treatment == .checks, result == .changed { print("standard input is not formatted\n") }
        return outcome(result)
    }

    private func outcome(_ worst: Result) -> RunOutcome {
        switch worst {
        case .refused: .badInput
        case .defect: .inconclusive
        case .changed: treatment == .checks ? .failed : .passed
        case .same: .passed
        }
    }

    private func format(_ path: String) throws -> Result {
        switch SourceFile.read(path) {
        case .failure(let diagnostic):
            complain(DiagnosticRenderer().render(diagnostic))
            return .refused
        case .success(let source):
            let (result, text) = formatted(source)
            guard result == .changed, let text else { return result }
            if treatment == .rewrites { try write(text, to: path) }
            print("\(path.onOneVisibleLine)\n")
            return result
        }
    }

    /// The formatted text; nil after a diagnostic.
    private func formatted(_ source: SourceFile) -> (Result, String?) {
        let collector = DiagnosticCollector()
        do {
            guard let text = try YAMLFormatter.format(source, reporting: collector) else {
                complain(DiagnosticRenderer().render(collector.diagnostics))
                return (.refused, nil)
            }
            return (text == source.text ? .same : .changed, text)
        } catch {
            complain("error: \(error)\n")
            return (.defect, nil)
        }
    }

    /// Replaces a file in one step; keeps links to it and its permissions.
    private func write(_ text: String, to path: String) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.uint32Value ?? 0o644
            try Files.write(Data(text.utf8), to: target, mode: mode)
            // The umask restricts the permissions of a new file.
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target)
        } catch let error as SystemError {
            throw BadUsage(sentence: "\(path) cannot be rewritten: \(error.sentence)")
        }
    }

    private func complain(_ text: String) { writeErrors(text.withVisibleControls) }
}
