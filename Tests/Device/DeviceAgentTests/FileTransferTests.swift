// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Files between a phone and a watch (watch.md, section 9.5).
@Suite("Files over the watch link", .endsInTime)
struct FileTransferTests {
    @Test func `Each part of a file has an identifier that differs from the file's in the last four bytes`() {
        let file = UUID()
        func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }
        #expect(FileParts.identifier(0, of: file) == file)
        let parts = (1...70_000).map { FileParts.identifier($0, of: file) }
        #expect(Set(parts).count == parts.count && !parts.contains(file))
        #expect(parts.allSatisfy { bytes($0).prefix(12) == bytes(file).prefix(12) })
    }

    /// Each value seven times. By pieces: byte by byte took most of the time of these tests.
    private func bytes(_ count: Int) -> Data {
        let piece = Data((0..<7 * 256).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var bytes = Data(capacity: count + piece.count)
        while bytes.count < count { bytes += piece }
        return Data(bytes.prefix(count))
    }

    private func send(_ content: Data, _ name: String = "a.bin", in world: LinkWorld) throws -> UUID {
        let id = UUID()
        let file = WatchFile(path: "/somewhere/\(name)", size: content.count, metadata: try DeviceAgentTests.content(1))
        try world.input(.file(world.phone.app, id, file, content), at: world.phone)
        return id
    }

    private func sendUserInfo(in world: LinkWorld, flags: WatchFrame.Flags = .propertyList) throws -> UUID {
        let id = UUID()
        try world.input(
            .fromApp(world.phone.app, WatchFrame(.userInfo, flags: flags, messageId: id, body: try content())),
            at: world.phone)
        return id
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 3_000_000])
    func `A file arrives whole, with its name and metadata, and its sender is notified`(size: Int) throws {
        let world = try LinkWorld.connected()
        let id = try send(bytes(size), in: world)
        try world.settle()
        let file = try #require(world.watch.files.first)
        #expect(file.parts.reduce(Data(), +) == bytes(size))
        #expect(file.file.name == "a.bin" && file.file.size == size && file.file.path == "a.bin")
        #expect(try file.file.metadata == content(1))
        #expect(world.phone.finished == [id] && world.phone.codes.isEmpty)
        #expect(world.watch.handled == [id] && world.watch.files.count == 1)
        #expect(world.phone.link.files.isEmpty && world.watch.link.inbox.entries.isEmpty)
    }

    @Test func `After any loss or crash a file arrives once and whole, and what was sent with it in order`() throws {
        for seed in 1...12 {
            var random = SeededGenerator(seed: UInt64(seed))
            let world = try LinkWorld.connected()
            var sent: [UUID] = []
            var files: [UUID] = []
            for number in 0..<4 {
                sent.append(try sendUserInfo(in: world))
                files.append(try send(bytes(150_000 + number), "\(number)", in: world))
            }
            for _ in 0..<120 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0 where !world.toWatch.isEmpty: world.toWatch.removeFirst()
                case 1 where !world.toPhone.isEmpty: world.toPhone.removeFirst()
                case 2:
                    world.airIsEmpty(for: world.watch)
                    try world.watch.reboot()
                    try world.activateApp(of: world.watch)
                case 3:
                    world.airIsEmpty(for: world.phone)
                    try world.phone.reboot()
                    try world.activateApp(of: world.phone)
                case 4: try world.input(.seek, at: world.watch)
                case 5: try world.input(.retransmit, at: world.phone)
                default:
                    if !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
                    if !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
                }
            }
            try world.settle()
            #expect(world.watch.handled.filter(Set(sent).contains) == sent, "seed \(seed)")
            let handled = world.watch.handled.filter(Set(files).contains)
            #expect(handled == files, "seed \(seed)")
            for (number, id) in files.enumerated() {
                let file = try #require(world.watch.files.last { $0.transferId == id })
                #expect(file.parts.reduce(Data(), +) == bytes(150_000 + number), "seed \(seed), file \(number)")
            }
            #expect(Set(world.phone.finished) == Set(sent + files) && world.phone.codes.isEmpty, "seed \(seed)")
        }
    }

    @Test func `A file whose last part is lost is completed, and later transfers arrive too`() throws {
        let world = try LinkWorld.connected()
        let file = try send(bytes(200_000), in: world)
        let info = try sendUserInfo(in: world)
        // The last part is lost, and what is behind it with it, until it is sent again.
        while world.toWatch.count > 2 { try world.arrive(at: world.watch) }
        #expect(world.watch.files.isEmpty)
        world.toWatch = []
        try world.settle()
        #expect(Set(world.watch.handled) == [file, info])
    }

    @Test func `A file cancelled before or during its transfer does not arrive, and no part of it stays`() throws {
        for arrived in [0, 1, 2, 16, 17, 20] {
            let world = try LinkWorld.connected()
            let id = try send(bytes(3_000_000), in: world)
            for _ in 0..<arrived where !world.toWatch.isEmpty {
                try world.arrive(at: world.watch)
                if arrived > 16 { while !world.toPhone.isEmpty { try world.arrive(at: world.phone) } }
            }
            try world.input(.fromApp(world.phone.app, WatchFrame(.cancelTransfer, messageId: id)), at: world.phone)
            let next = try sendUserInfo(in: world)
            try world.settle()
            #expect(world.watch.files.isEmpty, "after \(arrived) pieces")
            #expect(world.phone.codes == [id: 7014], "after \(arrived) pieces")
            #expect(world.phone.finished == [id, next], "after \(arrived) pieces")
            #expect(world.watch.handled == [next], "after \(arrived) pieces")
            #expect(world.watch.link.inbox.entries.isEmpty && world.phone.link.outbox.entries.isEmpty)
        }
    }

    @Test func `A file that has arrived cannot be cancelled, even before its sender is notified`() throws {
        let world = try LinkWorld.connected()
        let id = try send(bytes(100_000), in: world)
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        try world.input(.fromApp(world.phone.app, WatchFrame(.cancelTransfer, messageId: id)), at: world.phone)
        try world.settle()
        #expect(world.phone.finished == [id] && world.phone.codes.isEmpty)
        #expect(world.watch.handled == [id])
    }

    @Test
    func `A watch without room refuses transfers with 7015 until it has room again, one without the app with 7006`()
        throws
    {
        let world = try LinkWorld.connected()
        world.watch.link.refusalOfStorage = 7015
        let file = try send(bytes(500_000), in: world)
        let info = try sendUserInfo(in: world)
        try world.settle()
        #expect(world.phone.codes == [file: 7015, info: 7015])
        #expect(world.watch.handled.isEmpty)
        world.watch.link.refusalOfStorage = nil
        let later = try sendUserInfo(in: world)
        try world.settle()
        #expect(world.watch.handled == [later])
        try world.input(.range(isInRange: false), at: world.phone)
        let second = try send(bytes(500_000), in: world)
        try world.killApp(of: world.watch)
        try world.input(.installationChanged(world.watch.app, isInstalled: false), at: world.watch)
        try world.settle()
        #expect(world.phone.codes == [file: 7015, info: 7015, second: 7006])
        #expect(world.watch.link.inbox.entries.isEmpty && world.phone.link.outbox.entries.isEmpty)
    }

    @Test func `A file is dropped with the sending app, and with the receiving app`() throws {
        let world = try LinkWorld.connected()
        _ = try send(bytes(3_000_000), in: world)
        for _ in 0..<5 { try world.arrive(at: world.watch) }
        while !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        try world.input(.installationChanged(world.phone.app, isInstalled: false), at: world.phone)
        try world.settle()
        #expect(world.phone.finished.isEmpty && world.watch.files.isEmpty)
        #expect(world.watch.link.inbox.entries.isEmpty && world.phone.link.outbox.entries.isEmpty)
        #expect(world.phone.link.files.isEmpty)
    }

    @Test
    func `Pieces that make no file are refused: without a head, too many, with a name that leads elsewhere`() throws {
        let world = try LinkWorld.connected()
        let received = world.watch.link.inbox.received
        func piece(_ flags: WatchFrame.Flags, _ body: Data, of file: UUID = UUID(), id: UUID? = nil) -> WatchFrame {
            WatchFrame(
                .filePart, flags: flags, messageId: id ?? file, correlationId: file,
                epoch: world.phone.link.outbox.epoch, sequence: received + 1, app: world.watch.app, body: body)
        }
        func head(_ path: String, _ size: Int) -> Data { WatchFrame.body(WatchFile(path: path, size: size)) }
        let known = UUID()
        for frame in [
            piece([], Data([1]), id: UUID()), piece(.file, Data([1])), piece(.file, head("..", 1)),
            piece(.file, head("", 1)), piece(.file, head("a/", 1)), piece(.file, head("a", -1)),
            piece(.file, head("a", WatchFile.limit + 1)), piece(.file, head("a", 1), of: known, id: UUID()),
        ] {
            try world.input(.fromPeer(frame), at: world.watch)
            #expect(world.toPhone.last?.kind == .userInfoRefusal, "\(frame)")
        }
        #expect(world.watch.link.inbox.entries.isEmpty)
        try world.input(.fromPeer(piece(.file, head("dir/../a", 1), of: known)), at: world.watch)
        #expect(world.watch.link.inbox.entries.count == 1)
        var tooMuch = piece([], Data([1, 2]), of: known, id: UUID())
        tooMuch.sequence += 1
        try world.input(.fromPeer(tooMuch), at: world.watch)
        #expect(world.toPhone.last?.kind == .userInfoRefusal)
        #expect(world.watch.files.isEmpty)
    }
}
