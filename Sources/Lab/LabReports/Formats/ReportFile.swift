// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabSystem
package import ScenarioEngine
import ScenarioLanguage

/// A file that will receive a report: checked before anything starts.
package struct ReportFile: Sendable {
    /// How the report is written.
    private enum Destination {
        /// A regular or missing file: replaced in one step.
        case file(String)
        /// A device or a named pipe: written to, never replaced.
        case stream(String)
        /// A descriptor of this process, such as `/dev/stdout`.
        case descriptor(Int32)
    }

    package let report: RunOptions.Report
    private let destination: Destination

    /// Checks that a report can be written and overwrites nothing else.
    /// - Parameter inputs: Files that the run reads.
    /// - Throws: ``BadUsage`` with the path as given.
    package init(_ report: RunOptions.Report, inputs: [String]) throws {
        self.report = report
        func refused(_ reason: String) -> BadUsage {
            BadUsage(sentence: "the report \(report.path) cannot be written: \(reason)")
        }
        guard report.format != .html else {
            destination = .file(try Self.page(of: report, refused: refused))
            return
        }
        if let number = report.descriptor {
            guard fcntl(number, F_GETFL) >= 0 else { throw refused("there is no such open descriptor") }
            destination = .descriptor(number)
            return
        }
        // A link stays a link: its target is written.
        let absolute = Files.absolute(report.path)
        let path = Self.resolved(absolute)
        var status = stat()
        if stat(path, &status) == 0 {
            let isInput = inputs.contains { input in
                var other = stat()
                return stat(input, &other) == 0 && other.st_ino == status.st_ino && other.st_dev == status.st_dev
            }
            // Included files are read too, and no report is YAML.
            guard !isInput, !path.hasSuffix(".yaml") else {
                throw refused("it would overwrite a file that the lab reads; give the report a name of its own")
            }
            guard status.st_mode & S_IFMT != S_IFDIR else { throw refused("it is a directory; name a file in it") }
            guard access(path, W_OK) == 0 else { throw refused(SystemError(call: "access", errno: errno).sentence) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                destination = .stream(path)
                return
            }
        }
        let directory = Files.directory(of: path)
        let given = Files.directory(of: report.path)
        guard Files.isDirectory(directory) else { throw refused("there is no directory \(given)") }
        guard !report.path.hasSuffix("/") else { throw refused("it names a directory; name a file in it") }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw refused("\(given == "." ? "the current directory" : given) is not writable")
        }
        destination = .file(path)
    }

    /// The page's file in a directory, which is created if missing.
    private static func page(of report: RunOptions.Report, refused: (String) -> BadUsage) throws -> String {
        guard report.descriptor == nil else { throw refused("a page goes into a directory, not to a descriptor") }
        let path = resolved(Files.absolute(report.path))
        if !Files.exists(path) {
            let parent = Files.directory(of: path)
            guard Files.isDirectory(parent) else { throw refused("there is no directory \(parent)") }
            do {
                try Files.createDirectory(path)
            } catch let error as SystemError {
                throw refused(error.sentence)
            }
        }
        guard Files.isDirectory(path) else { throw refused("it is a file; a page goes into a directory") }
        let file = "\(path)/\(PageReport.fileName)"
        guard access(path, W_OK | X_OK) == 0, !Files.isDirectory(file) else {
            throw refused("\(PageReport.fileName) cannot be written in that directory")
        }
        return file
    }

    /// The reports of a run, checked one by one and against each other.
    package static func check(_ reports: [RunOptions.Report], inputs: [String]) throws -> [ReportFile] {
        var taken: Set<String> = []
        return try reports.map { report in
            let file = try ReportFile(report, inputs: inputs)
            if let target = file.target, !taken.insert(target).inserted {
                throw BadUsage(sentence: "two reports would be written to \(report.path); give each its own file")
            }
            return file
        }
    }

    /// The target that only one report can have; nil for a pipe or a device, which accepts several in sequence.
    private var target: String? {
        switch destination {
        case .file(let path): path
        case .descriptor(let number): "descriptor \(number)"
        case .stream: nil
        }
    }

    /// Writes the results of a run in the format of this report; a report that is written line by line has them
    /// already.
    /// - Parameter page: The page of the run, if already written.
    /// - Throws: ``LabFailure`` with the path as given.
    package func write(_ report: JSONReport, page: String? = nil) throws {
        switch self.report.format {
        case .junit: try write(Data(JUnitReport.render(report.results, seconds: report.seconds).utf8))
        case .json: try write(report.rendered())
        case .tap: try write(Data(TAPReport.render(report.results).utf8))
        case .codequality:
            try write(CodeQualityReport.render(report.results, environment: ProcessInfo.processInfo.environment))
        case .jsonl: break
        case .html:
            guard case .file(let path) = destination else { return }
            try explained {
                if let page {
                    try Files.copy(page, to: path, mode: 0o644)
                } else {
                    try PageReport(runs: [.init(label: "", report: report)]).write(to: path, mode: 0o644)
                }
            }
        }
    }

    /// Writes a whole report at once.
    /// - Throws: ``LabFailure`` with the path as given.
    package func write(_ content: Data) throws {
        try explained {
            // A reader of a regular file sees the old report or the new one.
            if case .file(let path) = destination {
                try Files.write(content, to: path, mode: 0o644)
            } else {
                try opened().writeAll(content)
            }
        }
    }

    /// The truncated file, for a report that is written during its run.
    /// - Throws: ``LabFailure`` with the path as given.
    package func open() throws -> FileDescriptor { try explained { try opened() } }

    private func opened() throws -> FileDescriptor {
        switch destination {
        case .file(let path):
            return try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode: 0o644)
        case .stream(let path):
            // Non-blocking, because the pipe may never have a reader.
            let file = try FileDescriptor.open(path, flags: O_WRONLY | O_NONBLOCK)
            _ = fcntl(file.rawValue, F_SETFL, fcntl(file.rawValue, F_GETFL) & ~O_NONBLOCK)
            return file
        case .descriptor(let number):
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw SystemError(call: "fcntl", errno: errno) }
            return FileDescriptor(owning: copy)
        }
    }

    /// Performs an operation on the file; its errors become sentences with the path as given.
    package func explained<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let isUnread = (error as? SystemError)?.errno == ENXIO
            let reason =
                isUnread ? "the pipe has no reader" : (error as? SystemError)?.sentence ?? error.localizedDescription
            throw LabFailure("the report \(report.path) could not be written: \(reason)")
        }
    }

    /// The path without links, as far as it exists.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
