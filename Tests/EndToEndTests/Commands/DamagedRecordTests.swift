// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Commands about a run with a modified record.
    @Suite("A damaged record")
    struct DamagedRecordTests {
        @Test(.verifies("exit code", "diff 3"))
        func `Every command that reads a run refuses one with a changed byte, names the file, and ends with 3`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: A\nsteps:\n  - main: hasValidActivation\n    expect: false\n", to: "a.yaml")
            try await onThread {
                for _ in 0..<2 { #expect(try lab("run", "a.yaml", in: workspace).status == 0) }
                let runs = "\(workspace.directory)/.lab/runs"
                let names = try Files.list(runs).filter { $0 != "latest" }.sorted()
                let newest = "\(runs)/\(try #require(names.last))"
                let commands: [[String]] = [
                    ["inspect", "moment", "a.yaml"], ["stats"], ["show"], ["bundle", "--output", "run.tar.gz"],
                    ["diff", names[0], names[1]],
                ]
                for words in commands {
                    #expect(try LabCommand(words, in: workspace).finish().status == 0, "\(words)")
                }
                for path in ["report.json", "a/history.jsonl", "a/traces/main#1.jsonl"] {
                    let original = try Files.read("\(newest)/\(path)")
                    var changed = original
                    changed[changed.count / 2] ^= 1
                    try Files.write(changed, to: "\(newest)/\(path)")
                    for words in commands {
                        let outcome = try LabCommand(words, in: workspace).finish()
                        #expect(outcome.status == 3, "\(words) with \(path): \(outcome.output)")
                        #expect(outcome.errors.contains("damaged: \(path) is not"), "\(words): \(outcome.errors)")
                    }
                    try Files.write(original, to: "\(newest)/\(path)")
                }
            }
            try workspace.expectNothingLeft()
        }
    }

    /// Questions about the history of a suite: what is new, what is slow, and since when a scenario does not pass.
    @Suite("Queries about recorded runs")
    struct HistoryTests {
        @Test
        func `The history shows since which run a scenario has not passed, and new scenarios can be run alone`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            @Sendable func write(_ expected: Bool) throws {
                try workspace.write(
                    "name: A\nsteps:\n  - main: hasValidActivation\n    expect: \(expected)\n", to: "a.yaml")
            }
            try await onThread {
                #expect(try lab("history", in: workspace).status == 2)
                try write(false)
                #expect(try lab("run", "a.yaml", "--seed", "7", in: workspace).status == 0)
                try write(true)
                for seed in ["20", "30"] {
                    #expect(try lab("run", "a.yaml", "--seed", seed, in: workspace).status == 1)
                }
                let failing = try lab("history", in: workspace)
                #expect(failing.status == 0, "\(failing.errors)")
                #expect(failing.output.hasPrefix(" passed   median     last  scenario\n    1/3 "), "\(failing.output)")
                #expect(failing.output.contains("not passed since 20"))
                #expect(failing.output.hasSuffix(" UTC, seed 20\n"), "\(failing.output)")

                try workspace.write("name: B\nsteps:\n  - clock: freeze\n", to: "b.yaml")
                let new = try lab("run", ".", "--new", in: workspace)
                #expect(new.status == 0, "\(new.output)\(new.errors)")
                #expect(new.output.contains("✓ B  b.yaml"), "\(new.output)")
                #expect(new.output.contains("1 passed in "), "\(new.output)")
                #expect(try lab("list", "--slowest", "1", in: workspace).output.hasPrefix("b.yaml  B"))
                let nothing = try lab("run", ".", "--new", in: workspace)
                #expect(nothing.status == 0)
                #expect(nothing.output == "nothing to run: every scenario has a record\n")
                #expect(try lab("history", "b.yaml", in: workspace).output.contains("    1/1 "))
            }
            try workspace.expectNothingLeft()
        }
    }

    /// The requests of a scenario on its page.
    @Suite("The page of a run shows every request")
    struct RecordedRequestTests {
        @Test func `Including those before the server died, and the one during which it died`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                name: The server dies twice
                steps:
                  - server: initActivation
                    as: code
                  - main: createActivation
                    with: { activationCode: "${code.activationCode}" }
                  - main: fetchServerStatus
                  - faults: arm
                    with: { point: server.requestReceived, peer: server, action: kill }
                  - main: fetchServerStatus
                    fails: any
                  - server: restart
                  - main: fetchServerStatus
                  - server: kill
                  - server: restart
                  - server: fail
                    with: { endpoint: status }
                  - main: fetchServerStatus
                    fails: any
                """, to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let page = try ReportPageText.read("\(workspace.directory)/.lab/runs/latest/index.html")
            let block = try #require(page.firstMatch(of: /<script[^>]* id="timeline-0">([^<]*)</)).1
            let requests = try #require(try JSONValue.parse(Data(block.utf8))["requests"]?.arrayValue)
            let told = requests.map { request in
                let status = request["status"]?.integerValue.map(String.init) ?? "no answer"
                return "server#\(request["incarnation"] ?? 0): \(request["path"]?.stringValue ?? "") \(status)"
            }
            #expect(
                told == [
                    "server#1: /pa/v3/keystore/create 200", "server#1: /pa/v3/activation/create 200",
                    "server#1: /pa/v3/status 200", "server#1: /pa/v3/status no answer", "server#2: /pa/v3/status 200",
                    "server#3: /pa/v3/status 503",
                ])
            // Encrypted content is shown decrypted, without secrets; other content is shown unchanged.
            let members = Set(requests[0].objectValue?.keys.map(\.self) ?? [])
            #expect(members == Set(ListRequests.Request.fields.map(\.name) + ["incarnation"]))
            #expect(requests[1]["decryptedAnswer"]?["activationId"] != nil && requests[1]["answer"] == .null)
            #expect(!page.contains(#/"ctrData":"[^•]/#) && page.contains(#""ctrData":"••••""#))
            #expect(requests.map { $0["answer"]?["status"] } == ["OK", nil, "OK", nil, "OK", "ERROR"])
            try workspace.expectNothingLeft()
        }
    }
}
