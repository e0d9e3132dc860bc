// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabTesting
import LabVocabulary

/// A phone with an app and a watch with its companion, which send each other numbered messages.
///
/// Thread rule: one thread at a time. Calls block.
final class LinkedDevices {
    /// One of the two, with the state of its messages.
    struct Side {
        let device: LabActor
        let app: LabActor
    }

    let lab: Lab
    let phone: Side
    let watch: Side
    /// The number of the last message.
    private(set) var lastNumber: Int64 = 0

    init(_ lab: Lab) {
        self.lab = lab
        phone = Side(device: lab.phone, app: lab.main)
        watch = Side(device: lab.watch, app: lab.companion)
    }

    /// The apps share nothing and have no server: only the link is tested.
    static var cast: Lab.Cast {
        let main = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "com.example.bank"))
        let companion = AppSpec(
            name: "companion", kind: .watchApp, bundleIdentifier: "com.example.main.watch", host: "main",
            powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "com.example.bank"))
        return .topology(
            Topology(
                name: "linkMatrix",
                devices: [
                    DeviceSpec(name: "phone", kind: .phone, apps: [main]),
                    DeviceSpec(name: "watch", kind: .watch, apps: [companion]),
                ],
                links: [LinkSpec(name: "pairing", phone: "phone", watch: "watch")]))
    }

    func sender(_ direction: LinkDirection) -> Side { direction == .toWatch ? phone : watch }
    func receiver(_ direction: LinkDirection) -> Side { direction == .toWatch ? watch : phone }

    /// Waits until both sessions call their counterparts reachable.
    func awaitReach() throws {
        for side in [phone, watch] {
            try lab.eventually(within: .seconds(20).stretched, "\(side.app.name) reaches its counterpart") {
                try side.app.call(WatchSessionState()).isReachable
            }
        }
    }

    func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Queues a message.
    ///
    /// - Returns: Its number.
    @discardableResult
    func transfer(_ direction: LinkDirection) throws -> Int64 {
        let number = nextNumber()
        try sender(direction).app.call(TransferUserInfo { $0.userInfo = ["number": .integer(number)] })
        return number
    }

    /// Whether the sender knows that a message has arrived.
    func isTold(_ number: Int64, _ direction: LinkDirection) throws -> Bool {
        try sender(direction).app.call(FinishedUserInfoTransfers()).contains {
            $0.userInfo == ["number": .integer(number)] && $0.code == nil
        }
    }

    /// Sends a message that proves that all earlier ones have arrived, and that both apps know it.
    func prove(_ direction: LinkDirection) throws {
        let (sender, receiver) = (sender(direction), receiver(direction))
        let number = try transfer(direction)
        let content: [String: JSONValue] = ["number": .integer(number)]
        try lab.eventually(within: .seconds(20).stretched, "\(receiver.app.name) gets the message \(content)") {
            try receiver.app.call(ReceivedUserInfo()).contains(content)
        }
        try lab.eventually(within: .seconds(20).stretched, "\(sender.app.name) knows that \(content) has arrived") {
            try isTold(number, direction)
        }
    }

    /// Erases a device, with all that it has sent and received.
    func erase(_ side: Side) throws {
        try side.device.call(SwitchOnDevice())
        try side.device.call(Erase())
    }

    /// Sends a context and a message that prove that neither side treats new content as old, and that no old content is
    /// left in a queue.
    ///
    /// - Parameters:
    ///   - isNew: The receiver's app has no earlier state.
    ///   - first: The first number after that.
    func proveMemory(_ direction: LinkDirection, isNew: Bool, since first: Int64) throws {
        let (sender, receiver) = (sender(direction), receiver(direction))
        let context: [String: JSONValue] = ["number": .integer(nextNumber())]
        try sender.app.call(UpdateApplicationContext { $0.context = context })
        try lab.eventually(within: .seconds(20).stretched, "\(receiver.app.name) gets the context \(context)") {
            try receiver.app.call(ApplicationContexts()).received == context
        }
        try prove(direction)
        let numbers = try receiver.app.call(ReceivedUserInfo()).map { $0["number"]?.integerValue ?? 0 }
        guard zip(numbers, numbers.dropFirst()).allSatisfy(<), !isNew || numbers.allSatisfy({ $0 >= first }) else {
            throw Breach(
                expected: "\(receiver.app.name) gets each message once, in order, and none from before: \(numbers)")
        }
        for side in [sender, receiver] {
            try lab.eventually("the queues of \(side.device.name) are empty") {
                try side.device.call(InspectLink()).allSatisfy {
                    $0.outbox.waiting + $0.outbox.sent + $0.inbox.waiting == 0
                }
            }
        }
    }

    /// Restarts the processes that are not running.
    func recover() throws {
        for side in [phone, watch] {
            if !isOn(side) {
                try side.device.call(SwitchOnDevice())
                try side.device.call(UnlockDevice())
            }
            let processes = try side.device.call(Processes())
            if !processes.contains(where: { $0.app == side.app.name && $0.state == .running }) {
                try side.app.call(Launch())
            }
        }
        try awaitReach()
    }

    private func isOn(_ side: Side) -> Bool { (try? side.device.call(Processes())) != nil }

    /// Waits until a killed process is reported as dead.
    func awaitDeath(of victim: LinkCell.Victim, _ direction: LinkDirection) throws {
        let side = victim.sends ? sender(direction) : receiver(direction)
        try lab.eventually("\(victim.rawValue) is dead") {
            guard victim.isApp else { return !isOn(side) }
            return try side.device.call(Processes()).contains { $0.app == side.app.name && $0.state == .notRunning }
        }
    }
}
