// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabFile
import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

// The same lab without the trait, with calls that block: for XCTest and for programs.
extension Lab {
    /// Which actors an instance has.
    public struct Cast: Sendable {
        let resolve: @Sendable () throws -> (Topology, labFile: String?)

        /// A topology made in the test.
        public static func topology(_ topology: Topology) -> Cast {
            Cast { (topology, nil) }
        }

        /// A topology of a lab file.
        ///
        /// - Parameters:
        ///   - name: The topology; nil means the default one.
        ///   - path: The lab file; nil looks for `lab.yaml` upwards from the test's source file.
        ///   - source: The test's source file.
        public static func labFile(
            _ name: String? = nil, at path: String? = nil, source: String = #filePath
        ) -> Cast {
            Cast {
                let reading = SuiteReader(labPath: path).readLabFile(near: source)
                let collector = DiagnosticCollector()
                guard let labFile = reading.labFile,
                    let topology = labFile.topology(
                        named: name, at: SourcePlace(.start, in: labFile.file), overrides: nil, reporting: collector)
                else {
                    throw LabFailure(DiagnosticRenderer().render(reading.diagnostics + collector.diagnostics))
                }
                return (topology, labFile.file.path)
            }
        }
    }

    /// Runs a body with an instance of its own: started before it, gone after it, with proof that nothing is left.
    ///
    /// ```swift
    /// try await Lab.run { lab in
    ///     let code = try lab.server.call(InitActivation { $0.userId = "alice" })
    ///     try lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - cast: The actors; by default the default topology of the nearest `lab.yaml`.
    ///   - seed: The seed of everything the lab draws.
    ///   - source: The source file of the caller.
    ///   - body: The work, on a thread of its own; it may block.
    /// - Returns: What the body returned.
    /// - Throws: ``FailedInstanceTest`` with what the body threw, or with why the instance did not start;
    ///   ``InstanceLeftovers`` when the body succeeded and an app has died by itself, or the instance was not clean
    ///   afterwards; `LabFailure` without such a topology, or without a program to start.
    public static func run<Value: Sendable>(
        _ cast: Cast? = nil, seed: UInt64 = 1, source: String = #filePath,
        _ body: @escaping @Sendable (Lab) throws -> Value
    ) async throws -> Value {
        try await onThread(named: "lab test") { try runBlocking(cast, seed: seed, source: source, body) }
    }

    /// The same for callers that may block; see ``run(_:seed:source:_:)``.
    public static func runBlocking<Value>(
        _ cast: Cast? = nil, seed: UInt64 = 1, source: String = #filePath, _ body: (Lab) throws -> Value
    ) throws -> Value {
        let run = try TestRun(cast ?? .labFile(source: source), seed: seed)
        let outcome: Result<Value, any Error>
        do {
            let place = ReportedPlace(file: source, line: 1, column: 1)
            let record = try TestRecord(of: "Lab.run", at: place, driving: run.instance)
            try run.instance.start()
            outcome = .success(try body(Lab(instance: run.instance, record: record)))
        } catch {
            outcome = .failure(error)
        }
        let leftovers = run.stop(hasFailed: (try? outcome.get()) == nil)
        switch outcome {
        case .success(let value) where leftovers.isEmpty:
            try run.removeRecords()
            return value
        case .success:
            throw InstanceLeftovers(complaints: leftovers, directory: run.directory)
        case .failure(let error):
            throw FailedInstanceTest(error: error, leftovers: leftovers, directory: run.directory)
        }
    }

    /// Every trace event so far, in the order of time. Blocks.
    public func traceEvents() throws -> [TraceEvent] {
        try TraceReader.readAll(instance.manifest.tracesDirectory)
    }

    /// Waits until a condition holds, asked again after each trace event and at least every 20 ms. Blocks.
    ///
    /// - Parameters:
    ///   - limit: Longest time to wait, in real time.
    ///   - what: What is waited for, for the message.
    ///   - condition: Whether it holds.
    /// - Throws: `LabFailure` when the time is over; what the condition throws.
    @_disfavoredOverload  // Otherwise a condition without `await` would choose it in asynchronous code, too.
    public func eventually(
        within limit: LabDuration = .seconds(5).stretched, _ what: String, _ condition: () throws -> Bool
    ) throws {
        if try condition() { return }
        let wait = try ConditionWait(within: limit, for: what, in: instance.manifest.tracesDirectory)
        defer { wait.stop() }
        while try !condition() { try wait.next() }
    }
}
