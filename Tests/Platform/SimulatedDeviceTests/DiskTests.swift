// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The storage of a device", .endsInTime)
struct DiskTests {
    private let device: TemporaryDevice
    private let disk: DeviceDisk
    private let sandbox: Sandbox
    private let traces: TemporaryDirectory

    init() throws {
        device = try TemporaryDevice()
        traces = try TemporaryDirectory()
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main", appGroups: ["group.example"],
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        sandbox = try device.sandbox(for: app, traceDirectory: traces.file("traces"))
        disk = try DeviceDisk(layout: device.layout, device: device.spec.name)
    }

    @Test func `A full disk refuses larger writes, keeps its content, and allows deletion`() throws {
        let keychain = sandbox.keychain
        #expect(keychain.add(Data([1]), service: "s", account: "a").status == errSecSuccess)
        let number = disk.fill(leaving: 3)
        #expect(keychain.update(Data(count: 4), service: "s", account: "a").status == errSecDiskFull)
        #expect(keychain.read(service: "s", account: "a").value == Data([1]))
        #expect(keychain.add(Data(count: 2), service: "s", account: "b").status == errSecSuccess)
        #expect(keychain.add(Data(count: 2), service: "s", account: "c").status == errSecDiskFull, "1 byte is left")
        #expect(disk.fault?.number == number)
        #expect(disk.fault?.refusals == 2)
        #expect(keychain.delete(service: "s", account: "a") == errSecSuccess)
        disk.free()
        #expect(disk.fault == nil)
        #expect(keychain.add(Data(count: 2), service: "s", account: "c").status == errSecSuccess)
        let refused = try TraceReader.readAll(traces.file("traces")).filter { $0.name == .diskRefused }
        #expect(refused.first?.fields == ["what": "keychain", "bytes": 4, "error": "ENOSPC"])
        #expect(refused.count == 2)
    }

    @Test func `A read-only disk refuses writes and deletions`() {
        let keychain = sandbox.keychain
        #expect(keychain.add(Data([1]), service: "s", account: "a").status == errSecSuccess)
        _ = disk.makeReadOnly()
        #expect(keychain.update(Data(), service: "s", account: "a").status == errSecReadOnly)
        #expect(keychain.delete(service: "s", account: "a") == errSecReadOnly)
        #expect(keychain.read(service: "s", account: "a").value == Data([1]))
    }

    @Test func `Preferences and containers keep their old contents on a full disk`() throws {
        let defaults = try #require(sandbox.defaults())
        defaults.set(true, forKey: "before")
        let file = try #require(sandbox.containerPath(forAppGroup: "group.example")) + "/file"
        try sandbox.write(Data([1]), to: file)
        _ = disk.fill(leaving: 0)
        defaults.set(true, forKey: "after")
        #expect(defaults.bool(forKey: "before") && !defaults.bool(forKey: "after"))
        #expect(throws: DeviceDisk.Refusal.full) { try sandbox.write(Data([2]), to: file) }
        #expect(try Files.read(file) == Data([1]))
    }

    @Test func `Each fault has a number of its own and counts what it refuses`() throws {
        let first = disk.fill(leaving: 0)
        #expect(throws: DeviceDisk.Refusal.full) { try disk.take(bytes: 1) }
        let second = try DeviceDisk(layout: device.layout, device: device.spec.name).makeReadOnly()
        #expect(second == first + 1)
        #expect(disk.fault?.refusals == 0)
    }
}
