// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// `lab explore` with real processes.
    @Suite("Exploring the orders of a block")
    struct ExploreTests {
        /// A scenario with some steps, which begin in line 3.
        private static func workspace(_ steps: String, lab: String = "") throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios/steps", to: "steps")
            try workspace.write("name: Explored\n\(lab)steps:\n\(steps)", to: "explored.yaml")
            return workspace
        }

        private func explore(_ arguments: String..., in workspace: Workspace) async throws -> LabCommand.Outcome {
            try await LabCommand.run(["explore"] + arguments, in: workspace)
        }

        @Test func `A block whose orders all pass is complete, and leaves no records`() async throws {
            let workspace = try Self.workspace(
                "  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]\n")
            let outcome = try await explore("explored.yaml", "--preemptions", "1", "--seed", "7", in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.hasPrefix("exploring the race at explored.yaml:3\n"), "\(outcome.output)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 4, "\(outcome.output)")
            #expect(lines.contains { $0.contains(#/^  0 preemptions +\d+ orders  ✓  /#) }, "\(outcome.output)")
            // Each of the two can be left at each of its points.
            let found = try #require(outcome.output.firstMatch(of: #/\n  1 preemption +(\d+) orders  ✓  /#))
            let orders = try #require(Int(found.1))
            #expect(orders > 4, "\(outcome.output)")
            let coverage = try #require(lines.last)
            #expect(
                coverage.contains(#/^complete for 1 preemption: \d+ orders; at least \d+ more .+ \(.+, seed 7\)$/#),
                "\(outcome.output)")
            // The records of orders that passed are removed.
            #expect(try Files.list("\(workspace.directory)/.lab/explored") == [])
            try workspace.expectNothingLeft()
        }

        /// One of the pairs that `make explore` explores, with few points.
        @Test func `A pair of operations holds in every order with one preemption`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios", to: "Scenarios")
            let pair = "Scenarios/exploring/one-activation.yaml[no-biometry-and-no-biometry]"
            let outcome = try await explore(pair, "--preemptions", "1", in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#/\ncomplete for 1 preemption: \d+ orders; /#), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `The agents of devices take turns, and the written scenario repeats theirs`() async throws {
            let workspace = try Self.workspace(
                """
                  - parallel:
                      - main: transferUserInfo
                        with: { userInfo: { number: 1 } }
                      - - pairing: down
                        - wallet: hasValidActivation
                        - pairing: up
                  - main: hasValidActivation
                    expect: true

                """)
            let outcome = try await explore("explored.yaml", "--preemptions", "0", in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#/\n    turn  .*phone/#), "\(outcome.output)")
            #expect(outcome.output.contains("  link.store"), "\(outcome.output)")
            let path = ".lab/explored/explored-1.yaml"
            let written = String(decoding: try Files.read("\(workspace.directory)/\(path)"), as: UTF8.self)
            #expect(written.contains("- phone: link.store\n"), "\(written)")
            #expect(written.contains("- main: link.accepted\n"), "\(written)")
            let again = try await onThread { try lab("run", path, in: workspace) }
            #expect(again.status == 1, "\(again.output)\(again.errors)")
            #expect(again.output.contains("the result is not as expected"), "\(again.output)")
            // An agent comes to no such place before the first turn of an app.
            let early = written.replacing("- phone: link.store\n", with: "- phone: link.sent\n", maxReplacements: 1)
            try workspace.write(early, to: path)
            let missed = try await onThread { try lab("run", path, in: workspace) }
            #expect(missed.status == 3, "\(missed.output)\(missed.errors)")
            #expect(missed.output.contains("`phone` should continue from `link.sent`"), "\(missed.output)")
            try workspace.expectNothingLeft()
        }

        /// Two apps write three letters each. Their letters change four times only when an app is left three times
        /// although it could continue, so this is a defect of depth 3.
        @Test func `A defect that needs three preemptions is not found with two, and the coverage says that`()
            async throws
        {
            let workspace = try Workspace()
            let program = try LabCommand.path(of: "sample-app")
            try workspace.writeTopology(
                of: "first", "second", playedBy: program, "appGroups: [group.com.example.letters]")
            try workspace.write(
                """
                name: Letters
                steps:
                  - parallel:
                      - first: writeLetters
                        with: { word: a }
                      - second: writeLetters
                        with: { word: b }
                  - first: changesOfLetters
                    expect: { atMost: 3 }

                """, to: "letters.yaml")
            let two = try await explore("letters.yaml", "--preemptions", "2", in: workspace)
            #expect(two.status == 0, "\(two.output)\(two.errors)")
            #expect(
                two.output.contains(#/\ncomplete for 2 preemptions: \d+ orders; at least [1-9]\d* more /#),
                "\(two.output)")
            let three = try await explore("letters.yaml", "--preemptions", "3", in: workspace)
            #expect(three.status == 1, "\(three.output)\(three.errors)")
            #expect(three.output.contains(#/\n  3 preemptions +\d+ .*orders  ✗ after /#), "\(three.output)")
            #expect(three.output.contains("checkpoint.between-letters"), "\(three.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `Phone and watch send to each other in orders with a death, and none fails`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios", to: "Scenarios")
            let outcome = try await explore(
                "Scenarios/exploring/watch-context.yaml[link-flaps]", "--preemptions", "0", "--deaths", "1",
                "--limit", "24", in: workspace)
            // The limit may end it.
            #expect([0, 3].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
            #expect(!outcome.output.contains("✗"), "\(outcome.output)")
            #expect(outcome.output.contains("0 preemptions, 1 death"), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        /// The scenario expects that the device never starts again, so the first order with its death fails.
        @Test(arguments: ["phone", "watch"])
        func `A transfer survives the death of either agent, and the written scenario repeats that`(device: String)
            async throws
        {
            let workspace = try Self.workspace(
                """
                  - parallel:
                      - main: transferUserInfo
                        with: { userInfo: { number: 1 } }
                      - companion: hasValidActivation
                  - eventually: 5s
                    main: outstandingUserInfoTransfers
                    expect: 0
                  - main: transferUserInfo
                    with: { userInfo: { number: 2 } }
                  - eventually: 5s
                    companion: receivedUserInfo
                    expect: { contains: { number: 2 } }
                  - trace: events
                    with: { event: process.started, peer: \(device) }
                    expect: { length: 1 }

                """)
            let outcome = try await explore("explored.yaml", "--preemptions", "0", "--deaths", "1", in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#/\n  0 preemptions +\d+ orders  [✓?] /#), "\(outcome.output)")
            #expect(outcome.output.contains(#/link\.[a-z]+ †\n/#), "\(outcome.output)")
            let path = ".lab/explored/explored-1.yaml"
            let written = String(decoding: try Files.read("\(workspace.directory)/\(path)"), as: UTF8.self)
            #expect(written.contains("- \(device): { dies: link."), "\(written)")
            let again = try await onThread { try lab("run", path, in: workspace) }
            #expect(again.status == 1, "\(again.output)\(again.errors)")
            try workspace.write(written.replacing("length: 1", with: "length: 2"), to: path)
            let survived = try await onThread { try lab("run", path, in: workspace) }
            #expect(survived.status == 0, "\(survived.output)\(survived.errors)")
            try workspace.expectNothingLeft()
        }

        /// With the defect D7 of both apps a state is stored before the change is counted. What lies between is seen only
        /// when the app dies there: then the other one keeps the state that it has in memory.
        @Test(.verifies("exit code", "explore 1"))
        func `A defect that needs a death is found with one, and the written scenario repeats it`() async throws {
            let workspace = try Self.workspace(
                """
                  - include: steps/activate.yaml
                  - phone: enrolBiometry
                  - main: addBiometryFactor
                    with: { password: "1234" }
                  - wallet: hasBiometryFactor
                    expect: true
                  - race:
                      - main: removeBiometryFactor
                      - wallet: hasBiometryFactor
                  - same:
                      - main: hasBiometryFactor
                      - wallet: hasBiometryFactor

                """,
                lab: """
                    lab:
                      override:
                        devices:
                          phone: { apps: { main: { quirks: [sharing.D7] }, wallet: { quirks: [sharing.D7] } } }

                    """)
            let outcome = try await explore("explored.yaml", "--preemptions", "0", "--deaths", "1", in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#/\n  0 preemptions +\d+ orders  ✓  /#), "\(outcome.output)")
            #expect(
                outcome.output.contains(#/\n  0 preemptions, 1 death +\d+ .*orders  ✗ after \d+  /#),
                "\(outcome.output)")
            #expect(outcome.output.contains("the answers are not the same: "), "\(outcome.output)")
            #expect(outcome.output.contains(" †\n"), "\(outcome.output)")
            #expect(outcome.output.contains("\n    † the process is killed there\n"), "\(outcome.output)")
            #expect(outcome.output.contains(#/\nstopped after \d+ orders; at least \d+ more/#), "\(outcome.output)")
            let path = ".lab/explored/explored-1.yaml"
            #expect(
                outcome.output.contains("\nwritten: \(path)\n  repeat it: lab run \(path) --seed "),
                "\(outcome.output)")
            let written = String(decoding: try Files.read("\(workspace.directory)/\(path)"), as: UTF8.self)
            #expect(written.contains("- main: { dies: "), "\(written)")
            let again = try await onThread { try lab("run", path, in: workspace) }
            #expect(again.status == 1, "\(again.output)\(again.errors)")
            #expect(again.output.contains("the answers are not the same: "), "\(again.output)")
            try workspace.expectNothingLeft()
        }

        @Test(.verifies("exit code", "explore 3"))
        func `A search that a limit ends does not count as passed, and says what is left`() async throws {
            let workspace = try Self.workspace(
                "  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]\n")
            let outcome = try await explore("explored.yaml", "--limit", "1", "--random", "2", in: workspace)
            #expect(outcome.status == 3, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(#/\nstopped after 1 order; at least [1-9]\d* more /#), "\(outcome.output)")
            // The limit is not about these.
            #expect(outcome.output.contains(#/\n  drawn +2 orders  ✓  /#), "\(outcome.output)")
            #expect(outcome.output.contains("; 2 more were drawn ("), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `A scenario that fails before its block fails, and nothing of it was explored`() async throws {
            let workspace = try Self.workspace(
                """
                  - main: hasValidActivation
                    expect: true
                  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]

                """)
            let outcome = try await explore("explored.yaml", in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(
                outcome.output.contains("\n✗ the scenario ended before the first turn of its race\n"),
                "\(outcome.output)")
            #expect(
                outcome.output.contains("explored.yaml:3:5: failed: main: hasValidActivation: "), "\(outcome.output)")
            #expect(outcome.output.contains("\nnothing was explored ("), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        @Test(
            arguments: [
                (["plain.yaml"], "error: plain.yaml:3:5: the steps have no `race` and no `parallel` to explore"),
                (["."], "error: `lab explore` takes one scenario, and . has 2; name one of them"),
                (["explored.yaml", "--preemptions=-1"], "error: --preemptions takes 0 to 100, not -1"),
                (["explored.yaml", "--deaths", "11"], "error: --deaths takes 0 to 10, not 11"),
                (["explored.yaml", "--random=-1"], "error: --random takes 0 to 1000000, not -1"),
                (["explored.yaml", "--jobs", "0"], "error: --jobs must be at least 1, not 0"),
                (["explored.yaml", "--limit", "0"], "error: --limit must be at least 1, not 0"),
                (["explored.yaml", "--time", "10"], "error: --time takes a duration such as 30s or 5m, not `10`"),
                (["explored.yaml", "--time", "0s"], "error: --time takes a duration such as 30s or 5m, not `0s`"),
                (["missing.yaml"], "error: there is no such file or directory: missing.yaml"),
            ])
        func `What cannot be explored is refused before anything starts`(arguments: [String], complaint: String)
            async throws
        {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: Plain\nsteps:\n  - clock: freeze\n", to: "plain.yaml")
            try workspace.write(
                "name: Explored\nsteps:\n  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]\n",
                to: "explored.yaml")
            let outcome = try await LabCommand.run(["explore"] + arguments, in: workspace)
            #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.hasPrefix(complaint), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: "\(workspace.directory)/.lab"))
        }
    }
}
