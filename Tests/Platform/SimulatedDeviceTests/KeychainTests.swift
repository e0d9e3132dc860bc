// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import LabPoints
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Keychain", .endsInTime)
struct KeychainTests {
    private let value = Data([1, 2, 3])

    @Test
    func `The groups of an app are its keychain groups, its own group and its app groups, in this order`() throws {
        let sandbox = try Sandbox.temporary(
            bundleIdentifier: "com.example.main", appGroups: ["group.example"],
            keychainAccessGroups: ["LABTEAM001.shared", "OTHERTEAM1.shared"])
        #expect(
            sandbox.identity.keychainAccessGroups == [
                "LABTEAM001.shared", "LABTEAM001.com.example.main", "group.example",
            ])
    }

    @Test func `An item is added once, read, updated and deleted once`() throws {
        let keychain = try Sandbox.temporary().keychain
        #expect(keychain.read(service: "s", account: "a").status == errSecItemNotFound)
        #expect(keychain.update(value, service: "s", account: "a").status == errSecItemNotFound)
        #expect(keychain.delete(service: "s", account: "a") == errSecItemNotFound)
        #expect(keychain.add(value, service: "s", account: "a").status == errSecSuccess)
        #expect(keychain.add(value, service: "s", account: "a").status == errSecDuplicateItem)
        #expect(keychain.read(service: "s", account: "a").value == value)
        #expect(keychain.update(Data([9]), service: "s", account: "a").status == errSecSuccess)
        #expect(keychain.read(service: "s", account: "a").value == Data([9]))
        #expect(keychain.delete(service: "s", account: "a") == errSecSuccess)
        #expect(keychain.read(service: "s", account: "a").status == errSecItemNotFound)
    }

    @Test
    func `Everything that an app may reach is deleted, of every service and group, and nothing of another app`() throws
    {
        let device = try TemporaryDevice()
        let own = try device.sandbox(keychainAccessGroups: ["LABTEAM001.shared"]).keychain
        let other = try device.sandbox(name: "other", bundleIdentifier: "com.example.other").keychain
        #expect(own.deleteEverything() == errSecItemNotFound)
        #expect(own.add(value, service: "s", account: "a").status == errSecSuccess)
        let group = "LABTEAM001.com.example.main"
        #expect(own.add(value, service: "t", account: "b", accessGroup: group).status == errSecSuccess)
        #expect(other.add(value, service: "s", account: "a").status == errSecSuccess)
        #expect(own.deleteEverything() == errSecSuccess)
        for (service, account) in [("s", "a"), ("t", "b")] {
            #expect(own.read(service: service, account: account).status == errSecItemNotFound)
        }
        #expect(other.read(service: "s", account: "a").value == value)
    }

    @Test func `A foreign access group is refused for every call`() throws {
        let keychain = try Sandbox.temporary().keychain
        let group = "LABTEAM001.someone.else"
        #expect(keychain.add(value, service: "s", account: "a", accessGroup: group).status == errSecMissingEntitlement)
        #expect(keychain.read(service: "s", account: "a", accessGroup: group).status == errSecMissingEntitlement)
        #expect(
            keychain.update(value, service: "s", account: "a", accessGroup: group).status == errSecMissingEntitlement)
        #expect(keychain.delete(service: "s", account: "a", accessGroup: group) == errSecMissingEntitlement)
        #expect(keychain.items(service: "s", accessGroup: group).status == errSecMissingEntitlement)
    }

    @Test func `Without a group an item goes to the first group, and is found in all of them`() throws {
        let keychain = try Sandbox.temporary(keychainAccessGroups: ["LABTEAM001.first", "LABTEAM001.second"]).keychain
        keychain.add(value, service: "s", account: "a")
        #expect(keychain.read(service: "s", account: "a", accessGroup: "LABTEAM001.first").value == value)
        #expect(
            keychain.read(service: "s", account: "a", accessGroup: "LABTEAM001.second").status == errSecItemNotFound)
        keychain.add(Data([7]), service: "s", account: "b", accessGroup: "LABTEAM001.second")
        #expect(keychain.read(service: "s", account: "b").value == Data([7]))
        #expect(keychain.items(service: "s").values == ["a": value, "b": Data([7])])
        keychain.add(Data([8]), service: "s", account: "a", accessGroup: "LABTEAM001.second")
        #expect(keychain.items(service: "s").values == ["a": value, "b": Data([7])], "the first group wins")
    }

    @Test
    func `Two apps share the items of a common group only, and a service is wiped in all groups of the wiping app`()
        throws
    {
        let device = try TemporaryDevice()
        let first = try device.sandbox(
            bundleIdentifier: "com.example.first", keychainAccessGroups: ["LABTEAM001.shared"]
        ).keychain
        let second = try device.sandbox(
            name: "second", bundleIdentifier: "com.example.second", keychainAccessGroups: ["LABTEAM001.shared"]
        ).keychain
        first.add(value, service: "s", account: "shared", accessGroup: "LABTEAM001.shared")
        first.add(value, service: "s", account: "own", accessGroup: "LABTEAM001.com.example.first")
        #expect(second.read(service: "s", account: "shared").value == value)
        #expect(second.read(service: "s", account: "own").status == errSecItemNotFound)
        #expect(second.deleteAll(service: "s") == errSecSuccess)
        #expect(first.items(service: "s").values == ["own": value])
        #expect(second.deleteAll(service: "s") == errSecItemNotFound)
    }

    @Test func `A conditional update writes only over the revision it expects; revisions never repeat`() throws {
        let keychain = try Sandbox.temporary().keychain
        let first = try #require(keychain.add(value, service: "s", account: "a").revision)
        #expect(keychain.read(service: "s", account: "a").revision == first)
        let second = try #require(
            keychain.update(Data([2]), service: "s", account: "a", expectedRevision: first).revision)
        #expect(second != first)
        #expect(keychain.update(Data([3]), service: "s", account: "a", expectedRevision: first).status == errSecBadReq)
        #expect(keychain.read(service: "s", account: "a").value == Data([2]))
        keychain.delete(service: "s", account: "a")
        let third = try #require(keychain.add(value, service: "s", account: "a").revision)
        #expect(third != second && third != first)
    }

    @Test(
        arguments: [
            "UPDATE item SET value = x'010204'", "UPDATE item SET value = 'text'", "UPDATE item SET checksum = x'00'",
            "UPDATE item SET checksum = NULL OR 5", "UPDATE item SET value = x''",
        ])
    func `A row with any column changed behind the keychain's back reads as damaged, never as a value`(
        statement: String
    ) throws {
        let device = try TemporaryDevice()
        let keychain = try device.sandbox().keychain
        keychain.add(value, service: "s", account: "a")
        let path = device.layout.keychainPath(device.spec.name)
        try DatabaseQueue(path: path).write { try $0.execute(sql: statement) }
        #expect(keychain.read(service: "s", account: "a").status == errSecDecode)
        #expect(keychain.items(service: "s").status == errSecDecode)
        #expect(try KeychainInventory(path: path).entries().map(\.isIntact) == [false])
    }

    @Test func `A value copied to another account is noticed`() throws {
        let device = try TemporaryDevice()
        let keychain = try device.sandbox().keychain
        keychain.add(value, service: "s", account: "a")
        try DatabaseQueue(path: device.layout.keychainPath(device.spec.name)).write {
            try $0.execute(
                sql: """
                    INSERT INTO item
                    SELECT service, 'b', accessGroup, value, checksum, 99, 1, creator, 0, 0, 0 FROM item
                    """)
        }
        #expect(keychain.read(service: "s", account: "a").status == errSecSuccess)
        #expect(keychain.read(service: "s", account: "b").status == errSecDecode)
    }

    @Test func `A file that is no database, or one of a newer lab, fails every call and is not overwritten`() throws {
        let device = try TemporaryDevice()
        let path = device.layout.keychainPath(device.spec.name)
        try Files.createDirectory(device.layout.deviceDirectory(device.spec.name))
        try Files.write(Data(repeating: 0x41, count: 4096), to: path)
        let damaged = try device.sandbox().keychain
        #expect(damaged.add(value, service: "s", account: "a").status == errSecIO)
        #expect(damaged.read(service: "s", account: "a").status == errSecIO)
        #expect(try Files.read(path) == Data(repeating: 0x41, count: 4096))

        try Files.remove(path)
        let keychain = try device.sandbox().keychain
        keychain.add(value, service: "s", account: "a")
        // The keychain is open meanwhile: a foreign program that closed it last would fold its log without checksums.
        try withExtendedLifetime(keychain) {
            try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 99") }
        }
        #expect(try device.sandbox().keychain.read(service: "s", account: "a").status == errSecIO)
        #expect {
            try KeychainInventory(path: path).entries()
        } throws: {
            "\($0)".contains("99")
        }
    }

    @Test func `Connections that write at the same time lose nothing`() async throws {
        try await onThread { try Self.writeConcurrently() }
    }

    private static func writeConcurrently() throws {
        let device = try TemporaryDevice()
        let failures = Atomic<Int>(0)
        let sandboxes = try (0..<4).map { _ in try device.sandbox() }
        let threads = sandboxes.enumerated().map { index, sandbox in
            runOnThread(name: "writer \(index)") {
                for number in 0..<50 {
                    let written = sandbox.keychain.add(
                        Data([UInt8(number)]), service: "s", account: "\(index)-\(number)")
                    if written.status != errSecSuccess { failures.add(1, ordering: .relaxed) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(sandboxes[0].keychain.items(service: "s").values?.count == 200)
    }

    @Test func `An armed fault fails a write and changes nothing`() throws {
        let device = try TemporaryDevice()
        let keychain = try device.sandbox().keychain
        _ = try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("ENOSPC")))
        #expect(keychain.add(value, service: "s", account: "a").status == errSecIO)
        #expect(keychain.read(service: "s", account: "a").status == errSecItemNotFound)
        #expect(keychain.add(value, service: "s", account: "a").status == errSecSuccess)
    }
}
