import Foundation
import LabTesting
import TestSupport
import Testing

/// Whether this process was started to run failing tests.
enum FailingRun {
    static let variable = "LAB_FAILING_TEST"
    static let isWanted = ProcessInfo.processInfo.environment[variable] != nil
}

extension EndToEnd {
    /// ``LabTraitTests`` runs this in a separate process and checks the output of failures.
    @Suite("Tests that fail in a lab", .enabled(if: FailingRun.isWanted), .lab())
    struct FailingLabTest {
        @Test("An expectation is not met")
        func expectation() async throws {
            let lab = try Lab.current
            _ = try await lab.main.failure(of: ValidatePassword { $0.password = "hunter22" })
            #expect(try await lab.main.call(HasValidActivation()))
        }

        @Test("A requirement is not met")
        func requirement() async throws {
            let lab = try Lab.current
            let isActive = try await lab.main.call(HasValidActivation())
            try #require(isActive)
        }

        @Test("A command fails")
        func thrown() async throws {
            try await Lab.current.main.call(PersistActivation { $0.password = "1234" })
        }
    }
}
