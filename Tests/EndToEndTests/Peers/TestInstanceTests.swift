import Foundation
import LabKit
import LabTesting
import TestSupport
import Testing

extension EndToEnd {
    @Suite("What the instance of a test reports")
    struct TestInstanceTests {
        private struct Complaint: Error {}

        private static let nobody = TestInstance.Cast.topology(Topology(name: "nobody", devices: []))

        @Test("A body that throws is reported with its error and with the place of the records")
        func failedBody() async throws {
            let failure = try #require(
                await #expect(throws: FailedInstanceTest.self) {
                    try await TestInstance.run(Self.nobody) { _ in throw Complaint() }
                })
            defer { try? FileManager.default.removeItem(atPath: failure.directory) }
            #expect(failure.error is Complaint && failure.leftovers.isEmpty)
            #expect(FileManager.default.fileExists(atPath: failure.directory + "/traces"))
        }

        @Test("A body that succeeds leaves nothing behind and hands its value over")
        func goodBody() async throws {
            let directory = try await TestInstance.run(Self.nobody) { $0.layout.root }
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }
}
