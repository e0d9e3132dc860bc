import Foundation
import LabSystem
import Synchronization
import TestSupport

@testable import LabRunner

/// A directory with a lab file and scenarios, and the runner's output about them.
struct SuiteWorkspace {
    let directory: TemporaryDirectory

    init(_ files: [String: String]) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: "\(TestFiles.directory)/Failures/lab.yaml", toPath: directory.file("lab.yaml"))
        for (name, text) in files { try write(text, to: name) }
    }

    /// Writes a file, with the directories that lead to it.
    func write(_ text: String, to name: String) throws {
        let path = directory.file(name)
        try Files.createDirectory(Files.directory(of: path))
        try Files.write(Data(text.utf8), to: path)
    }

    /// Calls a closure with options for the whole workspace, and returns all output.
    func output<Value>(
        change: (inout RunOptions) -> Void = { _ in },
        _ body: (RunOptions, @escaping @Sendable (String) -> Void) throws -> Value
    ) rethrows -> (Value, String) {
        var options = RunOptions(paths: [directory.path])
        change(&options)
        let output = Output()
        let value = try body(options) { output.append($0) }
        return (value, output.text.replacing(directory.path + "/", with: ""))
    }

    /// Runs; nothing can start, unless the environment says where the programs are.
    func run(
        environment: [String: String] = [:], change: (inout RunOptions) -> Void = { _ in }
    ) -> (RunOutcome, String) {
        output(change: change) { options, print in
            SuiteRunner(
                options: options, environment: environment, printer: ProgressPrinter(look: .plain, write: print),
                interruption: Interruption(), writeErrors: print
            ).run()
        }
    }

    /// Any thread.
    private final class Output: Sendable {
        private let content = Mutex("")
        func append(_ text: String) { content.withLock { $0 += text } }
        var text: String { content.withLock { $0 } }
    }
}
