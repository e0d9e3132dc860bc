// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import Synchronization
import TestSupport

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// Places beside the tests.
enum TestFiles {
    /// The folder of this test target.
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path

    /// The folders in a folder of this test target, sorted.
    static func cases(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
        return names.filter { !$0.contains(".") }.sorted()
    }
}

/// A scenario in a folder with other files; the folder is deleted with the value.
struct ScenarioFolder {
    private let directory: TemporaryDirectory
    private let scenario: SourceFile

    init(_ scenario: String, beside files: [String: String] = [:]) throws {
        directory = try TemporaryDirectory()
        self.scenario = SourceFile(path: directory.file("scenario.yaml"), text: scenario)
        for (name, text) in files { try Files.write(Data(text.utf8), to: directory.file(name)) }
        try Files.write(Data(scenario.utf8), to: self.scenario.path)
    }

    /// Reads the scenario for the topology of Failures/lab.yaml.
    func read(settings: [String: String] = [:]) -> SuiteReader.Outcome {
        withExtendedLifetime(directory) {
            SuiteReader(
                labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: [:], settings: settings
            ).read([scenario.path])
        }
    }

    /// Runs the scenario against prepared answers.
    func run(answers: [String: [JSONValue]] = [:]) async throws -> FakeRun {
        defer { withExtendedLifetime(directory) {} }
        return try await FakeRun(file: scenario, answers: FakeAnswers(answers))
    }
}

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
        environment: [String: String] = [:], interruption: Interruption = Interruption(),
        change: (inout RunOptions) -> Void = { _ in }
    ) -> (RunOutcome, String) {
        output(change: change) { options, print in
            SuiteRunner(
                options: options, environment: environment, printer: ProgressPrinter(look: .plain, write: print),
                interruption: interruption, writeErrors: print
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
