// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// The app is `Tools/sample-app`, a program like those of a user's package.
    @Suite("A custom app in the lab")
    struct OwnAppTests {
        static func workspace() throws -> Workspace {
            let workspace = try Workspace()
            try workspace.writeTopology(
                of: "sample", playedBy: try LabCommand.path(of: "sample-app"), "settings: { word: Good day }")
            return workspace
        }

        private static func run(_ steps: String) async throws -> LabCommand.Outcome {
            let workspace = try workspace()
            try workspace.write("name: Sample\nsteps:\n\(steps)\n", to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            try workspace.expectNothingLeft()
            return outcome
        }

        @Test
        func `It answers its own and the lab's commands, on one SDK object, with the settings of the lab file`()
            async throws
        {
            let outcome = try await Self.run(
                """
                  - sample: isActivated
                    expect: false
                  - server: initActivation
                    as: code
                  - sample: createActivation
                    with: { activationCode: "${code.activationCode}" }
                  - sample: persistActivation
                    with: { password: "1234" }
                  - server: commitActivation
                    with: { activationId: "${code.activationId}" }
                  - sample: isActivated
                    expect: true
                  - sample: fingerprint
                    with: { code: "1234" }
                    expect: sample
                  - sample: fingerprint
                    with: { code: "0000" }
                    fails: any
                  - sample: greet
                    with: { name: Alice }
                    expect: { exactly: { text: "Good day, Alice", times: 1 } }
                  - sample: unlock
                    with: { code: "1234" }
                  - sample: unlock
                    with: { code: "0000" }
                    fails: { code: wrongCode, domain: SampleError, message: The code is wrong. }
                """)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `While one of its commands waits, another starts; its log is in the trace`() async throws {
            let outcome = try await Self.run(
                """
                  - parallel:
                      - - sample: waitForWord
                          expect: hello
                      - - waitFor: { event: log, peer: sample, where: { message: waiting } }
                        - sample: say
                          with: { word: hello }
                """)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test(arguments: [["first", "second", "second", "first"], ["first", "second", "first", "second"]])
        func `An order holds it at its checkpoint while another app continues`(words: [String]) async throws {
            let workspace = try Workspace()
            let program = try LabCommand.path(of: "sample-app")
            try workspace.writeTopology(of: "first", "second", playedBy: program)
            var seen: Set<String> = []
            let turns = words.map { "\($0): \(seen.insert($0).inserted ? "start" : "checkpoint.between-words")" }
            let logged = words.map { "{ event: log, peer: \($0), where: { message: \($0) } }" }
            try workspace.write(
                """
                name: Words
                steps:
                  - parallel:
                      - first: sayTwice
                        with: { word: first }
                      - second: sayTwice
                        with: { word: second }
                    order: [\(turns.map { "{ \($0) }" }.joined(separator: ", "))]
                  - order: [\(logged.joined(separator: ", "))]

                """, to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test func `If it dies, the step reports it, and the lab's own commands relaunch it`() async throws {
            let outcome = try await Self.run(
                """
                  - sample: crash
                    fails: peerDied
                  - sample: launch
                  - sample: greet
                    with: { name: Bob, times: 3 }
                    expect: { times: 3 }
                """)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test
        func `Exec, steps and a process started by hand accept its commands; other programs cannot run as it`()
            async throws
        {
            let workspace = try Self.workspace()
            try await onThread {
                let steps = try lab("steps", in: workspace)
                #expect(steps.output.contains("Commands of `sample`, played by sample-app, beside those of an app"))
                #expect(steps.output.contains("    times: integer, 1 to 3, default 1. How often.\n"))

                let up = try LabCommand.up(in: workspace)
                let greeted = try lab("exec", "sample", "greet", "name=Eve", in: workspace)
                #expect(greeted.output.contains("Good day, Eve"), "\(greeted.errors)")
                let slip = try lab("exec", "sample", "gret", "name=Eve", in: workspace)
                #expect(slip.errors.contains("did you mean `greet`?"), "\(slip.errors)")
                let secret = try lab("exec", "sample", "unlock", "code=1234", in: workspace)
                #expect(secret.errors.contains("is a secret"), "\(secret.errors)")
                let wrong = try lab("exec", "sample", "greet", "name=Eve", "times=4", in: workspace)
                #expect(wrong.errors.contains("`times` of `greet` is 1 to 3, not 4"), "\(wrong.errors)")

                func completed(_ position: Int, _ typed: String...) throws -> [String] {
                    let call = ["---completion", "exec", "--", "positional@\(position)", "\(typed.count)", "0"]
                    let outcome = try LabCommand(call + ["lab"] + typed, in: workspace).finish()
                    return outcome.output.split(separator: "\n").map(String.init)
                }
                #expect(try completed(0, "exec", "").contains("sample"))
                #expect(try completed(1, "exec", "sample", "").contains("greet"))
                #expect(try completed(1, "exec", "phone", "").contains("reboot"))
                #expect(try completed(2, "exec", "sample", "greet", "") == ["name=", "times="])

                let words = ["--lab", "lab.yaml", "--as", "sample"]
                let talk = try LabCommand(
                    words + ["greet", "name=Dan"], in: workspace, executable: "sample-app"
                ).finish()
                #expect(talk.output.contains("Good day, Dan"), "\(talk.errors)")
                let stranger = try LabCommand(words, in: workspace, executable: "main-app").finish()
                #expect(stranger.errors.contains("`sample` is played by the program sample-app"), "\(stranger.errors)")
                try up.signal(SIGINT)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }
    }
}
