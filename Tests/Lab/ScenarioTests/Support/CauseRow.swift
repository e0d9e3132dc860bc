// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabPoints
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// What is recorded about a failed step, and the causes that follow from it.
///
/// Step n begins n * 100 ms after the beginning of the run; step 9 has failed.
struct CauseRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let actor: String?
    private let error: ControlError?
    private let awaited: String?
    private let isLinkUp: Bool
    private let events: [TraceEvent]
    let causes: [String]

    /// A row.
    ///
    /// - Parameters:
    ///   - error: The name of the unexpected error.
    ///   - awaited: The name of the event that did not occur.
    ///   - isLinkUp: Whether the devices are in range when the run begins.
    init(
        _ description: String, of actor: String? = "main", error: String? = nil,
        domain: String = ControlError.labDomain, awaited: String? = nil, isLinkUp: Bool = true,
        _ events: [TraceEvent], _ causes: String...
    ) {
        testDescription = description
        self.actor = actor
        self.error = error.map { ControlError(domain: domain, name: $0, message: "no") }
        self.awaited = awaited
        self.isLinkUp = isLinkUp
        self.events = events
        self.causes = causes
    }

    /// An event at a time in milliseconds.
    static func event(
        _ name: TraceEventName, of process: String, at milliseconds: UInt64, step: String? = nil,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: milliseconds * 1_000_000, process: process, name: name, operation: step, fields: fields)
    }

    /// The causes that are found.
    func found() throws -> [String] {
        var topology = try FakeShell.topology()
        for index in topology.links.indices { topology.links[index].up = isLinkUp }
        let facts = FailureCircumstances(
            step: "9", begin: 900_000_000, actor: actor, error: error, awaited: awaited, events: events,
            topology: topology, stepAt: { time, _ in Self.step(at: time) }, armedBy: { Self.step(that: $0) })
        return CauseFinder(facts: facts).causes
    }

    /// Each cause has one explanation, which is found by the words that are printed.
    func expectExplanations() throws {
        for cause in causes {
            let found = try Explanation.find(cause)
            #expect(found.count { $0.subject == .cause } == 1, "\(cause): \(found.map(\.name))")
        }
    }

    private static func step(at time: UInt64) -> String? {
        let number = time / 100_000_000
        return number == 0 ? nil : "\(number)"
    }

    /// Step 4 has armed one fault at each of three actors.
    private static func step(that armed: ArmedFault.Identity) -> Step? {
        let known = [
            ArmedFault.Identity(actor: "faults", id: 1), ArmedFault.Identity(actor: "server", id: "f1"),
            ArmedFault.Identity(actor: "pairing", id: "f2"),
        ]
        guard known.contains(armed) else { return nil }
        let place = SourcePlace(.start, in: SourceFile(path: "scenario.yaml", text: ""))
        return Step(action: .advance(.zero), note: nil, place: place, includedAt: [], path: "4")
    }
}
