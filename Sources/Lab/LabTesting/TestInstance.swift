import Foundation
import LabFile
public import LabKit
import LabRunner
import LabSystem

/// An instance for one test: started before the test's body, removed after it, with proof that nothing is left.
///
/// ```swift
/// try await TestInstance.run { lab in
///     let code = try lab.server.call(InitActivation.self, .init())
///     _ = try lab.main.call(CreateActivation.self, .init(activationCode: code.activationCode))
/// }
/// ```
///
/// Thread rule: any thread. Every call blocks; the asynchronous entry runs the body on a thread of its own, so
/// that nothing blocks the concurrency runtime.
@dynamicMemberLookup
public final class TestInstance: Sendable {
    private let instance: LabInstance

    init(_ instance: LabInstance) {
        self.instance = instance
    }

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

    /// Runs a test's body in an instance, on a thread of its own.
    ///
    /// - Parameters:
    ///   - cast: The actors; by default the default topology of the nearest `lab.yaml`.
    ///   - seed: The seed of everything the lab draws.
    ///   - source: The test's source file.
    ///   - body: The test; it may block.
    /// - Returns: What the body returned.
    /// - Throws: ``FailedInstanceTest`` with what the body threw, or with why the instance did not start;
    ///   ``InstanceLeftovers`` when the body succeeded and an app has died by itself, or the instance was not clean
    ///   afterwards; `LabFailure` without such a topology, or without a program to start.
    public static func run<Value: Sendable>(
        _ cast: Cast? = nil, seed: UInt64 = 1, source: String = #filePath,
        _ body: @escaping @Sendable (TestInstance) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            runOnThread(name: "lab test") {
                continuation.resume(with: Result { try runBlocking(cast, seed: seed, source: source, body) })
            }
        }
    }

    /// The same for callers that may block; see ``run(_:seed:source:_:)``.
    public static func runBlocking<Value>(
        _ cast: Cast? = nil, seed: UInt64 = 1, source: String = #filePath, _ body: (TestInstance) throws -> Value
    ) throws -> Value {
        let run = try TestRun(cast ?? .labFile(source: source), seed: seed)
        let outcome: Result<Value, any Error>
        do {
            try run.instance.start()
            outcome = .success(try body(TestInstance(run.instance)))
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

    /// The actor of a name: `lab.main`, `lab.server`, `lab.phone`.
    public subscript(dynamicMember name: String) -> TestActor { actor(name) }

    /// The actor of a name that is not a Swift identifier.
    public func actor(_ name: String) -> TestActor {
        TestActor(name: name, connection: instance.connection)
    }

    /// What the server reported about itself.
    ///
    /// - Throws: `LabFailure` when it is not ready, which cannot happen inside a test's body.
    public func serverReady() throws -> ServerReady {
        guard let ready = instance.serverReady else { throw LabFailure("The server is not ready.") }
        return ready
    }

    /// The instance's files.
    public var layout: InstanceLayout { instance.layout }

    /// Every trace event so far, in the order of time.
    public func traceEvents() throws -> [TraceEvent] {
        try TraceReader.readAll(instance.manifest.tracesDirectory)
    }

    /// How long each app took from being spawned to its first answer, in nanoseconds.
    public var launchTimes: [String: UInt64] { instance.launchTimes }

    /// Waits until a condition holds, asked again after each trace event and at least every 20 ms.
    ///
    /// - Parameters:
    ///   - limit: Longest time to wait, in real time.
    ///   - what: What is waited for, for the message.
    ///   - condition: Whether it holds.
    /// - Throws: `LabFailure` when the time is over.
    public func eventually(
        within limit: LabDuration = .seconds(5).stretched, _ what: String, _ condition: () throws -> Bool
    ) throws {
        try ConditionWait(tracesDirectory: instance.manifest.tracesDirectory).wait(
            within: limit, what, until: condition)
    }
}
