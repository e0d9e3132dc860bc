import Foundation
import LabKit

extension SharingState {
    /// The lines for people.
    public var lines: [String] {
        devices.flatMap { device in
            (device.problem.map { ["\(device.name) does not answer: \($0)"] } ?? [])
                + device.activations.flatMap { Self.lines(of: $0, on: device.name) }
        }
    }

    private static func lines(of activation: InspectSharing.Activation, on device: String) -> [String] {
        let apps = activation.apps.joined(separator: ", ")
        return ["\(activation.instanceId) in \(activation.appGroup) on \(device), shared by \(apps)"]
            + activation.memory.flatMap(lines)
            + [
                InspectionText.row("operation", activation.operation.map(text) ?? "none"),
                InspectionText.row("status lock", text(of: activation.statusLock)),
                InspectionText.row("queue lock", text(of: activation.queueLock)),
                InspectionText.row("operation lock", text(of: activation.operationLock)),
            ]
            + (activation.keychainItems.isEmpty
                ? [InspectionText.row("keychain", "no items")]
                : InspectionText.rows("keychain", activation.keychainItems.map(text)))
    }

    private static func lines(of memory: InspectSharing.Memory) -> [String] {
        let size = memory.size.map { ", \($0) bytes" } ?? ""
        let record = memory.isRecorded ? "" : ", not the name that the apps have recorded"
        var lines = ["\(memory.name): \(sentence(of: memory.state))\(size)\(record)"]
        if let magic = memory.magic, let version = memory.version, let hash = memory.instanceHash {
            lines.append("magic \(magic), version \(version), instanceIdentifier \(hash)")
        }
        if let state = memory.stateModifyCounter, let token = memory.tokenModifyCounter,
            let ticket = memory.operationTicket
        {
            lines.append("stateModifyCounter \(state), tokenModifyCounter \(token), specialOpTicket \(ticket)")
        }
        return InspectionText.rows("memory", lines)
    }

    private static func sentence(of state: InspectSharing.MemoryState) -> String {
        switch state {
        case .usable: "usable"
        case .missing: "missing; the next app creates it"
        case .tooShort: "too short; the next app recreates it"
        case .unfinished: "not initialised; the next app completes it"
        case .wrongMagic: "not memory of the SDK; apps reject it"
        case .otherInstance: "memory of another instance identifier; apps reject it"
        case .wrongVersion: "unknown version; apps reject it"
        }
    }

    private static func text(of operation: InspectSharing.Operation) -> String {
        let owner = operation.application ?? "an unreadable identifier"
        let app = operation.app.map { " (\($0))" } ?? ""
        let age = operation.age.map { ", last sign of life \(InspectionText.time($0)) ago" } ?? ""
        let end = operation.ownerIsAlive ? "its owner is alive" : "its owner is dead; the next app may take over"
        return "\(operation.type) of \(owner)\(app)\(age); \(end)"
    }

    private static func text(of lock: InspectSharing.Lock) -> String {
        guard !lock.holders.isEmpty else { return "free" }
        return (lock.holders.map { "held by \(text(of: $0))" } + lock.waiting.map { "\(text(of: $0)) waits" })
            .joined(separator: "; ")
    }

    private static func text(of process: InspectSharing.Process) -> String {
        let state = process.state == .suspended ? ", suspended" : ""
        let duration = process.duration.map { ", for \(InspectionText.time($0))" } ?? ""
        return "\(process.app) (pid \(process.pid)\(state)\(duration))"
    }

    private static func text(of item: InspectSharing.Item) -> String {
        let protection = item.protection == .none ? "" : ", protected by \(item.protection.rawValue)"
        return "\(item.service) / \(item.account): \(item.size) bytes\(protection)"
    }
}
