internal import Foundation
internal import LabSystem

/// A program of the system that does something better than own code would: git, tar.
enum ToolCall {
    /// Runs a program that is found on the `PATH`, to its end.
    ///
    /// - Parameter words: The program's name and its arguments.
    /// - Returns: What it printed; nil when it has failed.
    /// - Throws: ``BadUsage`` when there is no such program.
    static func output(of words: [String]) throws -> Data? {
        let (process, output) = try start(words)
        let printed = try output.readToEnd()
        let status = try process.wait()
        // What `env` says about a program that is missing.
        if status == .exited(127) { throw BadUsage(sentence: "there is no program `\(words[0])` on the PATH") }
        return status == .exited(0) ? printed : nil
    }

    /// The writing end of the pipe is closed with the end of this function, or reading would never end.
    private static func start(_ words: [String]) throws -> (ChildProcess, FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        let process = try ChildProcess.spawn(
            executable: "/usr/bin/env", arguments: words, standardOutput: .file(pipe.writing), standardError: .null)
        return (process, pipe.reading)
    }
}
