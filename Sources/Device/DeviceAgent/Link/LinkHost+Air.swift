// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// The way of messages between the two devices, with the faults of the link on it.
extension LinkHost {
    /// Sends a frame to the other agent, as far as the faults let it.
    func transmit(_ frame: WatchFrame) throws {
        guard !air.isClear else { return try send(frame.parts) }
        try bring(pass(frame, .toWatch))
    }

    private func send(_ parts: [Data]) throws {
        faults.changeWork(of: link.setup.peer, by: 1)
        if try !port.send(parts) { faults.changeWork(of: link.setup.peer, by: -1) }
    }

    /// Lets the link decide about everything that the other agent has sent.
    /// - Returns: How many messages were received.
    func collectReceived() throws -> Int {
        let before = port.received
        while let frame = try port.receive(checking: link.greetings, refuse: noteRefused) {
            guard isListening else { continue }
            // Out of range nothing arrives in any case.
            if air.isClear || !link.isServed {
                collect(.fromPeer(frame))
            } else {
                try bring(pass(frame, .toPhone))
            }
        }
        return port.received - before
    }

    /// Handles all due events of the lab's time: messages arrive and deadlines pass, one after the other.
    func collectLabTime() throws {
        let now = clock.now().nanoseconds
        while true {
            let (arrival, deadline) = (air.nextArrival ?? .max, link.nextLabDeadline ?? .max)
            guard min(arrival, deadline) <= now else { return }
            if arrival <= deadline {
                try bring(air.arrivals(until: arrival))
            } else {
                collect(.labTimePassed, at: deadline)
            }
        }
    }

    private func pass(_ frame: WatchFrame, _ direction: LinkDirection) -> [LinkFaultInjector.Arrival] {
        let (arrivals, occurrences) = air.take(frame, direction, at: clock.now().nanoseconds)
        for occurrence in occurrences { note(occurrence, of: frame) }
        return arrivals
    }

    private func bring(_ arrivals: [LinkFaultInjector.Arrival]) throws {
        for arrival in arrivals {
            switch arrival.direction {
            case .toWatch: try send(arrival.parts)
            case .toPhone:
                do {
                    collect(.fromPeer(try WatchFrame(parts: arrival.parts)))
                } catch {
                    noteRefused(error.description)
                }
            }
        }
    }

    // MARK: Commands

    func arm(_ effect: LinkFault.Effect, _ aim: LinkFault.Aim, _ direction: LinkDirection?) -> ArmedTrafficFault {
        ArmedTrafficFault { $0.id = air.arm(effect, aim, direction) }
    }

    /// Ends one fault or all. With the last one, held messages arrive now, and lost ones are repaired.
    func heal(_ id: String?) throws {
        try bring(air.heal(id))
        collect(.healed)
    }

    /// The armed faults and how often they have fired, in both directions together.
    var armedFaults: ListTrafficFaults.Result {
        var faults: ListTrafficFaults.Result = []
        for course in air.courses {
            if faults.last?.id != course.fault.id {
                faults.append(
                    ListTrafficFaults.Fault {
                        $0.id = course.fault.id
                        $0.matched = 0
                        $0.fired = 0
                    })
            }
            faults[faults.count - 1].matched += course.matched
            faults[faults.count - 1].fired += course.fired
        }
        return faults
    }

    // MARK: Traces

    private func note(_ occurrence: LinkFaultInjector.Occurrence, of frame: WatchFrame) {
        let fault = occurrence.fault
        var fields: [String: JSONValue] = [
            "link": .string(name), "direction": .string(fault.direction.rawValue),
            "kind": .string(frame.messageKind?.rawValue ?? "greeting"), "fault": .string(fault.word.rawValue),
            "effect": .string(occurrence.effect), "ordinal": .integer(Int64(occurrence.ordinal)),
            "armed": .string(fault.id),
        ]
        // Confirmations of transfers concern all up to a number.
        let about = frame.messageId == WatchFrame.none ? frame.correlationId : frame.messageId
        if about != WatchFrame.none { fields["id"] = .string(about.uuidString) }
        if !frame.app.isEmpty { fields["app"] = .string(frame.app) }
        trace.emit(.linkFaulted, fields)
    }
}
