// SPDX-License-Identifier: Apache-2.0

// A static build of the lab's own programs has no testing library.
#if canImport(Testing)
    import Foundation
    import LabControl
    import LabReports
    import LabSystem
    import ScenarioEngine
    import Synchronization
    public import Testing

    extension Trait where Self == LabTrait {
        /// An instance for a test, or one for each test of a suite: started before it, gone after it, with proof that
        /// nothing is left. The test finds it as `Lab.current`. Of several traits around a test the nearest one counts.
        ///
        /// - Parameters:
        ///   - topology: A topology of the lab file; nil means the default one.
        ///   - path: The lab file; nil looks for `lab.yaml` upwards from the test's source file.
        ///   - seed: The seed of everything the lab draws.
        ///   - source: The test's source file.
        public static func lab(
            _ topology: String? = nil, at path: String? = nil, seed: UInt64 = 1, source: String = #filePath
        ) -> Self {
            LabTrait(cast: .labFile(topology, at: path, source: source), seed: seed)
        }

        /// An instance with a cast of its own; see the trait without a cast.
        public static func lab(_ cast: Lab.Cast, seed: UInt64 = 1) -> Self {
            LabTrait(cast: cast, seed: seed)
        }
    }

    /// Gives each test an instance of its own: the trait `.lab`.
    public struct LabTrait: TestTrait, SuiteTrait, TestScoping {
        let cast: Lab.Cast
        let seed: UInt64
        /// Distinguishes traits: the one nearest to a test counts.
        private let identity = UUID()

        init(cast: Lab.Cast, seed: UInt64) {
            self.cast = cast
            self.seed = seed
        }

        /// A suite hands it to its tests.
        public var isRecursive: Bool { true }

        /// Runs a test with an instance. Its issues say where the page of the test is.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            guard test.traits.compactMap({ $0 as? LabTrait }).last?.identity == identity else {
                return try await function()
            }
            let (cast, seed) = (cast, seed)
            let run = try await onThread(named: "lab test") { try TestRun(cast, seed: seed) }
            let name = test.displayName ?? test.name
            let place = ReportedPlace(test.sourceLocation)
            let complaints = Complaints()
            do {
                let record = try await onThread(named: "lab test") {
                    let record = try TestRecord(of: name, at: place, driving: run.instance)
                    complaints.record.withLock { $0 = record }
                    try run.instance.start()
                    return record
                }
                let lab = Lab(instance: run.instance, record: record)
                try await complaints.noting(in: run.directory, test, testCase) {
                    try await Lab.$running.withValue(lab, operation: function)
                }
            } catch {
                complaints.note(error)
            }
            try await onThread(named: "lab test") { try complaints.end(run) }
        }
    }

    /// What went wrong in a test with an instance.
    private final class Complaints: Sendable {
        let record = Mutex<TestRecord?>(nil)
        private let thrown = Mutex<(any Error)?>(nil)
        private let hasFailed = Mutex(false)

        /// Runs a test; its issues are noted, and get the place of the page.
        func noting(
            in directory: String, _ test: Test, _ testCase: Test.Case?,
            _ function: @Sendable () async throws -> Void
        ) async throws {
            let handler: IssueHandlingTrait = .compactMapIssues { [self] issue in
                // A test with a warning or a known issue passes.
                guard issue.isFailure else { return issue }
                fail("\(issue)", at: issue.sourceLocation.map { ReportedPlace($0) })
                var issue = issue
                issue.comments.append(Comment(rawValue: "Page of the test: \(directory)/\(TestRecord.pageName)"))
                return issue
            }
            try await handler.provideScope(for: test, testCase: testCase, performing: function)
        }

        /// The test, or the start of its instance, has thrown.
        func note(_ error: any Error) {
            thrown.withLock { $0 = error }
            // What `#require` throws is an issue already.
            if !(error is ExpectationFailedError) { fail("\(error)", at: nil) }
        }

        private func fail(_ reason: String, at place: ReportedPlace?) {
            hasFailed.withLock { $0 = true }
            record.withLock { $0 }?.fail(reason, at: place)
        }

        /// Ends the instance, and throws errors not reported yet.
        func end(_ run: TestRun) throws {
            let record = record.withLock { $0 }
            let failed = hasFailed.withLock { $0 }
            if failed { record?.keepRequests() }
            let leftovers = run.stop(hasFailed: failed)
            let error = thrown.withLock { $0 }
            // A page that cannot be written must not hide what went wrong.
            let page = failed ? try? record?.writePage() : nil
            if let error, !(error is ExpectationFailedError) {
                throw FailedInstanceTest(error: error, leftovers: leftovers, directory: run.directory, page: page)
            }
            guard leftovers.isEmpty else { throw InstanceLeftovers(complaints: leftovers, directory: run.directory) }
            if let error { throw error }
            if !failed { try run.removeRecords() }
        }
    }

    extension ReportedPlace {
        fileprivate init(_ location: SourceLocation) {
            self.init(file: location.filePath, line: location.line, column: location.column)
        }
    }
#endif
