// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabSystem

/// A system program that does something better than own code would: git, tar.
package enum ToolCall {
    /// Runs a program from the `PATH` to its end.
    /// - Parameter words: The program's name and its arguments.
    /// - Returns: Its output; nil if it has failed.
    /// - Throws: ``BadUsage`` if the program does not exist.
    package static func output(of words: [String]) throws -> Data? {
        let (process, output) = try start(words)
        let printed = try output.readToEnd()
        let status = try process.wait()
        // The exit code of `env` for a missing program.
        if status == .exited(127) { throw BadUsage(sentence: "there is no program `\(words[0])` on the PATH") }
        return status == .exited(0) ? printed : nil
    }

    /// The writing end of the pipe is closed at the end of this function; otherwise reading would never end.
    private static func start(_ words: [String]) throws -> (ChildProcess, FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        let process = try ChildProcess.spawn(
            executable: "/usr/bin/env", arguments: words, standardOutput: .file(pipe.writing), standardError: .null)
        return (process, pipe.reading)
    }
}
