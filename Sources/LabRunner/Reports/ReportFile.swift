internal import Foundation
internal import LabSystem

/// A file that will receive a report: checked before anything starts, written when everything has ended.
struct ReportFile: Sendable {
    /// How the report gets to its place.
    private enum Destination {
        /// A regular file, or none yet: replaced in one step.
        case file(String)
        /// A device or a named pipe: written into, never replaced.
        case stream(String)
        /// A descriptor of this process, such as `/dev/stdout`.
        case descriptor(Int32)
    }

    let report: RunOptions.Report
    private let destination: Destination

    /// Checks that a report can be written and that nothing is lost by it.
    ///
    /// - Parameters:
    ///   - report: What the user asked for.
    ///   - inputs: Files that the run reads.
    /// - Throws: ``BadUsage`` that names the path as it was given.
    init(_ report: RunOptions.Report, inputs: [String]) throws {
        self.report = report
        func refused(_ reason: String) -> BadUsage {
            BadUsage(sentence: "the report \(report.path) cannot be written: \(reason)")
        }
        if let number = Self.descriptor(report.path) {
            guard fcntl(number, F_GETFL) >= 0 else { throw refused("there is no such open descriptor") }
            destination = .descriptor(number)
            return
        }
        // A link stays a link: what it points at is written.
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

    /// The reports of a run, checked one by one and against each other.
    static func check(_ reports: [RunOptions.Report], inputs: [String]) throws -> [ReportFile] {
        var taken: Set<String> = []
        return try reports.map { report in
            let file = try ReportFile(report, inputs: inputs)
            if case .file(let path) = file.destination, !taken.insert(path).inserted {
                throw BadUsage(sentence: "two reports would be written to \(report.path); give each its own file")
            }
            return file
        }
    }

    /// Writes the results of a run in the form of this report.
    ///
    /// - Throws: ``LabFailure`` that names the path as it was given.
    func write(_ results: JSONReport) throws {
        switch report.format {
        case .json: try write(try results.rendered())
        case .junit: try write(Data(JUnitReport.render(results.results, seconds: results.seconds).utf8))
        }
    }

    /// Writes the report.
    ///
    /// - Throws: ``LabFailure`` that names the path as it was given.
    func write(_ content: Data) throws {
        do {
            switch destination {
            case .file(let path): try Files.write(content, to: path, mode: 0o644)
            case .stream(let path):
                // Without waiting, because nobody may ever read a pipe.
                let file = try FileDescriptor.open(path, flags: O_WRONLY | O_NONBLOCK)
                _ = fcntl(file.rawValue, F_SETFL, fcntl(file.rawValue, F_GETFL) & ~O_NONBLOCK)
                try file.writeAll(content)
            case .descriptor(let number):
                try FileHandle(fileDescriptor: number, closeOnDealloc: false).write(contentsOf: content)
            }
        } catch {
            let isUnread = (error as? SystemError)?.errno == ENXIO
            let reason =
                isUnread ? "nobody reads this pipe" : (error as? SystemError)?.sentence ?? error.localizedDescription
            throw LabFailure("the report \(report.path) could not be written: \(reason)")
        }
    }

    /// The number of a path that stands for a descriptor of this process.
    private static func descriptor(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
                return Int32(path.dropFirst(prefix.count))
            }
            return nil
        }
    }

    /// The path without links, as far as it exists.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
