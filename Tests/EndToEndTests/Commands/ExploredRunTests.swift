// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// `orders` in a scenario, and the shards of `lab explore`, with real processes.
    @Suite("Orders in lab run, and on several machines")
    struct ExploredRunTests {
        /// A workspace with a scenario whose steps begin in line 3, or 4 with a topology.
        private static func workspace(_ steps: String) throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios/steps", to: "steps")
            try workspace.write("name: Explored\nsteps:\n\(steps)", to: "explored.yaml")
            return workspace
        }

        private static func race(_ orders: String) -> String {
            "  - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]\n    orders: \(orders)\n"
        }

        /// The only result in the JSON report of a run, and the names in the directory of its records.
        private static func result(in workspace: Workspace) throws -> (result: JSONValue, records: [String]) {
            let report = try JSONValue.parse(Files.read("\(workspace.directory)/report.json"))
            let result = try #require(report["results"]?[0])
            return (result, try Files.list(try #require(result["directory"]?.stringValue)))
        }

        @Test func `A scenario passes when all orders do, says how many, and keeps the records of one`() async throws {
            let workspace = try Self.workspace(Self.race("{ preemptions: 1 }"))
            let outcome = try await LabCommand.run(
                ["run", "explored.yaml", "--seed", "7", "--report", "json=report.json"], in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(
                outcome.output.contains(
                    #/✓ Explored  explored\.yaml  \S+ m?s  complete for 1 preemption: \d+ orders; at least \d+ more/#),
                "\(outcome.output)")
            let (result, records) = try Self.result(in: workspace)
            #expect(result["remark"]?.stringValue?.hasPrefix("complete for 1 preemption: ") == true)
            #expect(records.contains("traces") && !records.contains { $0.hasPrefix("order-") }, "\(records)")
            #expect(!FileManager.default.fileExists(atPath: "\(workspace.directory)/.lab/explored"))
            try workspace.expectNothingLeft()
        }

        @Test func `The first order that fails fails the scenario, and is written as one that repeats it`() async throws
        {
            let workspace = try Self.workspace(
                """
                  - include: steps/activate.yaml
                  - parallel:
                      - wallet: hasValidActivation
                        as: seen
                      - main: removeActivationLocal
                    orders: { preemptions: 0 }
                  - check: "${seen}"
                    expect: true

                """)
            let outcome = try await LabCommand.run(
                ["run", "explored.yaml", "--seed", "7", "--report", "json=report.json"], in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("failed: check: "), "\(outcome.output)")
            #expect(
                outcome.output.contains(#/order 2 of the parallel block at explored\.yaml:4:\n +turn  /#),
                "\(outcome.output)")
            let path = ".lab/explored/explored-1.yaml"
            #expect(outcome.output.contains("written: \(path)\n"), "\(outcome.output)")
            #expect(outcome.output.contains("run it again: lab run \(path) --seed 7"), "\(outcome.output)")
            let (result, records) = try Self.result(in: workspace)
            #expect(result["replay"]?.stringValue == "lab run \(path) --seed 7")
            #expect(result["remark"]?.stringValue?.hasPrefix("stopped after ") == true)
            #expect(records.contains("traces") && !records.contains { $0.hasPrefix("order-") }, "\(records)")
            let written = String(decoding: try Files.read("\(workspace.directory)/\(path)"), as: UTF8.self)
            #expect(written.contains("\n    order: [{ ") && !written.contains("orders"), "\(written)")
            let shared = try await LabCommand.run(
                ["inspect", "sharing", "main", "--failure", "explored.yaml"], in: workspace)
            #expect(shared.status == 0, "\(shared.output)\(shared.errors)")
            let again = try await LabCommand.run(["run", path], in: workspace)
            #expect(again.status == 1, "\(again.output)\(again.errors)")
            #expect(again.output.contains("failed: check: "), "\(again.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `A shared set-up is carried out once for all orders, and its record stays with an order that fails`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios/steps", to: "steps")
            func explore(expecting seen: Bool?) async throws -> LabCommand.Outcome {
                let check = seen.map { "  - check: \"${seen}\"\n    expect: \($0)\n" } ?? ""
                try workspace.write(
                    """
                    name: Explored
                    rows: [{ id: only }]
                    setup: { shared: true, steps: [{ include: steps/activate.yaml }] }
                    steps:
                      - parallel:
                          - wallet: hasValidActivation
                            as: seen
                          - main: removeActivationLocal
                    \(check)
                    """, to: "explored.yaml")
                return try await LabCommand.run(
                    ["explore", "explored.yaml", "--preemptions", "0", "--jobs", "1"], in: workspace)
            }
            let passed = try await explore(expecting: nil)
            #expect(passed.status == 0, "\(passed.output)\(passed.errors)")
            #expect(try Files.list("\(workspace.directory)/.lab/explored") == [])
            let failed = try await explore(expecting: true)
            #expect(failed.status == 1, "\(failed.output)\(failed.errors)")
            let records = "\(workspace.directory)/.lab/explored/explored-1"
            #expect(try Files.list(records) == ["order-2", "shared-setups"])
            #expect(try Files.list("\(records)/shared-setups") == ["1"])
            let again = try await LabCommand.run(["run", ".lab/explored/explored-1.yaml"], in: workspace)
            #expect(again.status == 1, "\(again.output)\(again.errors)")
            #expect(again.output.contains("failed: check: "), "\(again.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `The bounds of the scenario are those of lab explore, unless the command line has others`()
            async throws
        {
            let workspace = try Self.workspace(Self.race("{ preemptions: 0 }"))
            let outcome = try await LabCommand.run(["explore", "explored.yaml"], in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("\ncomplete for 0 preemptions: 2 orders; "), "\(outcome.output)")
            let other = try await LabCommand.run(["explore", "explored.yaml", "--preemptions", "1"], in: workspace)
            #expect(other.status == 0, "\(other.output)\(other.errors)")
            #expect(other.output.contains("\ncomplete for 1 preemption: "), "\(other.output)")
        }

        @Test func `Shards play what one exploration plays, and lab merge joins them`() async throws {
            let workspace = try Self.workspace(Self.race("{ preemptions: 1 }"))
            let explore = ["explore", "explored.yaml", "--seed", "7"]
            for number in 1...2 {
                let shard = try await LabCommand.run(explore + ["--shard", "\(number)/2"], in: workspace)
                #expect(shard.status == 0, "\(shard.output)\(shard.errors)")
                #expect(
                    shard.output.contains("\nfor `lab merge`: .lab/explored/explored-\(number)\n"), "\(shard.output)")
                #expect(
                    shard.output.contains("\nshard \(number)/2: complete for 1 preemption: "), "\(shard.output)")
            }
            let parts = [".lab/explored/explored-1", ".lab/explored/explored-2"]
            let merged = try await LabCommand.run(["merge"] + parts, in: workspace)
            #expect(merged.status == 0, "\(merged.output)\(merged.errors)")
            #expect(
                merged.output.contains(#/\ncomplete for 1 preemption: \d+ orders; at least \d+ more/#),
                "\(merged.output)")

            let short = try await LabCommand.run(explore + ["--shard", "2/2", "--limit", "1"], in: workspace)
            #expect(short.status == 3, "\(short.output)\(short.errors)")
            let open = try await LabCommand.run(["merge", parts[0], ".lab/explored/explored-3"], in: workspace)
            #expect(open.status == 3, "\(open.output)\(open.errors)")
            #expect(open.output.contains("? shard 2/2 was ended by --limit\n"), "\(open.output)")
            let missing = try await LabCommand.run(["merge", parts[0]], in: workspace)
            #expect(missing.status == 2)
            #expect(missing.errors.hasPrefix("error: the directory of shard 2/2 is missing"), "\(missing.errors)")
            try workspace.expectNothingLeft()
        }

        @Test(
            arguments: [
                (["explore", "explored.yaml", "--shard", "1/2"], "error: --shard needs --seed"),
                (["explore", "explored.yaml", "--shard", "3/2", "--seed", "1"], "error: --shard 3/2 is number 3 of 2"),
                (["merge", "steps"], "error: steps has no readable exploration.json"),
            ])
        func `Shards that cannot be joined are refused`(arguments: [String], complaint: String) async throws {
            let workspace = try Self.workspace(Self.race("all"))
            let outcome = try await LabCommand.run(arguments, in: workspace)
            #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.hasPrefix(complaint), "\(outcome.errors)")
        }
    }
}
