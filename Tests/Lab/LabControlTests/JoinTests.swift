// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabControl
@testable import LabCore

@Suite("Two joined labs", .endsInTime)
struct JoinTests {
    private let loopback = JoinAddress(host: "127.0.0.1", port: 0)

    private func hello(_ name: String) -> JoinMessage { .hello(JoinHello(instance: name, devices: [])) }

    @Test func `A greeting has the version that the page documents`() throws {
        #expect(try JSONValue(encoding: JoinHello(instance: nil, devices: ["watch"]))["version"] == 1)
    }

    @Test
    func `A guest with the key exchanges messages with the owner, and each notices when the other leaves`() async throws
    {
        try await onThread {
            let (atOwner, atGuest) = (Recorder<String>(), Recorder<String>())
            let (owner, key) = try JoinSocket.listen(at: loopback) { atOwner.add($0) }
            let guest = try JoinSocket.connect(to: owner.address, with: key) { atGuest.add($0) }
            try atGuest.wait(for: "connected")
            guest.send(hello("one"))
            try atOwner.wait(for: "hello one")
            owner.send(.refused("for no reason"))
            try atGuest.wait(for: "refused for no reason")
            guest.close("done")
            try atOwner.wait(for: "bye done")
            owner.close("")
        }
    }

    @Test func `A guest with another owner's key is refused, and its messages are ignored`() async throws {
        try await onThread {
            let (atOwner, atGuest) = (Recorder<String>(), Recorder<String>())
            let (former, formerKey) = try JoinSocket.listen(at: loopback) { _ in }
            former.close("")
            let (owner, _) = try JoinSocket.listen(at: loopback) { atOwner.add($0) }
            let guest = try JoinSocket.connect(to: owner.address, with: formerKey) { atGuest.add($0) }
            guest.send(hello("stranger"))
            try atGuest.wait(for: "key refused")
            #expect(!atOwner.all.contains("hello stranger"))
            guest.close("")
            owner.close("")
        }
    }

    @Test
    func `The latest guest to say hello replaces the one before, which is notified and then ignored`() async throws {
        try await onThread {
            let (atOwner, atFirst, atSecond) = (Recorder<String>(), Recorder<String>(), Recorder<String>())
            let (owner, key) = try JoinSocket.listen(at: loopback) { atOwner.add($0) }
            let first = try JoinSocket.connect(to: owner.address, with: key) { atFirst.add($0) }
            try atFirst.wait(for: "connected")
            first.send(hello("first"))
            try atOwner.wait(for: "hello first")
            let second = try JoinSocket.connect(to: owner.address, with: key) { atSecond.add($0) }
            try atSecond.wait(for: "connected")
            second.send(hello("second"))
            try atOwner.wait(for: "hello second")
            try atFirst.wait(for: "bye another lab has joined in its place")
            first.send(.ready)
            second.send(.bye("me"))
            try atOwner.wait(for: "bye me")
            #expect(!atOwner.all.contains("message"), "the former guest is still heard")
            first.close("")
            second.close("")
            owner.close("")
        }
    }

    @Test func `A key file must be private to its owner; otherwise it is refused with what to do`() throws {
        let directory = try TemporaryDirectory()
        let test = try TestInstance()
        let (path, other) = (directory.file("join.key"), directory.file("other.key"))
        try JoinKey.make().key.write(to: path, of: test.layout)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        _ = try JoinKey.read(path)
        try Files.write(Data(#"{"version":1}"#.utf8), to: other)
        for wrong in [other, directory.file("missing")] {
            let error = #expect(throws: JoinError.self) { try JoinKey.read(wrong) }
            #expect(error?.description.contains("copy the file") == true)
        }
        for mode in [0o640, 0o604, 0o666] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: JoinError.self, "mode \(mode)") { try JoinKey.read(path) }
            #expect(error?.description.contains("chmod 600 \(path)") == true)
        }
    }

    @Test func `A key file is removed with its owner's instance, unless another owner has replaced it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("join.key")
        let first = try TestInstance()
        try JoinKey.make().key.write(to: path, of: first.layout)
        try first.instance.end()
        #expect(!Files.exists(path))
        let (second, third) = (try TestInstance(), try TestInstance())
        try JoinKey.make().key.write(to: path, of: second.layout)
        try JoinKey.make().key.write(to: path, of: third.layout)
        try second.instance.end()
        _ = try JoinKey.read(path)
        try third.instance.end()
        #expect(!Files.exists(path))
    }

    @Test(
        arguments: [
            ("tcp://192.0.2.7:7700", "tcp://192.0.2.7:7700"), ("host:1", "tcp://host:1"),
            ("0.0.0.0:0", "tcp://0.0.0.0:*"),
        ])
    func `Addresses are read with and without tcp://`(text: String, expected: String) {
        #expect(JoinAddress(text)?.description == expected)
    }

    @Test(arguments: ["", "host", ":7", "host:", "host:65536", "a b:1", "[::1]:7", "a/b:1"])
    func `Invalid addresses are refused`(text: String) {
        #expect(JoinAddress(text) == nil)
    }

    @Test func `Machine clocks that agree count as one; the offset of others is measured by the fastest answer`() {
        var same = MachineDifference()
        same.take(sent: 1_000, ownerReal: 5_000_400_000, ownerMonotonic: 401_000, now: 801_000, realNow: 5_000_800_000)
        #expect(same.real == 0 && same.monotonic == 0)

        var apart = MachineDifference()
        // The guest is an hour ahead, and was started later.
        let hour: Int64 = 3_600_000_000_000
        apart.take(sent: 0, ownerReal: 0, ownerMonotonic: 90_000_000_000, now: 40_000_000, realNow: hour + 20_000_000)
        apart.take(
            sent: 1_000_000_000, ownerReal: 1_000_000_000, ownerMonotonic: 91_000_000_000, now: 1_002_000_000,
            realNow: hour + 1_001_000_000)
        apart.take(sent: 2_000_000_000, ownerReal: 0, ownerMonotonic: 0, now: 2_900_000_000, realNow: 0)
        #expect(apart.real == hour)
        #expect(apart.monotonic == -89_999_000_000)
    }

    @Test(arguments: [0, 99])
    func `A clock setting means the same time on a machine with another real time`(gain: Int64) throws {
        let setting = ClockSetting(offset: 7, frozenAt: nil, fastSince: 1_000, gain: gain)
        let moved = setting.onMachine(aheadBy: 500)
        func time(_ setting: ClockSetting, at real: Int64) -> Int64 {
            real + setting.offset + (setting.gain == 0 ? 0 : (real - setting.fastSince) * setting.gain)
        }
        for real: Int64 in [1_000, 1_001, 9_999] { #expect(time(setting, at: real) == time(moved, at: real + 500)) }
    }

    @Test func `A guest's faults are the owner's: new ones are armed, gone ones disarmed, others left alone`() throws {
        let directory = try TemporaryDirectory()
        let (owner, guest) = (
            try FaultTable.create(directory.file("owner")), try FaultTable.create(directory.file("guest"))
        )
        let mirror = FaultMirror(guest)
        let point = try #require(FaultPoint(rawValue: "link.sent"))
        _ = try guest.arm(FaultRule(point: point, process: "filler", action: .kill))
        let first = try owner.arm(FaultRule(point: point, process: "watch", action: .fail("EIO"), pass: 2, limit: 3))
        let second = try owner.arm(FaultRule(point: point, process: "watch", action: .delay(.milliseconds(7))))
        func follow() throws {
            try mirror.follow(try owner.rules().map { try JSONValue(encoding: JoinFault($0)).decode(JoinFault.self) })
        }
        try follow()
        #expect(guest.rules().map(\.rule).dropFirst() == owner.rules().map(\.rule)[...])
        try owner.disarm(id: first)
        try follow()
        #expect(guest.rules().map(\.rule.process) == ["filler", "watch"])
        let own = try #require(guest.rules().last?.id)
        #expect(mirror.ownersID(of: own) == second)
        try owner.noteFiring(id: second)
        #expect(owner.rules().first?.fired == 1)
    }
}
