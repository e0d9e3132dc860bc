// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Named shared memory", .endsInTime)
struct SharedMemoryTests {
    private func space(_ device: TemporaryDevice, groups: [String] = ["group.example"]) throws -> NamedSharedMemorySpace
    {
        try device.sandbox(appGroups: groups).sharedMemory
    }

    @Test func `An object is created once, found by the others, and holds what they write`() throws {
        let device = try TemporaryDevice()
        let first = try space(device)
        #expect(throws: SystemError.self) { try first.open(name: "group.example.abcd") }
        let created = try first.create(name: "group.example.abcd", size: 256)
        #expect(created.created)
        let opened = try space(device).open(name: "group.example.abcd")
        #expect(!opened.created)
        #expect(try opened.size() == 256)
        let (written, read) = (try created.map(), try opened.map())
        written.word32(at: 0).storeRelease(0x5A5A)
        #expect(read.word32(at: 0).loadAcquire() == 0x5A5A)
        #expect {
            try first.create(name: "group.example.abcd", size: 256)
        } throws: {
            ($0 as? SystemError)?.name == "EEXIST"
        }
    }

    @Test func `An object is in use as long as it is marked`() throws {
        let device = try TemporaryDevice()
        let space = try space(device)
        _ = try space.create(name: "group.example.abcd", size: 16)
        let observer = try space.open(name: "group.example.abcd")
        do {
            let first = try space.open(name: "group.example.abcd")
            let second = try space.open(name: "group.example.abcd")
            try first.markAsUsed()
            try second.markAsUsed()
            #expect(try observer.isInUse())
            withExtendedLifetime((first, second)) {}
        }
        #expect(try !observer.isInUse())
        #expect(try observer.sizeIfNamed() == 16)
        try space.unlink(name: "group.example.abcd")
        #expect(try observer.sizeIfNamed() == nil)
    }

    @Test(
        .verifies("size", "NamedSharedMemorySpace.maximumNameLength"),
        arguments: [
            ("group.example.0123456789abcdefg", true),  // 31 bytes
            ("group.example.0123456789abcdefgh", false),
            ("group.example.0123456789abcdeé", true),
            ("group.example.0123456789abcdefé", false),
        ])
    func `A name has at most 31 bytes`(name: String, isAllowed: Bool) throws {
        let device = try TemporaryDevice()
        defer { withExtendedLifetime(device) {} }
        let space = try space(device)
        if isAllowed {
            _ = try space.create(name: name, size: 16)
        } else {
            #expect {
                try space.create(name: name, size: 16)
            } throws: {
                ($0 as? SystemError)?.name == "ENAMETOOLONG"
            }
        }
    }

    @Test(arguments: ["group.other.abcd", "group.example", "group.examples.abcd", "abcd", ""])
    func `A name must begin with an entitled group and a dot`(name: String) throws {
        let device = try TemporaryDevice()
        defer { withExtendedLifetime(device) {} }
        let space = try space(device)
        for call in [{ _ = try space.open(name: name) }, { _ = try space.create(name: name, size: 16) }] {
            #expect {
                try call()
            } throws: {
                ($0 as? SystemError)?.name == "EPERM"
            }
        }
    }

    @Test func `Two devices do not see each other's objects`() throws {
        let first = try TemporaryDevice()
        let second = try TemporaryDevice()
        let object = try space(first).create(name: "group.example.abcd", size: 16)
        #expect(throws: SystemError.self) { try space(second).open(name: "group.example.abcd") }
        withExtendedLifetime((object, first)) {}
    }

    @Test func `A reboot removes all objects, also those that are not open`() throws {
        let device = try TemporaryDevice()
        let registry = DeviceRegistry(layout: device.layout, device: device.spec.name)
        _ = try space(device).create(name: "group.example.abcd", size: 16)
        let boot = try registry.boot()
        #expect(try registry.beginBoot() == boot + 1)
        #expect(throws: SystemError.self) { try space(device).open(name: "group.example.abcd") }
        let names = BootNames(layout: device.layout, device: device.spec.name, boot: boot)
        let physical = names.physicalName(of: "group.example.abcd")
        #expect(try SharedMemoryObject.list().contains { physical.hasSuffix($0) })
        try names.unlinkAll()
        #expect(try !SharedMemoryObject.list().contains { physical.hasSuffix($0) })
    }

    @Test func `A boot that continues an earlier one has its memory, but for objects without a size`() throws {
        let device = try TemporaryDevice()
        let registry = DeviceRegistry(layout: device.layout, device: device.spec.name)
        let first = try space(device).create(name: "group.example.abcd", size: 16).map()
        withExtendedLifetime(first) { first.bytes.copyBytes(from: Array(1...16)) }
        let hibernation = try Hibernation(of: device.spec.name, in: device.layout, linksInRange: [:])
        #expect(hibernation.memory.values.map { Array($0) } == [Array(1...16)])
        try BootNames(layout: device.layout, device: device.spec.name, boot: registry.boot()).unlinkAll()

        let boot = BootNames(layout: device.layout, device: device.spec.name, boot: try registry.beginBoot())
        try boot.restore(hibernation.memory.merging(["0123456789abcdef": Data()]) { first, _ in first })
        let restored = try space(device).open(name: "group.example.abcd").map()
        #expect(withExtendedLifetime(restored) { Array(restored.bytes) } == Array(1...16))
        #expect(try boot.existing() == [boot.physicalName(of: "group.example.abcd")])
    }

    @Test func `No boot has the number of an earlier one, also when the device was put back to an earlier state`()
        throws
    {
        let device = try TemporaryDevice()
        let registry = DeviceRegistry(layout: device.layout, device: device.spec.name)
        #expect(try registry.beginBoot() == 1)
        let directory = device.layout.deviceDirectory(device.spec.name)
        let before = try Files.read("\(directory)/registry.json")
        #expect(try registry.beginBoot() == 2)
        try Files.write(before, to: "\(directory)/registry.json")
        #expect(try registry.boot() == 1)
        #expect(try registry.beginBoot() == 3)
    }

    @Test func `A device leaves no names on the machine`() throws {
        var physical = ""
        do {
            let device = try TemporaryDevice()
            _ = try space(device).create(name: "group.example.abcd", size: 16)
            physical = BootNames(layout: device.layout, device: device.spec.name, boot: 0)
                .physicalName(of: "group.example.abcd")
            #expect(try SharedMemoryObject.list().contains { physical.hasSuffix($0) })
        }
        #expect(try !SharedMemoryObject.list().contains { physical.hasSuffix($0) })
    }
}
