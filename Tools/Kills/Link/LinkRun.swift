// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import LabTesting
import LabVocabulary

/// Kills processes while messages go over a link, in one instance of the lab.
///
/// Thread rule: one thread at a time. Calls block.
final class LinkRun {
    /// The number of guaranteed messages per cell.
    private static let burst = 3
    /// The maximum number of attempts.
    private static let rounds = 5

    /// The number of messages sent so far.
    var messages: Int { Int(devices.lastNumber) }

    private let lab: Lab
    private let devices: LinkedDevices
    private let faults: FaultTable

    init(_ lab: Lab) throws {
        self.lab = lab
        devices = LinkedDevices(lab)
        faults = try FaultTable.open(lab.layout.faultsPath)
        try devices.awaitReach()
    }

    /// Kills a process in a cell, restarts it, and checks in both directions that nothing is stuck.
    ///
    /// - Returns: Whether a process died.
    /// - Throws: ``Breach``, or the error of a command that had to succeed.
    func run(_ cell: LinkCell) throws -> Bool {
        // Everything is sent twice, so that only the check for duplicates removes them.
        try devices.lab.pairing.call(DuplicateMessages())
        let arming = try faults.arm(
            FaultRule(point: cell.point, process: name(of: cell.victim, cell.direction), action: .kill, pass: cell.pass)
        )
        switch cell.message {
        case .transfer: try sendTransfers(cell) { hasFired(arming) }
        case .message:
            try sendMessage(cell)
            // Some points come after the answer.
            try? lab.eventually("\(cell)") { hasFired(arming) }
        }
        let hasDied = hasFired(arming)
        try faults.disarm()
        if hasDied { try devices.awaitDeath(of: cell.victim, cell.direction) }
        let isErased = hasDied && cell.victim.isErased
        let side = cell.victim.sends ? devices.sender(cell.direction) : devices.receiver(cell.direction)
        if isErased { try devices.erase(side) }
        let first = devices.lastNumber + 1
        try devices.recover()
        // A phone that died has lost them.
        try devices.lab.pairing.call(HealTraffic())
        for direction in LinkDirection.allCases {
            guard isErased else {
                try devices.prove(direction)
                continue
            }
            // An erased phone has another pairing; messages that wait for an erased watch still arrive.
            let isPhone = side.app.name == devices.phone.app.name
            let isNew = isPhone && devices.receiver(direction).app.name == side.app.name
            try devices.proveMemory(direction, isNew: isNew, since: first)
        }
        return hasDied
    }

    /// Sends messages until enough passes of the point kill a process: several may be confirmed together.
    private func sendTransfers(_ cell: LinkCell, until hasDied: () -> Bool) throws {
        for round in 1...Self.rounds where !hasDied() {
            var last: Int64?
            for _ in 0..<Self.burst { try attempt { last = try devices.transfer(cell.direction) } }
            try lab.eventually(within: .seconds(20).stretched, "\(cell), or the end of round \(round)") {
                // A process that is dying does not answer; at the next request it is dead.
                hasDied() || last.map { (try? devices.isTold($0, cell.direction)) ?? false } ?? true
            }
        }
    }

    /// Any truthful answer is fine: a reply, or an error that does not claim that nothing has arrived.
    private func sendMessage(_ cell: LinkCell) throws {
        let content: [String: JSONValue] = ["number": .integer(devices.nextNumber())]
        try attempt {
            let reply = try devices.sender(cell.direction).app.call(SendMessage { $0.message = content })
            guard reply == content else {
                throw Breach(expected: "the reply to \(content) is the same, but it is \(reply ?? [:])")
            }
        }
        let times = try? devices.receiver(cell.direction).app.call(ReceivedMessages()).count { $0 == content }
        guard times ?? 0 <= 1 else {
            throw Breach(expected: "an immediate message arrives once at most, not \(times ?? 0) times")
        }
    }

    /// A call to a process that may die during it: its outcome is then unknown, and is read from the traces.
    private func attempt(_ call: () throws -> Void) throws {
        do {
            try call()
        } catch let error as ControlError
            where error.isDeath || error.labError == .notRunning || error.domain == "WCErrorDomain"
        {
            return
        }
    }

    private func name(of victim: LinkCell.Victim, _ direction: LinkDirection) -> String {
        let side = victim.sends ? devices.sender(direction) : devices.receiver(direction)
        return victim.isApp ? side.app.name : side.device.name
    }

    private func hasFired(_ arming: UInt32) -> Bool {
        faults.rules().contains { $0.id == arming && $0.fired > 0 }
    }
}
