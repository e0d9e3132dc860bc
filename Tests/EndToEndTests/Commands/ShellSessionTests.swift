import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Interactive sessions with real processes, from a terminal and from a pipe.
    @Suite("lab shell and lab record")
    struct ShellSessionTests {
        @Test("On a terminal Tab completes, Ctrl-C ends a waiting step and not the shell, and Ctrl-D ends the instance")
        func terminal() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
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

        @Test("A shell joins the running instance, and leaves it unchanged")
        func joins() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try workspace.write("server initActivation as code\n", to: "steps")
            try await onThread {
                let up = try LabCommand(["up"], in: workspace)
                try up.wait(for: "Ctrl-C")
                let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
                let shell = try LabCommand(["-c", "\(program) shell < steps"], in: workspace, executable: "/bin/bash")
                #expect(try shell.finish().output.contains("activationCode"))
                #expect(try lab("exec", "main", "hasValidActivation", in: workspace).status == 0)
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test("A shell takes a running instance or a topology, but not both")
        func instanceOrTopology() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            let outcome = try await onThread {
                try lab("shell", "--instance", "abc", "--topology", "default", in: workspace)
            }
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("write one of them"), "\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test("A failing command is explained from the records of the processes, in the shell and alone")
        func causes() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try workspace.write(
                """
                server initActivation as code
                main createActivation activationCode=${code.activationCode}
                wallet createActivation activationCode=${code.activationCode}

                """, to: "steps")
            let owner = "because `main` on `phone` is the owner of the pending operation `activation`"
            try await onThread {
                let up = try LabCommand(["up"], in: workspace)
                try up.wait(for: "Ctrl-C")
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

        @Test("The commands on the page about the shell work as shown")
        func page() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            let steps = try DocumentationPage("docs/shell.md").steps
            #expect(steps.count > 3)
            let differences = try await onThread {
                try ConsoleSession(workspace: workspace, shownPort: "0").run(steps)
            }
            #expect(differences == [])
            try workspace.expectNothingLeft()
        }
    }
}
