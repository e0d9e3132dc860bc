// SPDX-License-Identifier: Apache-2.0

import LabReports
import LabSystem
import ScenarioEngine
import Synchronization

// A static build of the lab's own programs has no testing library.
#if canImport(Testing)
    import Testing
#endif

/// A test that can be performed several times, each time with an instance of its own.
struct InstanceTest: Sendable {
    let cast: Lab.Cast
    let seed: UInt64
    /// The test's name, for its page.
    let name: String
    let place: ReportedPlace
    /// The test of Swift Testing, whose issues are noted; nil outside of one.
    let running: RunningTest?

    /// How a test ended.
    struct Outcome: Sendable {
        /// What went wrong first, in a sentence; nil if the test passes.
        let reason: String?
        /// What is not reported yet; nil if nothing went wrong, or all of it was an issue.
        let error: (any Error)?
        /// Where traces and logs are; nil if none were made. They are removed when the test passes.
        let directory: String?

        /// Removes the records of a test that failed.
        func removeRecords() {
            // What cannot be removed now only takes room.
            if let directory { try? Files.removeTree(directory) }
        }
    }

    /// Performs the test with an instance: started before it, gone after it. The test finds it as `Lab.current`.
    /// - Parameters:
    ///   - explored: The turns of its race; nil if the branches run at the same time.
    ///   - issues: Whether the test's issues are reported.
    func perform(
        explored: ExploredBlock? = nil, issues: Complaints.Issues = .reported(with: []),
        performing function: @Sendable (Lab) async throws -> Void
    ) async -> Outcome {
        let complaints = Complaints(issues)
        let run: TestRun
        do {
            run = try await onThread(named: "lab test") { [cast, seed] in try TestRun(cast, seed: seed) }
        } catch {
            return Outcome(reason: "\(error)", error: error, directory: nil)
        }
        do {
            let record = try await onThread(named: "lab test") { [name, place] in
                let record = try TestRecord(of: name, at: place, driving: run.instance)
                complaints.record.withLock { $0 = record }
                try run.instance.start()
                return record
            }
            let lab = Lab(instance: run.instance, record: record, explored: explored)
            try await complaints.noting(in: run.directory, running) {
                try await Lab.$running.withValue(lab) { try await function(lab) }
            }
        } catch {
            complaints.note(error)
        }
        return await onThread(named: "lab test") { complaints.end(run) }
    }
}

/// A test of Swift Testing.
struct RunningTest: Sendable {
    #if canImport(Testing)
        let test: Test
        let testCase: Test.Case?

        /// The test of the current task; nil outside of one.
        static var current: RunningTest? { Test.current.map { RunningTest(test: $0, testCase: Test.Case.current) } }

        /// Whether an error was thrown by `#require`, and is an issue already.
        static func isIssue(_ error: any Error) -> Bool { error is ExpectationFailedError }
    #else
        static var current: RunningTest? { nil }

        static func isIssue(_ error: any Error) -> Bool { false }
    #endif
}

/// What goes wrong in a test with an instance.
///
/// Thread rule: any thread; `end` blocks.
final class Complaints: Sendable {
    /// How the issues of a test are handled.
    enum Issues: Sendable {
        /// They are issues of the test, with the place of its page and some lines more.
        case reported(with: [String])
        /// They are only noted: the test is performed again if it has any.
        case held
    }

    let record = Mutex<TestRecord?>(nil)
    private let issues: Issues
    private let thrown = Mutex<(any Error)?>(nil)
    private let first = Mutex<String?>(nil)

    init(_ issues: Issues) { self.issues = issues }

    /// Runs a test; its issues are noted.
    /// - Parameter directory: Absolute path of the directory of the test's page.
    func noting(
        in directory: String, _ running: RunningTest?, _ function: @Sendable () async throws -> Void
    ) async throws {
        #if canImport(Testing)
            guard let running else { return try await function() }
            let handler: IssueHandlingTrait = .compactMapIssues { [self] issue in
                // A test with a warning or a known issue passes.
                guard issue.isFailure else { return issue }
                fail("\(issue)", at: issue.sourceLocation.map { ReportedPlace($0) })
                guard case .reported(let lines) = issues else { return nil }
                var issue = issue
                if !lines.isEmpty { issue.comments.append(Comment(rawValue: lines.joined(separator: "\n"))) }
                issue.comments.append(Comment(rawValue: "Page of the test: \(directory)/\(TestRecord.pageName)"))
                return issue
            }
            try await handler.provideScope(
                for: running.test, testCase: running.testCase, performing: function)
        #else
            try await function()
        #endif
    }

    /// The test, or the start of its instance, has thrown.
    func note(_ error: any Error) {
        thrown.withLock { $0 = error }
        if !RunningTest.isIssue(error) { fail("\(error)", at: nil) }
    }

    private func fail(_ reason: String, at place: ReportedPlace?) {
        first.withLock { $0 = $0 ?? reason }
        var lines: [String] = []
        if case .reported(let more) = issues { lines = more }
        record.withLock { $0 }?.fail(([reason] + lines).joined(separator: "\n"), at: place)
    }

    /// Ends the instance.
    func end(_ run: TestRun) -> InstanceTest.Outcome {
        let record = record.withLock { $0 }
        let reason = first.withLock { $0 }
        if reason != nil { record?.keepRequests() }
        let leftovers = run.stop(hasFailed: reason != nil)
        let thrown = thrown.withLock { $0 }
        // A page that cannot be written must not hide what went wrong.
        let page = reason != nil ? try? record?.writePage() : nil
        var error: (any Error)?
        if let thrown, !RunningTest.isIssue(thrown) {
            error = FailedInstanceTest(error: thrown, leftovers: leftovers, directory: run.directory, page: page)
        } else if !leftovers.isEmpty {
            error = InstanceLeftovers(complaints: leftovers, directory: run.directory)
        } else if let thrown {
            error = thrown
        } else if reason == nil {
            do { try run.removeRecords() } catch let failure { error = failure }
        }
        return InstanceTest.Outcome(reason: reason ?? error.map { "\($0)" }, error: error, directory: run.directory)
    }
}

#if canImport(Testing)
    extension ReportedPlace {
        init(_ location: SourceLocation) {
            self.init(file: location.filePath, line: location.line, column: location.column)
        }
    }
#endif
