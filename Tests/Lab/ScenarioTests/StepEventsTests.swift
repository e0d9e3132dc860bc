// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("A failed step quotes the last events", .endsInTime)
struct StepEventsTests {
    private func events(_ count: Int, step: String = "9", from begin: UInt64 = 900) throws -> StepEvents {
        let events = (1...count).map { number in
            TraceEvent(
                time: begin + UInt64(number), process: "main", name: .stateSaved, operation: step,
                fields: ["counter": .integer(Int64(number))])
        }
        return StepEvents(
            facts: FailureCircumstances(
                step: "9", begin: 900, actor: "main", error: nil, events: events, topology: try FakeShell.topology(),
                stepAt: { _, _ in nil }, armedBy: { _ in nil }))
    }

    @Test(
        .verifies("size", "StepEvents.longest"),
        arguments: Sizes.ofBatches(12))
    func `Its own last twelve events, and the number before them`(count: Int) throws {
        let lines = try events(count).lines
        let before = count > 12 ? ["… \(count - 12) more before"] : []
        #expect(lines.count == before.count + min(count, 12))
        #expect(Array(lines.prefix(before.count)) == before)
        #expect(lines.last?.contains("counter=\(count)") == true, "\(lines)")
    }

    @Test(.verifies("size", "StepEvents.shown"), arguments: Sizes.ofBatches(8))
    func `The last eight events before it`(count: Int) throws {
        let lines = try events(count, step: "8", from: 100).before
        #expect(lines.count == min(count, 8))
        #expect(lines.last?.contains("counter=\(count)") == true, "\(lines)")
    }
}
