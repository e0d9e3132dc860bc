// SPDX-License-Identifier: Apache-2.0

import LabReports
import LabSystem
import ScenarioEngine
import TestSupport
import Testing

@testable import LabTools

/// The instance has a clock and faults, but no processes.
@Suite("Snapshots in a session of a shell or the dashboard", .endsInTime)
struct SessionSnapshotTests {
    private let test: TestInstance
    private let steps: LiveSteps
    private let others: InstanceSnapshots

    init() throws {
        test = try TestInstance()
        try Files.createDirectory(test.file("run/traces"))
        let connection = try InstanceConnection(test.layout)
        steps = try LiveSteps(for: connection, directory: test.file("run/steps"), labFile: FakeShell.labFile)
        others = InstanceSnapshots(of: connection, labVersion: LabVersion.current)
    }

    private func perform(_ text: String, in record: inout SessionRecord) throws {
        let yaml = try steps.yaml(text)
        let outcome = try steps.perform(yaml)
        guard case .done = outcome else { throw Unexpected("\(outcome)") }
        _ = record.add(yaml, outcome)
    }

    @Test func `The record and the kept values go back to the snapshot, and forward to a later one`() throws {
        var record = SessionRecord(of: steps)
        try perform("clock: freeze", in: &record)
        try perform("clock: read\nas: before", in: &record)
        try record.takeSnapshot("first")
        try perform("clock: read\nas: after", in: &record)
        #expect(record.count == 3 && steps.kept.map(\.name) == ["after", "before"])

        let told = try record.restoreSnapshot("first")
        #expect(told == "the instance is as in snapshot first, and so is the record: 2 steps")
        #expect(record.count == 2 && steps.kept.map(\.name) == ["before"])
        try perform("clock: read\nas: after", in: &record)
        try record.takeSnapshot("second")
        _ = try record.restoreSnapshot("first")
        #expect(record.count == 2 && steps.kept.map(\.name) == ["before"])
        _ = try record.restoreSnapshot("second")
        #expect(record.count == 3 && steps.kept.map(\.name) == ["after", "before"])
        #expect(!record.scenario(named: "Session").contains("#"))
        steps.stop()
    }

    @Test func `With a snapshot of another session the record begins anew, and a scenario of it says so`() throws {
        var record = SessionRecord(of: steps)
        try others.take("other")
        try perform("clock: read\nas: time", in: &record)
        #expect(try record.restoreSnapshot("other").hasSuffix("because the snapshot was not taken in this session"))
        #expect(record.count == 0 && steps.kept.isEmpty)
        try perform("clock: freeze", in: &record)
        let text = record.scenario(named: "Session")
        #expect(text.hasPrefix("# The steps began with the snapshot other, "), "\(text)")
        #expect(throws: SnapshotError.self) { _ = try record.restoreSnapshot("none") }
        #expect(throws: SnapshotError.self) { try record.takeSnapshot("a/b") }
        #expect(record.count == 1)

        // Another session has replaced it by one of the same name.
        try record.takeSnapshot("own")
        try others.remove("own")
        try others.take("own")
        #expect(try record.restoreSnapshot("own").contains("begins anew"))
        steps.stop()
    }
}
