// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabReports
import LabSystem
public import LabVocabulary
import ScenarioEngine

/// The lab of a test that has the trait `.lab`, or of the body of ``run(_:seed:source:_:)``: its actors, the clock and
/// the faults of its instance.
///
/// ```swift
/// @Suite("Log in", .lab("bank"))
/// struct LogInTests {
///     @Test func `A wrong PIN is refused`() async throws {
///         let lab = try Lab.current
///         let error = try await lab.bank.failure(of: "logIn", ["pin": "0000"])
///         #expect(error.name == "wrongPIN")
///     }
/// }
/// ```
///
/// Thread rule: any task or thread. No thread of the concurrency runtime is held while something is awaited; what has a
/// form without `await` blocks in code that is not asynchronous.
@dynamicMemberLookup
public struct Lab: Sendable {
    let instance: LabInstance
    let record: TestRecord
    /// The turns of the race; nil if its branches run at the same time.
    var explored: ExploredBlock?

    @TaskLocal static var running: Lab?
    /// Notes that the code of a test may touch anything; nil outside of a branch of a race whose app takes turns.
    @TaskLocal static var touching: (@Sendable () -> Void)?

    /// The lab of the running test.
    ///
    /// - Throws: `LabFailure` in a test, or a detached task, without the trait.
    public static var current: Lab {
        get throws {
            guard let running else {
                throw LabFailure(
                    "There is no lab here. Give the test or its suite the trait `.lab`; a detached task is handed the lab."
                )
            }
            return running
        }
    }

    /// The actor of a name: `lab.main`, `lab.server`, `lab.phone`, `lab.faults`, `lab.clock`.
    public subscript(dynamicMember name: String) -> LabActor { actor(name) }

    /// The actor of a name that is not a Swift identifier.
    public func actor(_ name: String) -> LabActor {
        LabActor(name: name, record: record)
    }

    /// Where traces, logs and, after a failure, the page of the test are.
    public var records: String { instance.manifest.runDirectory }

    /// The files of the instance.
    public var layout: InstanceLayout { instance.layout }

    /// What the server reported about itself.
    ///
    /// - Throws: `LabFailure` when the server is down.
    public func serverReady() throws -> ServerReady {
        guard let ready = instance.serverReady else { throw LabFailure("The server is not ready.") }
        return ready
    }

    /// Every trace event so far, in the order of time.
    public func traceEvents() async throws -> [TraceEvent] {
        let directory = instance.manifest.tracesDirectory
        return try await onThread(named: "lab test") { try TraceReader.readAll(directory) }
    }

    // MARK: Time

    /// Moves the lab's clock forward; what became due happens, in order.
    public func advance(by duration: LabDuration) async throws {
        try await actor("clock").call(AdvanceClock { $0.by = duration })
    }

    /// Stops the lab's clock; only ``advance(by:)`` moves it.
    public func freeze() async throws {
        try await actor("clock").call(FreezeClock())
    }

    /// Waits until a condition holds, asked again after each trace event and at least every 20 ms.
    ///
    /// - Parameters:
    ///   - limit: Longest time to wait, in real time.
    ///   - what: What is waited for, for the message.
    ///   - condition: Whether it holds.
    /// - Throws: `LabFailure` when the time is over; what the condition throws.
    public func eventually(
        within limit: LabDuration = .seconds(5).stretched, _ what: String,
        _ condition: @Sendable () async throws -> Bool
    ) async throws {
        if try await condition() { return }
        let wait = try ConditionWait(within: limit, for: what, in: instance.manifest.tracesDirectory)
        defer { wait.stop() }
        while try await !condition() {
            try Task.checkCancellation()
            try await onThread(named: "lab test") { try wait.next() }
        }
    }

    // MARK: Faults

    /// Carries something out while a fault is armed, and ends the fault afterwards, even after an error.
    ///
    /// ```swift
    /// try await lab.during(ArmFault { $0.point = "http.requestSent"; $0.peer = "bank"; $0.action = .fail }) {
    ///     _ = try await lab.bank.failure(of: "showPayments")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - fault: A command that arms a fault, such as `ArmFault`.
    ///   - actor: Who takes it: `faults`, `server` or a link.
    ///   - body: The work to do under the fault.
    /// - Throws: `LabFailure` for a command that arms no fault; what `body` throws.
    public func during<Fault: Command, Value>(
        _ fault: Fault, by actor: String = "faults", _ body: () async throws -> Value
    ) async throws -> Value {
        guard let ending = Fault.info.ending else {
            throw LabFailure(
                "`\(Fault.name)` arms no fault that `during` could end; `lab steps` says which commands do.")
        }
        let owner = self.actor(actor)
        let answer = try await owner.call(Fault.name, fault.arguments().objectValue ?? [:])
        let known = Set(CommandDeclaration(ending).fields.map(\.name))
        let arguments = (answer.objectValue ?? [:]).filter { known.contains($0.key) }
        do {
            let value = try await body()
            try await owner.call(ending.name, arguments)
            return value
        } catch {
            _ = try? await owner.call(ending.name, arguments)
            throw error
        }
    }
}
