// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Interactive sessions with real processes, from a terminal and from a pipe.
    @Suite("lab shell and lab record")
    struct ShellSessionTests {
        @Test
        func `On a terminal Tab completes, Ctrl-C ends a waiting step and not the shell, and Ctrl-D ends the instance`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            let (status, text) = try await onThread {
                let session = try TerminalSession(["shell"], in: workspace, columns: 100)
                try session.wait(for: "lab> ")
                try session.type("main hasVal\t\n")
                try session.wait(for: "false\r\nlab> ")
                try session.type("waitFor: { event: http.request, within: 5m }\n")
                // Now the terminal is in its normal mode, and Ctrl-C is a signal to its programs.
                try session.wait(for: "within: 5m }\r\n")
                // A signal before the step has no effect.
                try waitUntil("the end of the step", showing: { session.text }) {
                    try? session.signal(SIGINT)
                    return session.text.contains("interrupted: this step had waited")
                }
                // At the prompt, keys go to the editor and are not signals.
                try waitUntil("the next prompt", showing: { session.text }) { session.text.hasSuffix("lab> ") }
                try session.type("main createAct\u{3}")
                try waitUntil("an empty line", showing: { session.text }) {
                    session.text.contains("^C\r\n") && session.text.hasSuffix("lab> ")
                }
                try session.type("server initAct\t\n")
                try session.wait(for: "}\r\nlab> ")
                try session.type("\u{4}")
                return (try session.finish(), session.text)
            }
            #expect(status == 0, "\(text)")
            try workspace.expectNothingLeft()
        }

        @Test func `A shell joins the running instance, and leaves it unchanged`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("server initActivation as code\n", to: "steps")
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
                let shell = try LabCommand(["-c", "\(program) shell < steps"], in: workspace, executable: "/bin/bash")
                #expect(try shell.finish().output.contains("activationCode"))
                #expect(try lab("exec", "main", "hasValidActivation", in: workspace).status == 0)
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A restored snapshot takes the steps since out of the record`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                server initActivation as code
                snapshot before
                main createActivation activationCode=${code.activationCode}
                main hasPendingActivation
                snapshots
                restore before
                main hasPendingActivation

                """, to: "steps")
            try workspace.write("restore nothing\nmain hasValidActivation\n", to: "wrong")
            try await onThread {
                let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
                func pipe(_ file: String, to words: String) throws -> LabCommand.Outcome {
                    let line = "\(program) \(words) < \(file)"
                    return try LabCommand(["-c", line], in: workspace, executable: "/bin/bash").finish()
                }
                let recorded = try pipe("steps", to: "record found.yaml")
                #expect(recorded.status == 0, "\(recorded.output)\(recorded.errors)")
                for text in [
                    "snapshot before of ", "before  taken ", "snapshot before, and so is the record: 1 step",
                ] {
                    #expect(recorded.output.contains(text), "\(recorded.output)")
                }
                let text = try Self.text(of: "found.yaml", in: workspace)
                #expect(text.contains("main: hasPendingActivation\n    expect: false"), "\(text)")
                #expect(!text.contains("createActivation") && !text.contains("snapshot"), "\(text)")

                let wrong = try pipe("wrong", to: "shell")
                #expect(wrong.status == 2 && wrong.output.isEmpty, "\(wrong.output)\(wrong.errors)")
                #expect(wrong.errors.contains("there is no snapshot `nothing`"), "\(wrong.errors)")
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `A secret that a shell asks for is neither shown on the terminal, nor kept, nor written into a scenario`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            let secret = "kingfisher-7"
            let (status, text) = try await onThread {
                let session = try TerminalSession(
                    ["shell"], in: workspace, columns: 100, environment: ["SHELL_TEST_PIN": secret])
                try session.wait(for: "lab> ")
                for line in [
                    "server initActivation as code", "main createActivation activationCode=${code.activationCode}",
                ] { _ = try session.type("\(line)\n", until: "lab> ") }
                _ = try session.type("main persistActivation password=@-\n", until: "password: ")
                _ = try session.type("\(secret)\n", until: "lab> ")
                // The same from the environment shows that it was the password.
                for line in [
                    "server commitActivation activationId=${code.activationId}",
                    "main validatePassword password=env:SHELL_TEST_PIN",
                ] {
                    let answer = try session.type("\(line)\n", until: "lab> ")
                    #expect(!answer.contains("failed: ") && !answer.contains("error: "), "\(answer)")
                }
                #expect(try session.type("history\n", until: "lab> ").contains("main persistActivation password=@-"))
                _ = try session.type("save found\n", until: "lab> ")
                try session.type("\u{4}")
                return (try session.finish(), session.text)
            }
            #expect(status == 0 && !text.contains(secret), "\(text)")
            let history = try Self.text(of: ".lab/shell-history", in: workspace)
            #expect(history.contains("main persistActivation password=@-\n") && !history.contains(secret), "\(history)")
            let scenario = try Self.text(of: "found.yaml", in: workspace)
            #expect(scenario.contains("environment: LAB_PASSWORD") && !scenario.contains(secret), "\(scenario)")
            let records = try Self.files(below: ".lab/runs", in: workspace)
            #expect(records.count > 3)
            let written = Data(secret.utf8)
            for record in records { #expect(try Files.read(record).range(of: written) == nil, "\(record)") }
            try workspace.expectNothingLeft()
        }

        @Test
        func `exec asks for a secret without showing it, and in a file of steps the secret is the next line`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            let secret = "kingfisher-7"
            try workspace.write(
                """
                server initActivation as code
                main createActivation activationCode=${code.activationCode}
                main persistActivation password=@-
                \(secret)
                server commitActivation activationId=${code.activationId}

                """, to: "steps")
            try await onThread {
                func validate(_ password: String) throws -> (status: Int32, text: String) {
                    let command = try TerminalSession(
                        ["exec", "main", "validatePassword", "password=@-"], in: workspace, columns: 100)
                    try command.wait(for: "password: ")
                    try command.type("\(password)\n")
                    return (try command.finish(), command.text)
                }
                let up = try LabCommand.up(in: workspace)
                let program = try LabCommand.path(of: "lab")
                let shell = try LabCommand(["-c", "\(program) shell < steps"], in: workspace, executable: "/bin/bash")
                    .finish()
                #expect(shell.status == 0 && !(shell.output + shell.errors).contains(secret), "\(shell)")
                let right = try validate(secret)
                #expect(right.status == 0 && right.text == "password: \r\n", "\(right)")
                let wrong = try validate("sparrow-7")
                #expect(wrong.status == 1 && wrong.text.hasPrefix("password: \r\nerror: main: "), "\(wrong)")
                #expect(!wrong.text.contains("sparrow"), "\(wrong)")
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        private static func text(of file: String, in workspace: Workspace) throws -> String {
            String(decoding: try Files.read("\(workspace.directory)/\(file)"), as: UTF8.self)
        }

        /// The paths of all files below a directory of the workspace.
        private static func files(below directory: String, in workspace: Workspace) throws -> [String] {
            let root = "\(workspace.directory)/\(directory)"
            let names = try FileManager.default.subpathsOfDirectory(atPath: root).map { "\(root)/\($0)" }
            return names.filter { name in
                (try? FileManager.default.attributesOfItem(atPath: name))?[.type] as? FileAttributeType == .typeRegular
            }
        }

        @Test func `A shell takes a running instance or a topology, but not both`() async throws {
            let workspace = try Workspace.ofProject()
            let outcome = try await onThread {
                try lab("shell", "--instance", "abc", "--topology", "default", in: workspace)
            }
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("write one of them"), "\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test
        func `A failing command is explained from the records of the processes, in the shell and alone`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                server initActivation as code
                main createActivation activationCode=${code.activationCode}
                wallet createActivation activationCode=${code.activationCode}

                """, to: "steps")
            let owner = "because `main` on `phone` is the owner of the pending operation `activation`"
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let refused = try lab(
                    "exec", "main", "createActivation", "activationCode=MMMMM-MMMMM-MMMMM-MUTOA", in: workspace)
                #expect(
                    refused.errors.contains("  because the server refused `/pa/v3/activation/create` with "),
                    "\(refused.errors)")
                let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
                let shell = try LabCommand(["-c", "\(program) shell < steps"], in: workspace, executable: "/bin/bash")
                    .finish()
                #expect(shell.status == 1)
                #expect(shell.errors.contains("  \(owner)\n"), "\(shell.errors)")
                let alone = try lab(
                    "exec", "wallet", "createActivation", "activationCode=AAAAA-AAAAA-AAAAA-AAAAA", in: workspace)
                #expect(alone.status == 1)
                #expect(alone.errors.contains("  \(owner)\n"), "\(alone.errors)")
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `The commands on the page about the shell work as shown`() async throws {
            let workspace = try Workspace.ofProject()
            let steps = try DocumentationPage("docs/shell.md").steps
            #expect(steps.count > 3)
            try await ConsoleSession.check(steps, in: workspace, shownPort: "0")
            try workspace.expectNothingLeft()
        }
    }
}
