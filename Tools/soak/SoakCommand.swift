// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabProgram
import LabSystem

/// The long forms of the kills, for `make soak`.
@main
struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Kills apps, devices and servers, and proves that what they share survives.",
        subcommands: [KillMatrixCommand.self, ServerKillsCommand.self])

    static func main() {
        Signals.ignore(SIGPIPE)
        Program.run(Self.self)
    }
}

/// Writes a line without buffering, to show the progress of a long run.
func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// The error of a campaign that found something.
struct BrokenRules: Error, CustomStringConvertible {
    let count: Int

    var description: String { "breaches: \(count); the lines above describe each." }
}
