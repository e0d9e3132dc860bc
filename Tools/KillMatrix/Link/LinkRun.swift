import LabKit
import LabTesting

/// Kills processes while messages go over a link, in one instance of the lab.
///
/// Thread rule: one thread at a time. Calls block.
final class LinkRun {
    /// How many guaranteed messages a cell sends.
    private static let burst = 3
    /// How often it does so at most.
    private static let rounds = 5

    /// How many messages were sent so far.
    var messages: Int { Int(devices.lastNumber) }

    private let lab: TestInstance
    private let devices: LinkedDevices
    private let faults: FaultTable

    init(_ lab: TestInstance) throws {
        self.lab = lab
        devices = LinkedDevices(lab)
        faults = try FaultTable.open(lab.layout.faultsPath)
        try devices.awaitReach()
    }

    /// Lets a process die in a cell, starts it again, and lets both directions prove that nothing is stuck.
    ///
    /// - Returns: Whether a process died.
    /// - Throws: ``Breach``, or the error of a command that had to succeed.
    func run(_ cell: LinkCell) throws -> Bool {
        // Everything comes twice, so that nothing but the check for doubles keeps them away.
        try devices.lab.pairing.call(DuplicateMessages())
        let arming = try faults.arm(
            FaultRule(point: cell.point, process: name(of: cell.victim, cell.direction), action: .kill, pass: cell.pass)
        )
        switch cell.message {
        case .transfer: try sendTransfers(cell) { hasFired(arming) }
        case .message:
            try sendMessage(cell)
            // Some points lie behind the answer.
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
        // A phone that has died has forgotten them.
        try devices.lab.pairing.call(HealTraffic())
        for direction in LinkDirection.allCases {
            guard isErased else {
                try devices.prove(direction)
                continue
            }
            // A phone that is as new has another pairing; what waits for a watch that is as new still arrives.
            let isPhone = side.app.name == devices.phone.app.name
            let isNew = isPhone && devices.receiver(direction).app.name == side.app.name
            try devices.proveMemory(direction, isNew: isNew, since: first)
        }
        return hasDied
    }

    /// Sends messages until the point was passed so often that a process dies: several may be confirmed together.
    private func sendTransfers(_ cell: LinkCell, until hasDied: () -> Bool) throws {
        for round in 1...Self.rounds where !hasDied() {
            var last: Int64?
            for _ in 0..<Self.burst { try attempt { last = try devices.transfer(cell.direction) } }
            try lab.eventually(within: .seconds(20).stretched, "\(cell), or the end of round \(round)") {
                // Who dies just now answers nothing, and has died when it is asked again.
                hasDied() || last.map { (try? devices.isTold($0, cell.direction)) ?? false } ?? true
            }
        }
    }

    /// Every answer is fine that tells the truth: a reply, or an error that does not claim that nothing has arrived.
    private func sendMessage(_ cell: LinkCell) throws {
        let content: [String: JSONValue] = ["number": .integer(devices.nextNumber())]
        try attempt {
            let reply = try devices.sender(cell.direction).app.call(SendMessage { $0.message = content })
            guard reply == content else {
                throw Breach("the reply to \(content) is the same, but it is \(reply ?? [:])")
            }
        }
        let times = try? devices.receiver(cell.direction).app.call(ReceivedMessages()).count { $0 == content }
        guard times ?? 0 <= 1 else {
            throw Breach("an immediate message arrives once at most, not \(times ?? 0) times")
        }
    }

    /// A call to somebody who may die over it: what became of it is then unknown, and the traces tell.
    private func attempt(_ call: () throws -> Void) throws {
        do {
            try call()
        } catch let error as ControlError
            where ["peerDied", "notRunning", "unreachable"].contains(error.name) || error.domain == "WCErrorDomain"
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
