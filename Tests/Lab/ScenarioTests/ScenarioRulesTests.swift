// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("The rules that hold in every scenario (docs/stress.md)", .endsInTime)
struct ScenarioRulesTests {
    private static func topology(quirks: [String] = [], phones: Int = 1) -> Topology {
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main", appGroups: [], keychainAccessGroups: [],
            quirks: quirks, powerAuth: PowerAuthSpec(sdk: .full, instanceId: "com.example.bank"))
        return Topology(
            name: "test",
            devices: (1...phones).map { number in
                DeviceSpec(name: "phone\(number)", kind: .phone, apps: number == 1 ? [app] : [])
            })
    }

    /// The traces of two apps that hold the status lock at the same time.
    private static func traces(memories: [String] = ["m"]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let main = try TraceWriter(directory: directory.path, process: "main", incarnation: 1)
        let wallet = try TraceWriter(directory: directory.path, process: "wallet", incarnation: 1)
        for memory in memories { main.emit(.memoryCreated, ["name": .string(memory)]) }
        for writer in [main, wallet, main] { writer.emit(.lockTaken, ["lock": "status"]) }
        return directory
    }

    private static func violations(
        of topology: Topology, in traces: TemporaryDirectory
    ) throws -> [ScenarioRules.Violation] {
        ScenarioRules.violations(of: topology, in: try RecordedHistory(traces: traces.path))
    }

    @Test func `A lock with two holders is a failure, with the events that show it`() throws {
        let traces = try Self.traces()
        let violations = try Self.violations(of: Self.topology(), in: traces)
        #expect(violations.map(\.sentence).contains { $0.contains("`exclusion`") }, "\(violations)")
        #expect(violations.first?.events.contains { $0.contains("wallet#1") } == true)
    }

    @Test func `Apps with quirks, several sets of locks and several phones are not checked`() throws {
        let traces = try Self.traces()
        #expect(try Self.violations(of: Self.topology(quirks: ["sdk.7"]), in: traces).isEmpty)
        #expect(try Self.violations(of: Self.topology(phones: 2), in: traces).isEmpty)
        let stored = { (account: String) in
            TraceEvent(
                time: 1, process: "main", name: .keychainWritten,
                fields: ["service": "io.getlime.PowerAuthKeychain.StatusKeychain", "account": .string(account)])
        }
        let history = try RecordedHistory(traces: traces.path)
        for (accounts, isJudged) in [(["a"], true), (["a", "b"], false)] {
            let violations = ScenarioRules.violations(of: Self.topology(), in: history, after: accounts.map(stored))
            #expect(violations.isEmpty != isJudged, "a shared set-up has stored states for \(accounts)")
        }
        let others = try Self.traces(memories: ["m", "n"])
        #expect(try Self.violations(of: Self.topology(), in: others).isEmpty)
    }
}
