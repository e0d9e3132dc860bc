// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabProgram
import LabSystem
import LabTesting
import LabVocabulary

/// The time from the launch of an app to its first answer, compared with a C program that does nothing else
/// (docs/benchmarks.md).
@main
struct LaunchLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch-load", abstract: "Measures the launch of an app.")

    @Option(help: "Launches.")
    var launches = 40

    static func main() {
        Program.run(Self.self)
    }

    func validate() throws {
        guard launches > 0 else { throw ValidationError("--launches begins at 1.") }
    }

    func run() throws {
        try Lab.runBlocking { lab in
            var app: [UInt64] = []
            var plain: [UInt64] = []
            // Alternating, so that other work on the machine affects both.
            for _ in 0..<launches {
                app.append(try launch(lab.main))
                plain.append(try launchPlainProgram())
            }
            tell("an app, launched by its device: \(text(app))")
            tell("a program in C, fork and exec:  \(text(plain))")
        }
    }

    /// The app is not running before and after.
    private func launch(_ app: LabActor) throws -> UInt64 {
        try app.call(Terminate())
        let launched = try app.call(Launch())
        _ = try app.call(HasValidActivation())
        return MonotonicClock.nanoseconds() - launched.launchedAt
    }

    private func launchPlainProgram() throws -> UInt64 {
        let directory = Files.directory(of: try ProcessTable.executablePath())
        let (questions, ask) = try FileDescriptor.pipe()
        let (answers, answer) = try FileDescriptor.pipe()
        let begin = MonotonicClock.nanoseconds()
        let program = try ChildProcess.spawn(
            executable: directory + "/answering-program", standardInput: .file(questions),
            standardOutput: .file(answer))
        try ask.writeAll(Data([1]))
        guard try answers.read(count: 1) == Data([1]) else {
            throw NoAnswer()
        }
        let time = MonotonicClock.nanoseconds() - begin
        try program.signal(SIGKILL)
        _ = try program.wait()
        return time
    }

    private func text(_ times: [UInt64]) -> String {
        let sorted = times.sorted()
        func milliseconds(_ index: Int) -> String { String(format: "%.1f ms", Double(sorted[index]) / 1e6) }
        return "median \(milliseconds(sorted.count / 2)), longest \(milliseconds(sorted.count - 1))"
    }

    private func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

/// The C program has ended or sent a wrong answer.
struct NoAnswer: Error, CustomStringConvertible {
    var description: String { "the program answering-program has not answered; build all programs first" }
}
