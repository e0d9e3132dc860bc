// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// The app is `Examples/other-language`, which uses no code of the lab.
    @Suite("An app in another language")
    struct OtherLanguageTests {
        /// Runs steps of the app `greeter`.
        ///
        /// - Parameter program: writes the program into the workspace and returns its path.
        private static func runGreeter(
            _ steps: String, program: (Workspace) throws -> String
        ) async throws -> LabCommand.Outcome {
            let workspace = try Workspace()
            try workspace.writeTopology(of: "greeter", playedBy: try program(workspace))
            try workspace.write("name: Greeter\nsteps:\n\(steps)\n", to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            try workspace.expectNothingLeft()
            return outcome
        }

        private static var greeter: String { get throws { try LabCommand.path(of: "greeter") } }

        @Test
        func `A C program written after the page about own apps is launched, answers, dies and is relaunched`()
            async throws
        {
            let outcome = try await Self.runGreeter(
                """
                  - greeter: greet
                    with: { name: Alice }
                    expect: { exactly: { text: "Hello, Alice" } }
                  - greeter: greet
                    with: { name: "" }
                    fails: { code: namelessGuest, domain: GreeterError, message: Cannot greet. }
                  - greeter: kill
                  - greeter: launch
                  - greeter: greet
                    with: { name: Bob }
                    expect: { text: "Hello, Bob" }
                """
            ) { _ in try Self.greeter }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test
        func `An answer that violates the program's vocabulary fails the command, and is not shown`() async throws {
            let outcome = try await Self.runGreeter(
                """
                  - greeter: greet
                    with: { name: Alice }
                """
            ) { workspace in
                try workspace.write(
                    """
                    #!/bin/sh
                    if [ "$1" = --vocabulary ]; then
                        '\(try Self.greeter)' --vocabulary | sed 's/"result": .*/"result": "integer"/; /"members"/d; /The greeting/d'
                    else
                        exec '\(try Self.greeter)' "$@"
                    fi

                    """, to: "program")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o700], ofItemAtPath: "\(workspace.directory)/program")
                return "program"
            }
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            let sentence = "the answer of `greeter` to `greet` is not what its vocabulary says: integer"
            #expect(outcome.output.contains(sentence), "\(outcome.output)")
            #expect(!outcome.output.contains("Hello, Alice"), "\(outcome.output)")
        }
    }
}
