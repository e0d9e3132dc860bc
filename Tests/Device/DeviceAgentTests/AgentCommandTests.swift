// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// A command of devices that no agent has a handler for.
private struct UnansweredDeviceCommand: Command {
    static let info = CommandInfo("unanswered", of: .device, "No handler answers it.")
}

/// The same of the processes of apps.
private struct UnansweredProcessCommand: Command {
    static let info = CommandInfo("unanswered", of: .process, "No handler answers it.")
}

/// The same of links.
private struct UnansweredLinkCommand: Command {
    static let info = CommandInfo("unanswered", of: .link, "No handler answers it.")
}

/// What a device answers to commands: errors that scenarios can name, and what it does otherwise.
@Suite("Commands of a device", .endsInTime)
struct AgentCommandTests {
    private typealias Row = (command: any Command.Type, actor: String?, arguments: JSONValue, error: String?)

    /// Gives the commands one after the other; each ends with the error of its row.
    private func check(_ rows: [Row], on device: UnservedAgent) throws {
        for (place, row) in rows.enumerated() {
            let answer = try #require(try device.perform(row.command, of: row.actor, row.arguments))
            #expect(answer.error?.name == row.error, "row \(place): \(row.command.name) says \(answer.error as Any)")
        }
    }

    @Test
    func
        `A command that does not fit the state of the device is refused with the name of the error, and changes nothing`()
        throws
    {
        let phone = try UnservedAgent()
        let processes: [Row] = [
            (Kill.self, "main", [:], "wrongState"), (Terminate.self, "main", [:], "wrongState"),
            (OutOfMemory.self, "main", [:], "wrongState"), (Suspend.self, "main", [:], "wrongState"),
            (Resume.self, "main", [:], "wrongState"), (ForceQuit.self, "main", [:], nil),
            (Install.self, "main", [:], "wrongState"), (Uninstall.self, "main", [:], nil),
            (Uninstall.self, "main", [:], "wrongState"), (Uninstall.self, "widget", [:], "wrongState"),
            (Reinstall.self, "main", [:], "wrongState"), (Launch.self, "main", [:], "launchFailed"),
            (Install.self, "main", [:], nil), (Install.self, "widget", [:], "wrongState"),
            (Reinstall.self, "main", [:], nil), (Uninstall.self, "wallet", [:], nil),
            (AddComplication.self, "main", [:], "wrongState"), (RemoveComplication.self, "main", [:], "wrongState"),
            (AllowNotifications.self, "widget", [:], "wrongState"), (AllowNotifications.self, "main", [:], nil),
        ]
        let links: [Row] = [
            (SwitchWatch.self, nil, ["link": "unknown"], "wrongState"),
            (SwitchWatch.self, nil, ["link": "pairing"], "wrongState"),
            (SwitchWatch.self, nil, ["link": "other"], nil), (PairWatch.self, "other", [:], "wrongState"),
            (UnpairWatch.self, "pairing", [:], nil), (UnpairWatch.self, "pairing", [:], "wrongState"),
            (SwitchWatch.self, nil, ["link": "pairing"], "wrongState"), (PairWatch.self, "pairing", [:], nil),
            (InspectLink.self, nil, ["link": "unknown"], "badArgument"),
        ]
        let device: [Row] = [
            (TapNotification.self, nil, [:], "wrongState"), (DismissNotification.self, nil, [:], "wrongState"),
            (DeliverPush.self, nil, ["token": "00", "payload": [:]], "unknownDeviceToken"),
            (AlterBiometry.self, nil, [:], "wrongState"), (SetPasscode.self, nil, ["isSet": false], nil),
            (EnrolBiometry.self, nil, [:], "wrongState"), (UnlinkSharedMemory.self, nil, [:], "wrongState"),
            (TruncateSharedMemory.self, nil, [:], "wrongState"),
            (OverwriteSharedMemory.self, nil, ["offset": 0, "count": 1], "wrongState"),
            (RemoveGroupContainer.self, nil, ["appGroup": "group.unknown"], "badArgument"),
            (InspectSharing.self, nil, ["of": "unknown"], "badArgument"),
        ]
        try check(processes + links + device, on: phone)
        #expect(try phone.perform("kill", of: "unknown")?.error?.name == "unknownActor")
        #expect(try phone.perform("unknown", of: "main")?.error?.name == "unknownCommand")
        #expect(try phone.perform("ping", of: nil)?.error == nil)
    }

    @Test func `A backup needs a phone that was unlocked; a watch and an unknown backup are refused`() throws {
        let phone = try UnservedAgent()
        let registry = phone.agent.registry
        let home = try registry.container(ofApp: "com.example.main")
        let vendor = try registry.vendorIdentifier(team: phone.agent.device.team)
        let rows: [Row] = [
            (MakeBackup.self, nil, ["name": "../b"], "badArgument"), (MakeBackup.self, nil, ["name": "b"], nil),
            (RestoreBackup.self, nil, ["name": "c"], "badArgument"),
        ]
        try check(rows, on: phone)
        #expect(try registry.container(ofApp: "com.example.main") == home, "an unknown backup erases nothing")
        let answer = try #require(try phone.perform(RestoreBackup.self, ["name": "b"]))
        #expect(answer.result == ["device": "phone", "files": 0, "keychainItems": 0, "itemsLeftOut": 0])
        #expect(try registry.container(ofApp: "com.example.main") != home)
        let change = try #require(try phone.perform(ChangeVendorIdentifier.self)?.result)
        #expect(change["before"] != .string(vendor), "an erased phone has another one")
        #expect(try change["now"] == .string(registry.vendorIdentifier(team: phone.agent.device.team)))
        try check([(Reboot.self, nil, [:], nil), (MakeBackup.self, nil, ["name": "b"], "wrongState")], on: phone)

        let watch = try UnservedAgent("watch")
        try check(
            [
                (MakeBackup.self, nil, ["name": "b"], "wrongState"),
                (RestoreBackup.self, nil, ["name": "b"], "wrongState"),
            ], on: watch)
    }

    @Test func `A watch has no other watch, and its complication is shown once`() throws {
        let watch = try UnservedAgent("watch")
        let rows: [Row] = [
            (SwitchWatch.self, nil, ["link": "pairing"], "wrongState"), (EnrolBiometry.self, nil, [:], "wrongState"),
            (AllowBiometry.self, nil, ["isAllowed": true], "wrongState"),
            (AllowNotifications.self, "companion", [:], "wrongState"),
            (RemoveComplication.self, "companion", [:], "wrongState"), (AddComplication.self, "companion", [:], nil),
            (AddComplication.self, "companion", [:], "wrongState"), (RemoveComplication.self, "companion", [:], nil),
            (Uninstall.self, "companion", [:], nil), (AddComplication.self, "companion", [:], "wrongState"),
        ]
        try check(rows, on: watch)
    }

    @Test
    func `A notification is opened on an unlocked screen only; it stays until then, or until the user clears it`()
        throws
    {
        let phone = try UnservedAgent()
        let agent = phone.agent
        for id in ["1", "2"] {
            try agent.notifications.change { $0.show(DeviceNotification(id: id, payload: [:], date: 0), of: "main") }
        }
        #expect(try phone.perform(LockDevice.self)?.error == nil)
        let refusal = try #require(try phone.perform(TapNotification.self)?.error)
        #expect(refusal.name == "wrongState" && refusal.domain == "device" && refusal.message.contains("locked"))
        #expect(agent.notifications.record.shown.map(\.notification.id) == ["1", "2"])
        #expect(try phone.perform(UnlockDevice.self)?.error == nil)
        #expect(try phone.perform(DismissNotification.self, ["id": "1"])?.error == nil)
        #expect(agent.notifications.record.shown.map(\.notification.id) == ["2"])
        #expect(try phone.perform(DismissNotification.self, ["id": "1"])?.error?.name == "wrongState")
        // The app is not there, so it cannot be launched; the notification is gone, and no later process gets it.
        #expect(try phone.perform(TapNotification.self)?.error?.name == "launchFailed")
        #expect(agent.notifications.record.shown.isEmpty)
        #expect(agent.hosts["main"]?.notifications.waiting.isEmpty == true)
        let dropped = try phone.traced(.pushDropped)
        #expect(dropped.map { $0.fields["id"]?.stringValue } == ["2"])
        #expect(dropped.map { $0.fields["reason"]?.stringValue } == ["processEnded"])
    }

    @Test func `A command that arms a fault of the link arms what its arguments say`() throws {
        let phone = try UnservedAgent()
        let all: JSONValue = [
            "chance": 0.5, "every": 2, "kind": "context", "direction": "toPhone", "times": 4, "skip": 1,
        ]
        let aim = LinkFault.Aim(kind: .context, chance: 0.5, every: 2, skip: 1, times: 4)
        func arguments(_ more: [String: JSONValue] = [:]) -> JSONValue {
            .object((all.objectValue ?? [:]).merging(more) { $1 })
        }
        let rows: [(command: any Command.Type, arguments: JSONValue, effect: LinkFault.Effect, aim: LinkFault.Aim)] = [
            (
                SlowMessages.self,
                ["by": "2s", "jitter": "1s", "rate": 9, "kind": "live", "direction": "toPhone", "times": 3, "skip": 2],
                .slow(by: .seconds(2), jitter: .seconds(1), rate: 9), .init(kind: .live, skip: 2, times: 3)
            ),
            (DropMessages.self, arguments(["burst": 3]), .drop(burst: 3), aim),
            (DuplicateMessages.self, arguments(), .duplicate, aim), (ReorderMessages.self, arguments(), .reorder, aim),
            (CorruptMessages.self, arguments(["byte": 7]), .corrupt(byte: 7), aim),
            (CutLink.self, ["direction": "toPhone"], .cut, .init()),
        ]
        for (place, row) in rows.enumerated() {
            let answer = try #require(try phone.perform(row.command, of: "pairing", row.arguments))
            #expect(answer.error == nil && answer.result?["id"] == .string("fault-\(place + 1)"))
        }
        let expected = rows.enumerated().map { place, row in
            LinkFault(id: "fault-\(place + 1)", effect: row.effect, direction: .toPhone, aim: row.aim)
        }
        #expect(phone.agent.links.first { $0.name == "pairing" }?.air.courses.map(\.fault) == expected)
        _ = try phone.perform(DropMessages.self, of: "pairing")
        let listed = try #require(try phone.perform(ListTrafficFaults.self, of: "pairing")?.result?.arrayValue)
        let ids = listed.compactMap { $0["id"]?.stringValue }
        #expect(ids == (1...7).map { "fault-\($0)" }, "one for both directions is one")
        _ = try phone.perform(HealTraffic.self, of: "pairing", ["id": "fault-2"])
        #expect(phone.agent.links.first { $0.name == "pairing" }?.air.courses.count == 7)
        _ = try phone.perform(HealTraffic.self, of: "pairing")
        #expect(phone.agent.links.allSatisfy { $0.air.isClear })
    }

    @Test func `An agent does not start without a handler for each command of device, processes and links`() throws {
        let rows: [(command: any Command.Type, kind: ActorKind)] = [
            (UnansweredDeviceCommand.self, .device), (UnansweredProcessCommand.self, .process),
            (UnansweredLinkCommand.self, .link),
        ]
        for (command, kind) in rows {
            let error = #expect(throws: IncompleteCommandTable.self) {
                try UnservedAgent(vocabulary: Vocabulary([command]))
            }
            #expect(error?.kind == kind && error?.mistakes == ["`unanswered` has no handler"])
        }
        let others = try UnservedAgent(vocabulary: Vocabulary([]))
        #expect(try others.perform("ping", of: nil)?.error == nil)
    }
}
