// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// The instance is never started: the lab's clock needs no process.
@Suite("The record of a Swift test", .endsInTime)
struct TestRecordTests {
    private let directory: TemporaryDirectory
    private let instance: LabInstance
    private let record: TestRecord

    init() throws {
        // First, because it decides where instances are.
        directory = try TemporaryDirectory()
        instance = try LabInstance(
            topology: try FakeShell.topology(), runDirectory: directory.path, seed: 7,
            executables: Executables(directory: "/nowhere"), labFile: nil)
        record = try TestRecord(
            of: "A sum is paid", at: ReportedPlace(file: "Tests/A.swift", line: 3, column: 5), driving: instance)
    }

    private func events() throws -> [JSONValue] {
        try Files.read(directory.file("history.jsonl")).split(separator: 0x0A).map { try JSONValue.parse(Data($0)) }
    }

    @Test
    func `Its calls are steps, and a failed expectation belongs to the call before it, or to the test`() async throws {
        try await onThread { [record, instance] in
            record.fail("nothing was paid", at: nil)
            #expect(try record.call("freeze", [:], by: "clock", timeout: .seconds(1)) == .null)
            let time = try record.call("read", [:], by: "clock", timeout: .seconds(1))
            #expect(time["isFrozen"] == true)
            record.fail("too much was paid", at: ReportedPlace(file: "Tests/B.swift", line: 7, column: 1))
            #expect(instance.stop() == [])
        }
        let path = try record.writePage()
        #expect(path == directory.file(TestRecord.pageName))
        let page = try ReportPageText.read(path)
        let block = try #require(page.firstMatch(of: /id="run">(.*?)<\/script>/.dotMatchesNewlines())).1
        let result = try #require(try JSONValue.parse(String(block))["results"]?[0])
        #expect(result["id"] == "A sum is paid" && result["name"] == "A sum is paid")
        #expect(result["verdict"] == "failed" && result["file"] == "Tests/A.swift")
        #expect(result["commands"] == 2 && result["seed"] == "7")
        let failures = try #require(result["failures"]?.arrayValue)
        #expect(failures.map { $0["reason"] } == ["nothing was paid", "too much was paid"])
        #expect(failures.map { $0["step"] } == ["", "2"])
        #expect(failures.map { $0["place"] } == ["Tests/A.swift:3:5", "Tests/B.swift:7:1"])
        #expect(failures.map { $0["verdict"] } == ["failed", "failed"])

        let events = try events()
        #expect(
            events.map { $0["e"] } == [
                "scenario.started", "failure", "step.started", "command", "step.finished", "step.started", "command",
                "step.finished", "failure",
            ])
        #expect(events[0]["devices"]?[0] == ["name": "phone", "apps": ["main", "wallet", "widget"]])
        #expect(events.map { $0["step"] } == [nil, nil, "1", "1", "1", "2", "2", "2", "2"])
        #expect(events[1]["place"] == "Tests/A.swift:3:5" && events[1]["reason"] == "nothing was paid")
        #expect(events[2]["title"] == "clock: freeze")
        #expect(events[2]["sentence"]?.stringValue?.hasPrefix("Stops the lab's clock") == true)
        #expect(events[6]["actor"] == "clock" && events[6]["command"] == "read")
        #expect(events[6]["result"]?["isFrozen"] == true && events[7]["fine"] == true)
    }

    @Test func `A command that fails is a step with its error, and what cannot be sent is no step`() async throws {
        try await onThread { [record] in
            func call(_ actor: String, _ command: String, _ arguments: [String: JSONValue] = [:]) throws {
                _ = try record.call(command, arguments, by: actor, timeout: .seconds(1))
            }
            let actor = #expect(throws: BadUsage.self) { try call("clok", "freeze") }
            #expect(actor?.description.contains("did you mean `clock`?") == true)
            let command = #expect(throws: BadUsage.self) { try call("clock", "freze") }
            #expect(command?.description.contains("did you mean `freeze`?") == true)
            #expect(throws: BadUsage.self) { try call("clock", "advance", ["bye": "1s"]) }
            #expect(throws: BadUsage.self) { try call("clock", "advance") }
            let unknown: [String: JSONValue] = ["point": "no.such.point", "peer": "main", "action": "kill"]
            #expect(throws: ControlError.self) { try call("faults", "arm", unknown) }
        }
        let events = try events()
        #expect(events.map { $0["e"] } == ["scenario.started", "step.started", "command", "step.finished"])
        #expect(events[2]["error"]?["code"] == "badArgument" && events[2]["result"] == nil)
        #expect(events[3]["fine"] == false)
        #expect(instance.stop() == [])
    }
}
