import Foundation
import LabFile
import LabKit
import LabSystem
import TestSupport

@testable import LabRunner

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
        try await onThread {
            try withExtendedLifetime(directory) { try FakeRun(file: scenario, answers: FakeAnswers(answers)) }
        }
    }
}
