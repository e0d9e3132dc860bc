import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The requests of a scenario on its page.
    @Suite("The page of a run shows every request")
    struct RecordedRequestTests {
        @Test("Including those before the server died, and the one during which it died")
        func deaths() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
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
