// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Errors in input: one message that names the place, exit code 2, and nothing left behind.
    @Suite("Bad input is refused before anything starts")
    struct BadInputTests {
        @Test func `An unknown key is reported at its place, with the nearest known one`() async throws {
            try await expectRefusal(
                """
                name: Typing error
                steps:
                  - main: hasValidActivation
                    expects: true
                """,
                at: "scenario.yaml:4:5", saying: ["expects", "expect"])
        }

        @Test func `An unknown peer is reported with the peers of the topology`() async throws {
            try await expectRefusal(
                """
                name: Typing error
                steps:
                  - mian: hasValidActivation
                """,
                at: "scenario.yaml:3:5", saying: ["mian", "main"])
        }

        @Test func `A command that the peer does not know is reported`() async throws {
            try await expectRefusal(
                """
                name: Typing error
                steps:
                  - main: hasValidActivaton
                """,
                at: "scenario.yaml:3:11", saying: ["hasValidActivaton", "hasValidActivation"])
        }

        @Test func `A command of another kind of actor is reported as such`() async throws {
            try await expectRefusal(
                """
                name: Wrong place
                steps:
                  - main: initActivation
                """,
                at: "scenario.yaml:3:11", saying: ["initActivation", "server"])
        }

        @Test func `A value of the wrong type is reported`() async throws {
            try await expectRefusal(
                """
                name: Wrong type
                steps:
                  - server: initActivation
                    with: { maxFailureCount: many }
                """,
                at: "scenario.yaml:4:30", saying: ["many", "integer"])
        }

        @Test func `All errors of a file are reported at once, in the order of the file`() async throws {
            let outcome = try await LabCommand.run(
                scenario: """
                    name: Many mistakes
                    steps:
                      - mian: hasValidActivation
                      - main: createActivation
                        with: { name: x }
                      - main: activationIdentifier
                        expect: "${code.activationId}"
                    """)
            let positions = ["scenario.yaml:3:5", "scenario.yaml:4", "scenario.yaml:7"]
            var rest = Substring(outcome.errors)
            for position in positions {
                let found = try #require(rest.range(of: position), "\(position) is missing in\n\(outcome.errors)")
                rest = rest[found.upperBound...]
            }
            #expect(outcome.status == 2)
        }

        @Test func `An error in lab.yaml is reported at its place`() async throws {
            let workspace = try Workspace()
            try workspace.write(
                """
                topologies:
                  default:
                    devices:
                      phone:
                        kind: fone
                        apps: {}
                """, to: "lab.yaml")
            try workspace.write("name: Any\nsteps:\n  - clock: freeze\n", to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("lab.yaml:5:15"), "\(outcome.errors)")
            #expect(outcome.errors.contains("phone"))
            try workspace.expectNothingLeft()
        }

        @Test(arguments: ["missing.yaml", "missing/folder", "q"])
        func `A missing file is named`(path: String) async throws {
            let workspace = try Workspace.ofProject()
            let outcome = try await onThread { try lab("run", path, in: workspace) }
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(path), "\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test func `A folder without scenarios is an error, not a success`() async throws {
            let workspace = try Workspace.ofProject()
            try FileManager.default.createDirectory(
                atPath: "\(workspace.directory)/none", withIntermediateDirectories: true)
            let outcome = try await onThread { try lab("run", "none", in: workspace) }
            #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `An unknown flag exits with 2`() async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try lab("run", "scenario.yaml", "--no-such-flag", in: workspace) }
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("--no-such-flag"))
        }

        @Test func `The error for 'sleep' suggests 'eventually' and 'advance'`() async throws {
            try await expectRefusal(
                """
                name: Sleepy
                steps:
                  - sleep: 5s
                """,
                at: "scenario.yaml:3:5", saying: ["eventually", "advance"])
        }

        private func expectRefusal(
            _ scenario: String, at position: String, saying words: [String],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let outcome = try await LabCommand.run(scenario: scenario)
            #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(outcome.errors.contains(position), "\(outcome.errors)", sourceLocation: sourceLocation)
            for word in words {
                #expect(outcome.errors.contains(word), "\(outcome.errors)", sourceLocation: sourceLocation)
            }
        }
    }
}

extension EndToEnd.Commands {
    @Suite("Every executable refuses an unknown flag with exit code 2")
    struct ExecutableUsageTests {
        /// The arguments that each executable also requires.
        static let required: [(executable: String, arguments: [String])] = [
            ("lab", []), ("lab-server", ["--directory", "d"]),
            ("device-agent", ["--instance", "i", "--device", "phone"]),
            ("main-app", ["--as", "main"]), ("app-extension", ["--as", "widget"]),
            ("watch-companion", ["--as", "watch"]),
        ]

        @Test(arguments: required)
        func `An unknown flag is named`(executable: String, arguments: [String]) async throws {
            let workspace = try Workspace()
            let outcome = try await LabCommand.run(
                arguments + ["--no-such-flag"], in: workspace, executable: executable)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("--no-such-flag"), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }
}
