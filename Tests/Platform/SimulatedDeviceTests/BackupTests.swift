// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Backups of a phone", .endsInTime)
struct BackupTests {
    private static let app = AppSpec(
        name: "main", kind: .app, bundleIdentifier: "com.example.main", appGroups: ["group.example"],
        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))
    private static let wallet = AppSpec(
        name: "wallet", kind: .app, bundleIdentifier: "com.example.wallet",
        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))

    private let device: TemporaryDevice
    private let phone = DeviceSpec(name: "phone", kind: .phone, apps: [BackupTests.app, BackupTests.wallet])
    private let other = DeviceSpec(name: "other", kind: .phone, apps: [BackupTests.app, BackupTests.wallet])
    private let value = Data([1, 2, 3])

    init() throws { device = try TemporaryDevice(name: "phone") }

    private func sandbox(on spec: DeviceSpec) throws -> Sandbox {
        try Sandbox(
            layout: device.layout, device: spec, app: Self.app, trace: nil, clock: device.clock, faults: nil,
            owner: device)
    }

    private func make(_ name: String = "b", isEncrypted: Bool = false) throws -> DeviceBackup.Content {
        try DeviceBackup.make(name, of: phone, isEncrypted: isEncrypted, in: device.layout)
    }

    private func restore(_ name: String = "b", to spec: DeviceSpec) throws -> DeviceBackup.Content {
        try DeviceBackup(named: name, in: device.layout).restore(to: spec)
    }

    /// Does what the agent does before a backup comes.
    private func erase(_ spec: DeviceSpec) throws {
        try DeviceRegistry(layout: device.layout, device: spec.name).erase()
        for suffix in ["", "-wal", "-shm"] { try Files.remove(device.layout.keychainPath(spec.name) + suffix) }
        try DeviceSecurity(layout: device.layout, device: spec).changeState { $0.erase() }
    }

    @Test(arguments: [false, true])
    func `Another phone gets preferences and files, and of the keychain what an encrypted backup has for any device`(
        isEncrypted: Bool
    ) throws {
        let first = try sandbox(on: phone)
        try #require(first.defaults()).set(true, forKey: "own")
        try #require(first.defaults(suite: "group.example")).set(.text("shared"), forKey: "group")
        for folder in ["Documents", "tmp", "Library/Caches"] {
            try Files.createDirectory("\(first.home)/\(folder)")
            try Files.write(value, to: "\(first.home)/\(folder)/file")
        }
        first.keychain.add(value, service: "s", account: "one device")
        first.keychain.add(value, service: "s", account: "any device", accessibility: .afterFirstUnlock)

        let kept = try make(isEncrypted: isEncrypted)
        #expect(kept == DeviceBackup.Content(files: 3, keychainItems: isEncrypted ? 2 : 0))
        let backup = try DeviceBackup(named: "b", in: device.layout)
        #expect(backup.device == "phone" && backup.isEncrypted == isEncrypted)
        try erase(other)
        let (items, left) = isEncrypted ? (1, 1) : (0, 0)
        #expect(
            try backup.restore(to: other)
                == DeviceBackup.Content(files: 3, keychainItems: items, itemsLeftOut: left))

        let second = try sandbox(on: other)
        #expect(second.home != first.home)
        let own = try #require(second.defaults())
        let group = try #require(second.defaults(suite: "group.example"))
        #expect(own.bool(forKey: "own") && group.value(forKey: "group") == .text("shared"))
        #expect(try Files.read("\(second.home)/Documents/file") == value)
        #expect(!Files.exists("\(second.home)/tmp") && !Files.exists("\(second.home)/Library/Caches"))
        let read = second.keychain.read(service: "s", account: "any device")
        #expect(read.value == (isEncrypted ? value : nil))
        #expect(second.keychain.read(service: "s", account: "one device").status == errSecItemNotFound)
        #expect(second.device.vendorIdentifier != first.device.vendorIdentifier)
    }

    @Test func `The phone itself gets every item back, but none that was linked to the enrolled face`() throws {
        let first = try sandbox(on: phone)
        try first.security.changeState { try $0.enrol() }
        first.keychain.add(value, service: "s", account: "a")
        #expect(first.keychain.update(Data([9]), service: "s", account: "a").status == errSecSuccess)
        let linked = first.keychain.add(value, service: "s", account: "face", protection: .currentBiometricSet)
        #expect(linked.status == errSecSuccess)
        #expect(try make(isEncrypted: true).keychainItems == 2)

        try erase(phone)
        let content = try restore(to: phone)
        #expect(content.keychainItems == 2 && content.itemsLeftOut == 0)
        let second = try sandbox(on: phone)
        #expect(second.keychain.read(service: "s", account: "a").value == Data([9]))
        let entries = try KeychainInventory(path: device.layout.keychainPath("phone")).entries()
        #expect(entries.map(\.generation) == [2, 1] && entries.allSatisfy(\.isIntact))
        // The next face has the number of the lost one.
        try second.security.changeState { try $0.enrol() }
        #expect(second.keychain.read(service: "s", account: "face").status == errSecItemNotFound)
    }

    @Test func `A later backup of a name replaces it; apps that it does not have are not on the phone afterwards`()
        throws
    {
        let registry = DeviceRegistry(layout: device.layout, device: "phone")
        _ = try registry.container(ofApp: Self.wallet.bundleIdentifier)
        _ = try make()
        try registry.uninstall([Self.wallet], from: phone)
        _ = try make()
        try registry.install(Self.wallet.bundleIdentifier)
        _ = try make("later")
        try erase(other)
        let successor = DeviceRegistry(layout: device.layout, device: "other")
        _ = try restore(to: other)
        #expect(try successor.isInstalled(Self.app.bundleIdentifier))
        #expect(try !successor.isInstalled(Self.wallet.bundleIdentifier))
        _ = try restore("later", to: other)
        #expect(try successor.isInstalled(Self.wallet.bundleIdentifier))
        #expect(try Files.list(device.layout.backupsDirectory) == [".lock", "b", "later"])
    }

    @Test func `An unknown or damaged backup and an impossible name are refused with an error of their own`() throws {
        #expect(throws: DeviceBackupError.unknown("b", known: [])) {
            try DeviceBackup(named: "b", in: device.layout)
        }
        _ = try make("a")
        let error = #expect(throws: DeviceBackupError.self) { try DeviceBackup(named: "b", in: device.layout) }
        #expect(error == .unknown("b", known: ["a"]) && error?.description.contains("`a`") == true)
        for name in ["", "../a", ".a", "a b", String(repeating: "x", count: 101)] {
            #expect(throws: DeviceBackupError.invalidName(.invalidName(name))) { try make(name) }
            #expect(throws: DeviceBackupError.invalidName(.invalidName(name))) {
                try DeviceBackup(named: name, in: device.layout)
            }
        }
        let path = device.layout.backupsDirectory + "/a/backup.json"
        try Files.write(Data(try Files.read(path).dropLast(9)), to: path)
        #expect(throws: CheckedFile.Damaged.self) { try DeviceBackup(named: "a", in: device.layout) }
    }

    @Test func `Another vendor identifier is that of all apps of the team at once, and of no other team`() throws {
        let registry = DeviceRegistry(layout: device.layout, device: "phone")
        let (before, foreign) = (try registry.vendorIdentifier(team: "t"), try registry.vendorIdentifier(team: "u"))
        let now = try registry.changeVendorIdentifier(team: "t")
        #expect(now != before && now == now.uppercased() && UUID(uuidString: now) != nil)
        #expect(try registry.vendorIdentifier(team: "t") == now && registry.vendorIdentifier(team: "u") == foreign)
    }
}
