// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Interactive use: one terminal holds the instance, others inspect it and inject faults.
    @Suite("lab up")
    struct LabUpTests {
        @Test
        func `An instance runs six executables, answers outside commands, and reports and restarts a killed peer`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)

                let executables = Set(
                    try (workspace.processes().map(\.pid) + [up.pid]).map {
                        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
                    })
                #expect(
                    Set(executables.map { URL(filePath: $0).lastPathComponent }) == [
                        "lab", "lab-server", "device-agent", "main-app", "app-extension", "watch-companion",
                    ])

                let fresh = try lab("exec", "main", "hasValidActivation", in: workspace)
                #expect(fresh.status == 0, "\(fresh.errors)")
                #expect(fresh.output.trimmingCharacters(in: .whitespacesAndNewlines) == "false")

                try activate(in: workspace)
                let main = try #require(
                    workspace.processes().first {
                        $0.commandLine.contains("main-app") && $0.commandLine.contains("--as main")
                    })
                kill(main.pid, SIGKILL)
                try up.wait(for: "SIGKILL")
                let dead = try lab("exec", "main", "hasValidActivation", in: workspace)
                #expect(dead.status != 0)
                #expect(dead.errors.contains("main"), "\(dead.errors)")

                let relaunch = try lab("exec", "main", "relaunch", in: workspace)
                #expect(relaunch.status == 0, "\(relaunch.errors)")
                let back = try lab("exec", "main", "hasValidActivation", in: workspace)
                #expect(back.output.trimmingCharacters(in: .whitespacesAndNewlines) == "true", "\(back.errors)")

                let list = try lab("ps", in: workspace)
                for name in ["main", "wallet", "widget", "companion", "phone", "watch", "server"] {
                    #expect(list.output.contains(name), "\(list.output)")
                }

                try up.signal(SIGINT)
                let ended = try up.finish()
                #expect(ended.status == 0 || ended.status == 130, "\(ended.errors)")
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `lab ps reports a suspended app and an agent that does not answer, and lists the rest`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                #expect(try lab("exec", "wallet", "suspend", in: workspace).status == 0)
                let agent = try #require(
                    workspace.processes().first {
                        $0.commandLine.contains("device-agent") && $0.commandLine.contains("--device watch")
                    })
                kill(agent.pid, SIGSTOP)
                defer { kill(agent.pid, SIGCONT) }
                let list = try lab("ps", in: workspace)
                #expect(list.output.contains("watch  its agent does not answer"), "\(list.output)")
                #expect(list.output.contains("wallet on phone  suspended"), "\(list.output)")
                #expect(list.output.contains("main on phone  running"), "\(list.output)")
                let document = try JSONValue.parse(Data(try lab("ps", "--json", in: workspace).output.utf8))
                #expect(document["version"] == 1)
                let instance = try #require(document["instances"]?.arrayValue?.first)
                #expect(instance["server"]?["state"] == "running" && instance["topology"] == "default")
                let devices = instance["devices"]?.arrayValue ?? []
                #expect(devices.first { $0["name"] == "watch" }?["state"] == "silent")
                let phone = try #require(devices.first { $0["name"] == "phone" })
                let wallet = try #require(phone["processes"]?.arrayValue?.first { $0["app"] == "wallet" })
                #expect(wallet["state"] == "suspended" && wallet["pid"]?.integerValue ?? 0 > 0)
                kill(agent.pid, SIGCONT)
                try up.signal(SIGINT)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `lab down ends an instance from another terminal`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let down = try lab("down", in: workspace)
                #expect(down.status == 0, "\(down.errors)")
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A peer started by hand joins the instance, and its death is reported`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                _ = try lab("exec", "wallet", "kill", in: workspace)
                let byHand = try LabCommand(
                    ["--lab", "lab.yaml", "--as", "wallet"], in: workspace, executable: "main-app")
                try waitUntil("the app answers", showing: { byHand.text + up.text }) {
                    try lab("exec", "wallet", "canStartActivation", in: workspace).status == 0
                }
                let second = try LabCommand(
                    ["--lab", "lab.yaml", "--as", "wallet"], in: workspace, executable: "main-app"
                ).finish()
                #expect(second.status != 0)
                #expect(second.errors.contains("wallet"), "\(second.errors)")
                try byHand.signal(SIGKILL)
                _ = try byHand.finish()
                try up.wait(for: "wallet")

                #expect(try lab("exec", "wallet", "uninstall", in: workspace).status == 0)
                let uninstalled = try LabCommand(
                    ["--lab", "lab.yaml", "--as", "wallet"], in: workspace, executable: "main-app"
                ).finish()
                #expect(uninstalled.status != 0)
                #expect(uninstalled.errors.contains("not installed on `phone`"), "\(uninstalled.errors)")
                try up.signal(SIGINT)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func
            `The prompt of a peer on a terminal edits, completes and remembers lines, and takes answers to its dialogs`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                _ = try lab("exec", "main", "kill", in: workspace)
                let words = ["--lab", "lab.yaml", "--as", "main"]
                let byHand = try TerminalSession(words, in: workspace, columns: 100, program: "main-app")
                try byHand.wait(for: "main> ")
                // Each line is answered before the next one is typed.
                func say(_ line: String, answer: String = "main> ") throws -> String {
                    try byHand.type(line, until: answer)
                }
                #expect(try say("canStartAct\t\n").contains("true\r\n"))
                for line in [
                    "phone enrolBiometry", "server initActivation as code",
                    "createActivation activationCode=${code.activationCode}",
                    "persistActivation password=\"1234\" biometry=true",
                    "server commitActivation activationId=${code.activationId}",
                ] { #expect(!(try say("\(line)\n").contains("error:")), "\(byHand.text)") }
                #expect(try say("fetchActivationStatus\n").contains("\"active\""))

                #expect(try say("biometrySignature uriId=/x\n", answer: "answer main> ").contains("main asks for you"))
                let wrong = try say("yes\n", answer: "answer main> ")
                #expect(wrong.contains("`yes` is not an answer; possible answers are `success`"), "\(wrong)")
                #expect(try say("success\n").contains("X-PowerAuth-Authorization"), "\(byHand.text)")
                #expect(try say("history\n").contains("biometrySignature uriId=/x"))
                // The arrow key recalls the last line.
                #expect(try say("hasBiometryFactor\n").contains("true\r\n"))
                #expect(try say("\u{1B}[A\n").contains("true\r\n"), "\(byHand.text)")

                // A peer's death ends its prompt, and the end of a prompt ends its peer.
                _ = try lab("exec", "main", "kill", in: workspace)
                #expect(try byHand.finish() == -SIGKILL)
                let again = try TerminalSession(words, in: workspace, columns: 100, program: "main-app")
                try again.wait(for: "main> ")
                #expect(try lab("exec", "main", "hasValidActivation", in: workspace).output == "true\n")
                try again.type("\u{4}")
                #expect(try again.finish() == 0, "\(again.text)")
                #expect(try lab("exec", "main", "hasValidActivation", in: workspace).status != 0)
                try up.signal(SIGINT)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `A peer takes commands and answers to its dialogs from a pipe, and commands for an app that runs already`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                func read(_ lines: String, by program: String, _ words: String) throws -> LabCommand.Outcome {
                    try workspace.write(lines, to: "lines")
                    let line = "\(try LabCommand.path(of: program)) \(words) < lines"
                    return try LabCommand(["-c", line], in: workspace, executable: "/bin/bash").finish()
                }
                let up = try LabCommand.up(in: workspace)
                let prepared = try read(
                    """
                    phone enrolBiometry
                    server initActivation as code
                    main createActivation activationCode=${code.activationCode}
                    main persistActivation password="1234" biometry=true
                    server commitActivation activationId=${code.activationId}

                    """, by: "lab", "shell")
                #expect(prepared.status == 0, "\(prepared.errors)")
                _ = try lab("exec", "main", "kill", in: workspace)

                // Without a person at the terminal the dialog is cancelled.
                let words = "--lab lab.yaml --as main"
                let left = try read("", by: "main-app", "\(words) biometrySignature uriId=/x")
                #expect(left.status == 1 && left.errors.contains("error: biometryCancel: "), "\(left.errors)")

                let lines = """
                    help

                    createActivatoin
                    biometrySignature uriId=/x prompt='Pay now'
                    yes
                    success
                    hasValidActivation
                    quit
                    help

                    """
                let prompt = try read(lines, by: "main-app", "\(words) --prompt")
                #expect(prompt.status == 0)
                #expect(prompt.output.components(separatedBy: "\ncreateActivation  ").count == 2, "\(prompt.output)")
                #expect(prompt.errors.contains("createActivation"), "\(prompt.errors)")
                #expect(prompt.output.contains("main asks for you: Pay now\nanswer with one of success, mismatch, "))
                #expect(prompt.output.contains("X-PowerAuth-Authorization"), "\(prompt.output)\(prompt.errors)")
                #expect(prompt.output.hasSuffix("}\ntrue\n"), "\(prompt.output)")

                let companion = try read(
                    "help\nhasValidActivation\n", by: "watch-companion", "--lab lab.yaml --as companion --prompt")
                #expect(companion.status == 0, "\(companion.errors)")
                #expect(companion.output.contains("\nupdateActivationStatus  "), "\(companion.output)")
                #expect(!companion.output.contains("\ncreateActivation  "), "\(companion.output)")
                let asked = try lab("exec", "companion", "hasValidActivation", in: workspace)
                #expect(asked.status == 0 && companion.output.hasSuffix("\n\(asked.output)"), "\(companion.output)")
                try up.signal(SIGINT)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `exec without an instance says how to start one`() async throws {
            let workspace = try Workspace.ofProject()
            let outcome = try await onThread { try lab("exec", "main", "hasValidActivation", in: workspace) }
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("lab up"), "\(outcome.errors)")
        }

        private func activate(in workspace: Workspace) throws {
            let created = try lab("exec", "server", "initActivation", "userId=alice", in: workspace)
            let object = try JSONSerialization.jsonObject(with: Data(created.output.utf8)) as? [String: Any]
            let code = try #require(object?["activationCode"] as? String, "\(created.output)\(created.errors)")
            let exchange = try lab("exec", "main", "createActivation", "activationCode=\(code)", in: workspace)
            #expect(exchange.status == 0, "\(exchange.errors)")
            let persist = try LabCommand(
                ["exec", "main", "persistActivation", "password=env:LAB_TEST_PIN"], in: workspace
            )
            .finish()
            #expect(persist.status == 0, "\(persist.errors)")
        }
    }
}
