import Foundation
import Glibc
import LabSystem

/// A running `lab` command, as a user would start it.
///
/// Any thread: `condition` guards what was printed so far.
final class LabCommand: @unchecked Sendable {
    // Safe to share: `condition` guards the texts; the process is told apart only by its pid.
    private let process = Process()
    private let pipes = (output: Pipe(), errors: Pipe())
    private let condition = NSCondition()
    private var output = ""
    private var errors = ""
    private var openStreams = 2

    /// What a finished command left.
    struct Outcome {
        /// Exit code, or the negative number of the signal that ended it.
        let status: Int32
        let output: String
        let errors: String
    }

    /// Starts `lab` with the given arguments.
    init(_ arguments: [String], in workspace: Workspace, executable: String = "lab") throws {
        let directory = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
        process.executableURL = directory.appending(path: executable)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: workspace.directory)
        var environment = ProcessInfo.processInfo.environment
        environment["LAB_RUNTIME_DIR"] = workspace.runtimeDirectory
        environment["LAB_INSTANCE"] = nil
        environment["LAB_TEST_PIN"] = "1234"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        read(pipes.output) { $0.output += $1 }
        read(pipes.errors) { $0.errors += $1 }
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Waits for the end; after `seconds` the command is killed and the wait reported as a failure.
    func finish(within seconds: Double = 60) throws -> Outcome {
        let limit = ended(within: seconds)
        if !limit { signal(SIGKILL) }
        process.waitUntilExit()
        guard limit else { throw Late(what: "the end of the command", output: text) }
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        condition.lock()
        defer { condition.unlock() }
        return Outcome(status: status, output: output, errors: errors)
    }

    /// Waits until the command has printed a text.
    func wait(for expected: String, within seconds: Double = 60) throws {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while !(output + errors).contains(expected) {
            guard openStreams > 0, condition.wait(until: deadline) else {
                throw Late(what: "'\(expected)'", output: output + errors)
            }
        }
    }

    /// Everything printed so far.
    var text: String {
        condition.lock()
        defer { condition.unlock() }
        return output + errors
    }

    private func ended(within seconds: Double) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while openStreams > 0 {
            guard condition.wait(until: deadline) else { return false }
        }
        return true
    }

    private func read(_ pipe: Pipe, _ append: @escaping @Sendable (LabCommand, String) -> Void) {
        pipe.fileHandleForReading.readabilityHandler = { [self] handle in
            let data = handle.availableData
            condition.lock()
            defer { condition.unlock() }
            if data.isEmpty {
                handle.readabilityHandler = nil
                openStreams -= 1
            } else {
                append(self, String(decoding: data, as: UTF8.self))
            }
            condition.broadcast()
        }
    }

    /// Something did not happen in time.
    struct Late: Error, CustomStringConvertible {
        let what: String
        let output: String
        var description: String { "Waited in vain for \(what). Printed so far:\n\(output)" }
    }
}

/// Runs a `lab` command to its end.
func lab(_ arguments: String..., in workspace: Workspace) throws -> LabCommand.Outcome {
    try LabCommand(arguments, in: workspace).finish()
}

/// Runs blocking work on a thread of its own, away from the cooperative pool that the test runner lives on.
func blocking<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
        runOnThread(name: "test", stackSize: 8 << 20) {
            continuation.resume(with: Result(catching: body))
        }
    }
}
