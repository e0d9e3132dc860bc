// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
package import LabVocabulary
import ScenarioLanguage

/// The state shared by the apps of an instance at one moment: printed by `lab inspect sharing`, and kept when a
/// scenario fails.
public struct SharingState: InspectedState {
    package static let fileName = "sharing.json"
    package static let subject = "apps that share"

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    public private(set) var version = 1
    /// The devices with apps that share.
    package var devices: [Device]

    /// The state shared by the apps of one device.
    package struct Device: InspectedDevice {
        package var name: String
        package var activations: [InspectSharing.Activation]
        package var problem: String?
    }

    /// The devices of a topology that have apps that share.
    package static func devices(of topology: Topology) -> [DeviceSpec] {
        topology.devices.filter { $0.apps.contains { $0.powerAuth.sharing != nil } }
    }

    package init(devices: [Device]) { self.devices = devices }

    /// - Parameter clients: connections that stay open when those of the steps end.
    package init(in connection: InstanceConnection, clients: ControlClients) {
        let devices = Self.devices(of: connection.manifest.topology).map { device in
            switch DeviceAnswer(to: InspectSharing.self, of: device.name, in: connection, clients: clients) {
            case .told(let activations): Device(name: device.name, activations: activations)
            case .silent(let problem): Device(name: device.name, activations: [], problem: problem)
            }
        }
        self.init(devices: devices)
    }

    /// The part about one app, or one app group.
    /// - Throws: ``BadUsage`` if nothing is shared there.
    public func about(_ target: String) throws -> SharingState {
        var part = self
        part.devices = devices.compactMap { device in
            var device = device
            device.activations = device.activations.filter { $0.apps.contains(target) || $0.appGroup == target }
            return device.activations.isEmpty && device.problem == nil ? nil : device
        }
        guard part.devices.isEmpty else { return part }
        let activations = devices.flatMap(\.activations)
        var known: [String] = []
        for name in activations.flatMap(\.apps) + activations.map(\.appGroup) where !known.contains(name) {
            known.append(name)
        }
        guard !known.isEmpty else { throw BadUsage(sentence: "no app of this topology shares an activation") }
        throw BadUsage(
            sentence:
                "`\(target)` is neither an app that shares an activation nor an app group of one\(suggestion(for: target, among: known)); there are \(known.joined(separator: ", "))"
        )
    }

    /// The app to inspect if the shared state may explain a failure; nil if everything is idle.
    func suspect(preferring actor: String?) -> String? {
        let suspects = devices.flatMap(\.activations).filter(\.isInMotion)
        return suspects.contains { activation in actor.map(activation.apps.contains) ?? false }
            ? actor : suspects.first?.apps.first
    }

    package var lines: [String] {
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

extension InspectSharing.Activation {
    /// Whether an operation is pending, a lock is held or waited for longer than a task takes, or apps reject the
    /// memory.
    fileprivate var isInMotion: Bool {
        let processes = [statusLock, queueLock, operationLock].flatMap { $0.holders + $0.waiting }
        return operation != nil || processes.contains { $0.duration ?? 0 > Self.longestTask }
            || memory.contains { [.wrongMagic, .otherInstance, .wrongVersion].contains($0.state) }
    }

    /// In milliseconds; apps that merely work at the same time are not reported.
    private static var longestTask: Int { 200 }
}
