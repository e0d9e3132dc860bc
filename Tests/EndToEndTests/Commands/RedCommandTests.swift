// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The documented exit codes of commands, each with a case that must give it.
    @Suite("Every command uses the exit codes that its help documents")
    struct RedCommandTests {
        /// A command with an exit code of its help.
        private struct Code: Hashable, CustomStringConvertible {
            let command: String
            let code: Int32
            var description: String { "\(command) \(code)" }
        }

        /// How a code is produced: Bash runs this in a folder with the files below; its status is that of its last command.
        /// Other tests verify the other codes, such as `.verifies("exit code", "run 130")`.
        private static let cases: [Code: String] = [
            Code(command: "run", code: 1): "lab run red.yaml",
            Code(command: "run", code: 3): "LAB_BIN=/nowhere lab run red.yaml",
            Code(command: "check", code: 1): "lab check broken",
            Code(command: "check", code: 3): "lab check open",
            Code(command: "format", code: 1): "lab format --check odd.yaml",
            Code(command: "merge", code: 1): "lab merge failed.json",
            Code(command: "merge", code: 3): "lab merge notRun.json",
            Code(command: "diff", code: 1):
                "lab run green.yaml && cp red.yaml green.yaml; lab run green.yaml; lab diff $(ls .lab/runs | head -1) latest",
            Code(command: "stress sharing", code: 3): "LAB_BIN=/nowhere lab stress sharing --for 1s",
            Code(command: "stress sharing", code: 130):
                "lab stress sharing --processes 2 --for 10m > out & until grep -q 'share an activation' out; do :; done; kill -INT $!; wait $!",
            Code(command: "explore", code: 130):
                "lab explore race.yaml > explored & until grep -q exploring explored; do :; done; kill -INT $!; wait $!",
            Code(command: "exec", code: 1): "lab exec main createActivation activationCode=wrong",
            Code(command: "shell", code: 1): "echo 'waitFor: { event: push.shown, within: 1ms }' | lab shell",
            Code(command: "shell", code: 3): "cat overlap | lab shell",
            Code(command: "record", code: 1):
                "echo 'waitFor: { event: push.shown, within: 1ms }' | lab record one.yaml",
            Code(command: "record", code: 3): "cat overlap | lab record other.yaml",
            Code(command: "screenshot", code: 3): "lab run green.yaml; lab screenshot --browser /bin/false",
            Code(command: "doctor", code: 3): "LAB_BIN=/nowhere lab doctor",
        ]

        /// Commands that need a running instance.
        private static let inInstance: Set = ["exec", "shell"]

        // MARK: Help

        /// A command of the help in JSON.
        private struct Help: Decodable {
            let commandName: String
            let discussion: String?
            let subcommands: [Help]?

            /// Every subcommand, by its words.
            var paths: [(words: [String], discussion: String)] {
                let below = (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { command in
                    command.paths.map { ([command.commandName] + $0.words, $0.discussion) }
                }
                return [([], discussion ?? "")] + below
            }
        }

        private static func commands() throws -> [(words: [String], discussion: String)] {
            struct Dump: Decodable { let command: Help }
            let outcome = try lab("--experimental-dump-help", in: try Workspace())
            return try JSONDecoder().decode(Dump.self, from: Data(outcome.output.utf8)).command.paths
        }

        /// The codes that a help lists after "Exit codes", except success.
        private static func codes(in discussion: String) -> [Int32] {
            guard let range = discussion.range(of: "Exit codes") else { return [] }
            return discussion[range.upperBound...].matches(of: #/\b(1|2|3|130)\b/#).compactMap { Int32($0.1) }
        }

        @Test func `Each documented code has its case or another test, and no other code has`() async throws {
            let documented = try await onThread {
                try Self.commands().flatMap { command in
                    // A wrong command line ends every command with 2; another test says so.
                    Set(Self.codes(in: command.discussion)).subtracting([2]).map {
                        Code(command: command.words.joined(separator: " "), code: $0)
                    }
                }
            }
            #expect(documented.count > 15, "\(documented)")
            Verification.check(
                "exit code", has: Set(documented.map(\.description)),
                verifiedBy: Set(Self.cases.keys.map(\.description)))
        }

        @Test func `Every command refuses unknown arguments with 2`() async throws {
            let workspace = try Workspace()
            try await onThread {
                let commands = try Self.commands()
                #expect(commands.count > 30)
                for command in commands {
                    let outcome = try LabCommand(command.words + ["--no-such-flag"], in: workspace).finish()
                    #expect(outcome.status == 2, "\(command.words): \(outcome.output)\(outcome.errors)")
                }
            }
        }

        @Test func `Each code is returned in its case`() async throws {
            let workspace = try Workspace.ofProject()
            try Self.write(to: workspace)
            try await onThread {
                for (code, script) in Self.cases.sorted(by: { $0.key.description < $1.key.description }) {
                    var up: LabCommand?
                    if Self.inInstance.contains(code.command) {
                        up = try LabCommand(["up"], in: workspace)
                        try up?.wait(for: "Ctrl-C")
                    }
                    let outcome = try Self.perform(script, in: workspace)
                    #expect(outcome.status == code.code, "\(code): \(outcome.output)\(outcome.errors)")
                    if let up {
                        #expect(try lab("down", in: workspace).status == 0)
                        _ = try up.finish()
                    }
                }
            }
            try workspace.expectNothingLeft()
        }

        private static func perform(_ script: String, in workspace: Workspace) throws -> LabCommand.Outcome {
            let folder = Files.directory(of: try ProcessTable.executablePath())
            let path = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            return try LabCommand(
                ["-c", script], in: workspace, executable: "/bin/bash", environment: ["PATH": path]
            ).finish()
        }

        // MARK: Files

        /// The files of the scripts: scenarios, reports of shards, and the records of stress runs.
        private static func write(to workspace: Workspace) throws {
            let scenario = "name: Scenario\nsteps:\n  - main: hasValidActivation\n    expect: "
            try workspace.write(scenario + "true\n", to: "red.yaml")
            try workspace.write(scenario + "false\n", to: "green.yaml")
            try workspace.write(
                "name: Race\nsteps:\n  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]\n",
                to: "race.yaml")
            try workspace.write("name:   Odd\nsteps: [ {clock: freeze} ]\n", to: "odd.yaml")
            // A branch without a command overlaps with nothing.
            try workspace.write(
                "- race:\n    - main: hasValidActivation\n    - check: 1\n      expect: 1\n\n", to: "overlap")
            for verdict in ["failed", "notRun"] {
                try workspace.write(
                    """
                    {"version":1,"seed":1,"seconds":1,"shard":{"number":1,"count":1,"suite":["a.yaml"]},"results":[
                    {"id":"a.yaml","name":"A","tags":[],"file":"a.yaml","topology":"default","round":1,"seed":1,
                    "verdict":"\(verdict)","seconds":1,"commands":0,"failures":[],"launches":{},"replay":"",
                    "directory":""}]}
                    """, to: "\(verdict).json")
            }
            for (name, complaints) in [("broken", ["the process of `app1` outlived its device"]), ("open", nil)] {
                let trace = try TraceWriter(
                    directory: "\(workspace.directory)/\(name)/round-1/traces", process: "stress", incarnation: 1)
                trace.emit(.stressEnding)
                // Without this one the record ends before the run does.
                if let complaints {
                    trace.emit(.stressEnded, ["complaints": .array(complaints.map { .string($0) })])
                }
            }
        }
    }
}
