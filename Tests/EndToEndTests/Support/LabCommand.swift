// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import Synchronization
import TestSupport
import Testing

/// A running `lab` command, as a user would start it.
///
/// Any thread: a condition guards the output so far.
final class LabCommand: Sendable {
    /// The result of a finished command.
    struct Outcome {
        /// Exit code, or the negative number of the signal that ended it.
        let status: Int32
        let output: String
        let errors: String
    }

    private let process: ChildProcess
    private let printed: Printed

    /// Starts `lab`, another executable of the lab by its name, or any program by its absolute path.
    init(
        _ arguments: [String], in workspace: Workspace, executable: String = "lab",
        environment additions: [String: String] = [:]
    ) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["LAB_RUNTIME_DIR"] = workspace.runtimeDirectory
        environment["LAB_INSTANCE"] = nil
        environment["LAB_TEST_PIN"] = "1234"
        environment.merge(additions) { $1 }
        // The read ends are close-on-exec: a longer-lived command must not keep another's output open.
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        process = try ChildProcess.spawn(
            executable: Self.path(of: executable), arguments: arguments,
            environment: environment,
            directory: workspace.directory, standardOutput: .file(output.writing),
            standardError: .file(errors.writing), deathSignal: SIGKILL)
        let printed = Printed()
        self.printed = printed
        for (stream, pipe) in [(Printed.Stream.output, output.reading), (.errors, errors.reading)] {
            runOnThread(name: "output") {
                while let data = try? pipe.read(count: 65_536), !data.isEmpty { printed.append(data, to: stream) }
                printed.close()
            }
        }
    }

    /// The path of a program of the build, or the absolute path itself.
    static func path(of executable: String) throws -> String {
        let directory = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
        return URL(filePath: executable, relativeTo: directory).path
    }

    deinit {
        // A test that gave up must not leave its command running.
        try? process.signal(SIGKILL)
    }

    var pid: Int32 { process.pid }

    func signal(_ number: Int32) throws { try process.signal(number) }

    /// Waits for the end. A command without new output for this time is killed, and the wait fails: a busy machine
    /// makes a long run slow, but not silent.
    func finish(silentFor limit: LabDuration = .minutes(2).stretched) throws -> Outcome {
        var told = -1
        var ended = try process.wait(timeoutNanoseconds: 0)
        while ended == nil, printed.count > told {
            told = printed.count
            ended = try process.wait(timeoutNanoseconds: limit.nanoseconds)
        }
        guard let status = ended else {
            try process.signal(SIGKILL)
            _ = try process.wait()
            throw Late(what: "the end of the command", output: text)
        }
        try printed.waitForEnd(within: .seconds(20).stretched)
        let code: Int32 =
            switch status {
            case .exited(let code): code
            case .signaled(let number): -number
            }
        return Outcome(status: code, output: printed.text(of: .output), errors: printed.text(of: .errors))
    }

    /// Starts a lab that stays, and waits until it is ready.
    static func up(in workspace: Workspace) throws -> LabCommand {
        let up = try LabCommand(["up"], in: workspace)
        try up.wait(for: "Ctrl-C")
        return up
    }

    /// Runs a command to its end, on a thread of its own.
    static func run(
        _ arguments: [String], in workspace: Workspace, executable: String = "lab", environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await onThread {
            try LabCommand(arguments, in: workspace, executable: executable, environment: environment).finish()
        }
    }

    /// Runs a scenario with the project's topology, and expects that nothing is left of it.
    static func run(scenario: String) async throws -> Outcome {
        let workspace = try Workspace.ofProject()
        try workspace.write(scenario, to: "scenario.yaml")
        let outcome = try await run(["run", "scenario.yaml"], in: workspace)
        try workspace.expectNothingLeft()
        return outcome
    }

    /// Waits until the command has printed a text.
    func wait(for expected: String, within limit: LabDuration = .minutes(2).stretched) throws {
        try printed.wait(for: expected, within: limit)
    }

    /// Everything printed so far.
    var text: String { printed.text(of: .output) + printed.text(of: .errors) }

    /// A condition was not met in time.
    struct Late: Error, CustomStringConvertible {
        let what: String
        let output: String
        var description: String { "Waited in vain for \(what). Printed so far:\n\(output)" }
    }
}

/// What a command has printed so far.
private final class Printed: @unchecked Sendable {
    // Safe to share: `condition` guards both mutable members.
    enum Stream: CaseIterable {
        case output
        case errors
    }

    private let condition = NSCondition()
    private var texts: [Stream: Data] = [:]
    private var openStreams = Stream.allCases.count

    func append(_ data: Data, to stream: Stream) {
        condition.withLock {
            texts[stream, default: Data()].append(data)
            condition.broadcast()
        }
    }

    func close() {
        condition.withLock {
            openStreams -= 1
            condition.broadcast()
        }
    }

    /// The bytes of all streams.
    var count: Int { condition.withLock { texts.values.reduce(0) { $0 + $1.count } } }

    func text(of stream: Stream) -> String {
        condition.withLock { String(decoding: texts[stream, default: Data()], as: UTF8.self) }
    }

    func wait(for expected: String, within limit: LabDuration) throws {
        let wanted = Data(expected.utf8)
        try wait(for: "'\(expected)'", within: limit) { texts.values.contains { $0.range(of: wanted) != nil } }
    }

    func waitForEnd(within limit: LabDuration) throws {
        try wait(for: "the end of the output", within: limit) { openStreams == 0 }
    }

    private func wait(for what: String, within limit: LabDuration, until condition: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: limit.seconds)
        self.condition.lock()
        defer { self.condition.unlock() }
        while !condition() {
            guard self.condition.wait(until: deadline) else {
                let output = Stream.allCases.map { String(decoding: texts[$0, default: Data()], as: UTF8.self) }
                throw LabCommand.Late(what: what, output: output.joined())
            }
        }
    }
}

/// Runs a `lab` command to its end.
func lab(_ arguments: String..., in workspace: Workspace) throws -> LabCommand.Outcome {
    try LabCommand(arguments, in: workspace).finish()
}
