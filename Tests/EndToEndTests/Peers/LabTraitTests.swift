// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    @Suite("Tests with the trait .lab", .lab(.topology(Topology(name: "empty", devices: []))))
    struct LabTraitTests {
        @Test(.lab())
        func `The nearest trait gives the test its own instance; typed calls and calls by name reach its actors`()
            async throws
        {
            let lab = try Lab.current
            let code = try await lab.server.call(InitActivation { $0.userId = "alice" })
            try await lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
            try await lab.main.call("persistActivation", ["password": "1234"])
            #expect(try await lab.main.call("hasValidActivation") == true)
            #expect(try await lab.main.call("hasValidActivation", as: Bool.self))
            #expect(try await lab.main.failure(of: PersistActivation { $0.password = "1234" }).name != nil)
            #expect(try await !lab.traceEvents().isEmpty)
            #expect(FileManager.default.fileExists(atPath: lab.records))
        }

        @Test(.lab()) func `A misspelled word is reported with the intended word, and nothing is sent`() async throws {
            let lab = try Lab.current
            func complaint(_ body: () async throws -> Void) async -> String {
                do {
                    try await body()
                    return "nothing"
                } catch {
                    return "\(error)"
                }
            }
            #expect(await complaint { try await lab.main.call("hasValidActivatoin") }.contains("`hasValidActivation`"))
            #expect(await complaint { try await lab.mian.call("launch") }.contains("did you mean `main`?"))
            #expect(
                await complaint { try await lab.main.call("persistActivation", ["pasword": "1"]) }
                    .contains("did you mean `password`?"))
            #expect(
                await complaint { _ = try await lab.main.failure(of: "hasValidActivation") }
                    .contains("was expected to fail"))
            #expect(await complaint { try await lab.during(HasValidActivation()) {} }.contains("arms no fault"))
        }

        @Test(.lab()) func `A fault is armed for some steps, and ended even if they throw`() async throws {
            struct Stop: Error {}
            let lab = try Lab.current
            await #expect(throws: Stop.self) {
                try await lab.during(GoOffline(), by: "phone") {
                    _ = try await lab.main.failure(of: FetchServerStatus())
                    throw Stop()
                }
            }
            try await lab.main.call(FetchServerStatus())
            let fault = ArmFault {
                $0.point = "http.requestSent"
                $0.peer = "main"
                $0.action = .fail
            }
            let error = try await lab.during(fault) { try await lab.main.failure(of: FetchServerStatus()) }
            #expect(error.code != nil, "the system's error has a number: \(error)")
            #expect(try await lab.faults.call(ListArmedFaults()).isEmpty)
        }

        @Test(.lab()) func `Time is advanced, and spontaneous changes are awaited`() async throws {
            let lab = try Lab.current
            try await lab.freeze()
            let before = try await lab.main.call(FetchServerStatus()).serverTime
            try await lab.advance(by: .minutes(5))
            let after = try await lab.main.call(FetchServerStatus()).serverTime
            #expect(after - before >= 300 && after - before < 301, "\(after - before)")
            try await lab.main.call(Kill())
            try await lab.eventually("the app does not run") {
                try await lab.phone.call(Processes()).contains { $0.app == "main" && $0.state == .notRunning }
            }
            await #expect(throws: LabFailure.self) {
                try await lab.eventually(within: .milliseconds(1), "never") { false }
            }
        }

        @Test func `A test without its own trait uses its suite's instance`() async throws {
            let lab = try Lab.current
            #expect(try lab.serverReady().baseURL.hasPrefix("http://127.0.0.1"))
            #expect(try lab.labHeader().name == "X-Lab-Token")
            await #expect(throws: BadUsage.self) { try await lab.main.call("launch") }
        }

        @Test func `Outside a test with the trait there is no lab`() async {
            let outside = Task.detached { try Lab.current }
            let error = await #expect(throws: LabFailure.self) { try await outside.value }
            #expect(error?.description.contains("trait `.lab`") == true)
        }

        @Test func `A failure of any kind names its test's page, which has the calls without secrets`() async throws {
            let workspace = try Workspace()
            let outcome = try await LabCommand.run(
                ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/FailingLabTest"],
                in: workspace, executable: try ProcessTable.executablePath(),
                environment: [FailingRun.variable: "1", TestProcess.directoryVariable: TestProcess.directory])
            #expect(outcome.status == EXIT_FAILURE)
            let text = outcome.output + outcome.errors
            let pages = Set(text.matches(of: #/Page(?: of the test)?: (\/\S+index.html)/#).map { String($0.1) })
            defer { for page in pages { try? Files.removeTree(Files.directory(of: page)) } }
            #expect(pages.count == 3, "\(text)")
            for page in pages {
                let html = try String(decoding: Files.read(page), as: UTF8.self)
                #expect(html.contains("main: ") && !html.contains("hunter22"))
            }
            try workspace.expectNothingLeft()
        }
    }
}
