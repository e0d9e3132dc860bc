// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Complications, files and removed apps in the sending half: all changes to store and all frames (watch.md, sections 9.5
/// and 11.6).
@Suite("Complications, files and removed apps in the outbox", .endsInTime)
struct OutboxContentTests {
    private let ids = (0..<24).map { _ in UUID() }

    private func add(
        _ number: Int, _ kind: Outbox.Kind, to outbox: inout Outbox, of app: String = "a", file: UUID? = nil
    ) -> [LinkEffect] {
        outbox.add(ids[number], origin: app, destination: "b", body: Data([UInt8(number)]), kind: kind, file: file)
    }

    private func entry(_ number: Int, _ kind: Outbox.Kind, at position: Int64, file: UUID? = nil) -> Outbox.Entry {
        Outbox.Entry(
            position: position, transferId: ids[number], origin: "a", destination: "b", body: Data([UInt8(number)]),
            kind: kind, file: file)
    }

    private func frames(_ effects: [LinkEffect]) -> [WatchFrame] {
        effects.compactMap { if case .toPeer(let frame) = $0 { frame } else { nil } }
    }

    private func changes(_ effects: [LinkEffect]) -> [LinkChange] {
        effects.compactMap { if case .store(let change) = $0 { change } else { nil } }
    }

    @Test
    func `The kinds of entries have the numbers of the stored queues, and only those for complications have priority`()
    {
        let kinds: [Outbox.Kind] = [.userInfo, .complication, .fileHead, .filePart, .formerComplication]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(kinds.map(\.isUrgent) == [false, true, false, false, true])
    }

    @Test
    func `A complication replaces the one before it of the same app, waiting or under way, and leaves its place to it`()
    {
        var outbox = Outbox(epoch: 7)
        _ = add(0, .userInfo, to: &outbox)
        let first = add(1, .complication, to: &outbox)
        #expect(first == [.store(.accepted(entry(1, .complication, at: 2)))])
        let second = add(2, .complication, to: &outbox)
        #expect(second == [.store(.replaced(position: 2)), .store(.accepted(entry(2, .complication, at: 3)))])
        let other = add(3, .complication, to: &outbox, of: "other")
        #expect(changes(other).count == 1, "the complication of another app")
        let sent = frames(outbox.connect(epoch: 7, received: 0))
        #expect(sent.map(\.messageId) == [ids[1], ids[2], ids[3], ids[0]] && sent.map(\.sequence) == [1, 2, 3, 4])
        let current: WatchFrame.Flags = [.propertyList, .complication]
        #expect(sent.map(\.flags) == [[.propertyList], current, current, [.propertyList]])
        let third = add(4, .complication, to: &outbox)
        #expect(changes(third).first == .replaced(position: 3))
        let again = frames(outbox.retransmit())
        #expect(again[1].flags == [.propertyList, .retransmission], "it keeps its place and loses its mark")
        #expect(again.map(\.messageId) == [ids[1], ids[2], ids[3], ids[0], ids[4]])
    }

    @Test func `A file is one transfer; its pieces have its identifier, and are counted until the last is confirmed`() {
        var outbox = Outbox(epoch: 7)
        let file = ids[0]
        _ = add(0, .fileHead, to: &outbox, file: file)
        for number in 1...2 { _ = add(number, .filePart, to: &outbox, file: file) }
        _ = add(3, .userInfo, to: &outbox)
        #expect(outbox.count == 2 && outbox.size == 4 && outbox.pieces(of: file) == 3 && outbox.pieces(of: ids[3]) == 0)
        #expect(outbox.outstanding(of: "a").map(\.transferId) == [ids[3]], "files are listed by themselves")
        let sent = frames(outbox.connect(epoch: 7, received: 0))
        #expect(sent.map(\.kind) == [.filePart, .filePart, .filePart, .userInfo])
        #expect(sent.map(\.flags) == [.file, [], [], .propertyList])
        #expect(sent.map(\.correlationId) == [file, file, file, WatchFrame.none])
        for rest in [2, 1, 0] {
            _ = outbox.acknowledge(epoch: 7, upTo: UInt64(3 - rest))
            #expect(outbox.pieces(of: file) == rest)
        }
        #expect(outbox.count == 1 && outbox.size == 1)
    }

    @Test func `A file of which nothing was sent is withdrawn whole when it ends`() {
        var outbox = Outbox(epoch: 7)
        let file = ids[0]
        _ = add(0, .fileHead, to: &outbox, file: file)
        for number in 1...2 { _ = add(number, .filePart, to: &outbox, file: file) }
        _ = add(3, .userInfo, to: &outbox)
        let effects = outbox.end(file: file, code: 7014)
        #expect(
            effects == [
                .store(.withdrawn(position: 1)), .finished(entry(0, .fileHead, at: 1, file: file), code: 7014),
                .store(.withdrawn(position: 2)), .finished(entry(1, .filePart, at: 2, file: file), code: 7014),
                .store(.withdrawn(position: 3)), .finished(entry(2, .filePart, at: 3, file: file), code: 7014),
            ])
        #expect(outbox.entries == [entry(3, .userInfo, at: 4)] && outbox.count == 1 && outbox.size == 1)
        #expect(outbox.pieces(of: file) == 0 && outbox.end(file: file, code: 7014).isEmpty)
    }

    @Test func `Of a file that ends on its way, what was sent and one piece of the rest become tombstones`() {
        var outbox = Outbox(epoch: 7)
        let file = ids[0]
        _ = outbox.connect(epoch: 7, received: 0)
        _ = add(0, .fileHead, to: &outbox, file: file)
        for number in 1...20 { _ = add(number, .filePart, to: &outbox, file: file) }
        let effects = outbox.end(file: file, code: 7015)
        let ended: [LinkChange] = (1...17).map { .ended(position: $0, code: 7015) }
        let withdrawn: [LinkChange] = (18...21).map { .withdrawn(position: $0) }
        #expect(changes(effects) == ended + withdrawn)
        let ends = effects.compactMap {
            if case .finished(let entry, let code) = $0, code == 7015 { entry.position } else { nil }
        }
        #expect(ends == [18, 19, 20, 21])
        #expect(frames(effects).map(\.kind) == Array(repeating: .userInfoTombstone, count: 16))
        #expect(frames(effects).allSatisfy { $0.correlationId == file && $0.body.isEmpty })
        #expect(outbox.pieces(of: file) == 17 && outbox.size == 17)
        #expect(outbox.end(file: file, code: 7014).allSatisfy { if case .toPeer = $0 { true } else { false } })
        let rest = frames(outbox.acknowledge(epoch: 7, upTo: 16, skipped: Array(1...16)))
        #expect(rest.map(\.sequence) == [17] && rest.map(\.kind) == [.userInfoTombstone])
    }

    @Test
    func `With its app a transfer leaves the outbox without a report; of one under way an empty tombstone stays`() {
        var outbox = Outbox(epoch: 7)
        _ = outbox.connect(epoch: 7, received: 0)
        _ = add(0, .userInfo, to: &outbox)
        _ = add(1, .userInfo, to: &outbox, of: "other")
        outbox.disconnect()
        _ = add(2, .userInfo, to: &outbox)
        _ = add(3, .complication, to: &outbox)
        let file = ids[4]
        _ = add(4, .fileHead, to: &outbox, file: file)
        _ = add(5, .userInfo, to: &outbox, of: "other")
        let effects = outbox.forget("a", files: [file])
        #expect(
            changes(effects) == [
                .withdrawn(position: 5), .withdrawn(position: 4), .withdrawn(position: 3),
                .ended(position: 1, code: 7014), .orphaned(position: 1),
            ])
        #expect(effects.count == 5, "no report")
        #expect(outbox.entries.map(\.transferId) == [ids[0], ids[1], ids[5]])
        #expect(outbox.entries.map(\.origin) == ["", "other", "other"])
        #expect(outbox.entries.map(\.body.count) == [0, 1, 1] && outbox.size == 2 && outbox.count == 3)
        let sent = frames(outbox.connect(epoch: 7, received: 0))
        #expect(sent.map(\.kind) == [.userInfoTombstone, .userInfo, .userInfo])
    }
}
