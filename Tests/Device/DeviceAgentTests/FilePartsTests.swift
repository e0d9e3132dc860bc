// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// The pieces of files in the receiving half, and the files that come of them (watch.md, section 9.5).
@Suite("Pieces of files", .endsInTime)
struct FilePartsTests {
    private let file = UUID()

    /// A piece of the file: its head without a number.
    private func piece(
        _ number: Int?, _ sequence: UInt64, _ body: Data, app: String = "app", of other: UUID? = nil
    ) -> WatchFrame {
        let file = other ?? self.file
        return WatchFrame(
            .filePart, flags: number == nil ? .file : [],
            messageId: number.map { FileParts.identifier($0, of: file) } ?? file, correlationId: file, epoch: 7,
            sequence: sequence, app: app, body: body)
    }

    private func head(_ path: String, _ size: Int, metadata: Data? = nil) -> Data {
        WatchFrame.body(WatchFile(path: path, size: size, metadata: metadata))
    }

    /// An inbox to which the head of a file of three bytes has come, and the first of them.
    private func begun() -> Inbox {
        var inbox = Inbox()
        _ = inbox.connect(epoch: 7)
        _ = inbox.receive(piece(nil, 1, head("a", 3)))
        _ = inbox.receive(piece(1, 2, Data([1])))
        return inbox
    }

    private func isRefused(_ effects: [LinkEffect]) -> Bool {
        guard effects.count == 1, case .toPeer(let frame) = effects[0] else { return false }
        return frame.kind == .userInfoRefusal
            && (try? frame.decodeBody(RefusalBody.self)) == RefusalBody(code: LinkCode.deliveryFailed)
    }

    @Test func `A file is handed over whole once all its bytes are there, and leaves with all its pieces`() throws {
        var inbox = begun()
        let size = head("a", 3).count
        #expect(inbox.count == 1 && inbox.size == size + 1 && inbox.count(for: "app") == 0)
        #expect(inbox.offer(to: "app").isEmpty, "it is not whole")
        let last = inbox.receive(piece(2, 3, Data([2, 3])))
        let entry = Inbox.Entry(
            position: 3, transferId: FileParts.identifier(2, of: file), app: "app", body: Data([2, 3]),
            wasOffered: false, kind: .filePart, file: file)
        #expect(last.first == .store(.received(entry, sequence: 3)))
        #expect(inbox.count == 1 && inbox.count(for: "app") == 1 && inbox.entries.map(\.position) == [1, 2, 3])
        #expect(inbox.entries.map(\.kind) == [.fileHead, .filePart, .filePart])
        func handedOver(wasOffered: Bool) -> LinkEffect {
            .handOver(
                "app",
                ReceivedFile(
                    transferId: file, file: WatchFile(path: "a", size: 3), parts: [Data([1]), Data([2, 3])],
                    hasMore: false, wasOffered: wasOffered))
        }
        #expect(inbox.offer(to: "app") == [.store(.offered(position: 1)), handedOver(wasOffered: false)])
        inbox.processEnded("app")
        #expect(inbox.offer(to: "app") == [handedOver(wasOffered: true)])
        #expect(
            inbox.handled(file, by: "app") == [
                .store(.handled(position: 1, transferId: nil)), .store(.handled(position: 2, transferId: nil)),
                .store(.handled(position: 3, transferId: file)),
            ])
        #expect(inbox.count == 0 && inbox.size == 0 && inbox.entries.isEmpty)
    }

    @Test
    func `A piece that does not continue its file is refused with 7014, and the one that does is taken afterwards`() {
        var inbox = begun()
        let unknown = UUID()
        for frame in [
            piece(2, 3, Data()), piece(2, 3, Data([2, 3, 4])), piece(2, 3, Data([2]), app: "other"),
            piece(2, 3, Data([2]), of: unknown),
        ] {
            #expect(isRefused(inbox.receive(frame)), "\(frame)")
        }
        let effects = inbox.receive(piece(2, 3, Data([2, 3])))
        #expect(effects.count == 2 && inbox.count(for: "app") == 1)
    }

    @Test
    func `A broken file is dropped with all that has come of it: by a tombstone, another outbox, or without its app`() {
        let gone: [LinkEffect] = [
            .store(.handled(position: 1, transferId: nil)), .store(.handled(position: 2, transferId: file)),
        ]
        var inbox = begun()
        let tombstone = WatchFrame(
            .userInfoTombstone, messageId: UUID(), correlationId: file, epoch: 7, sequence: 3, app: "app")
        #expect(Array(inbox.receive(tombstone).prefix(3)) == gone + [.store(.skipped(sequence: 3))])
        #expect(inbox.count == 0 && inbox.size == 0)
        inbox = begun()
        #expect(inbox.connect(epoch: 8) == [.store(.senderChanged(epoch: 8))] + gone)
        #expect(inbox.count == 0 && inbox.size == 0)
        inbox = begun()
        #expect(inbox.forget("other").isEmpty && inbox.forget("app") == gone)
        #expect(inbox.count == 0 && inbox.size == 0)
    }

    @Test func `A whole file stays when its sender begins another outbox, and goes once with its app`() {
        var inbox = begun()
        _ = inbox.receive(piece(2, 3, Data([2, 3])))
        #expect(inbox.connect(epoch: 8) == [.store(.senderChanged(epoch: 8))])
        let tombstone = WatchFrame(
            .userInfoTombstone, messageId: UUID(), correlationId: file, epoch: 8, sequence: 1, app: "app")
        #expect(inbox.receive(tombstone).count == 2 && inbox.count == 1)
        #expect(inbox.forget("app").count == 3 && inbox.count == 0 && inbox.size == 0)
    }

    @Test func `A restored inbox has its files as they were, whole or not`() {
        var inbox = begun()
        #expect(Inbox(epoch: 7, received: 2, entries: inbox.entries).entries == inbox.entries)
        _ = inbox.receive(piece(2, 3, Data([2, 3])))
        var restored = Inbox(epoch: 7, received: 3, entries: inbox.entries)
        #expect(restored.count == 1 && restored.size == inbox.size && restored.count(for: "app") == 1)
        #expect(restored.offer(to: "app") == inbox.offer(to: "app"))
    }

    @Test(arguments: [false, true], [false, true])
    func `The frame for the app says where the file is, whether more waits, and whether it comes again`(
        hasMore: Bool, wasOffered: Bool
    ) throws {
        let received = ReceivedFile(
            transferId: file, file: WatchFile(path: "a", size: 3, metadata: Data([9])), parts: [], hasMore: hasMore,
            wasOffered: wasOffered)
        let frame = received.frame(for: "app", at: "/inbox/a")
        #expect(frame.kind == .deliver && frame.messageId == file && frame.app == "app")
        #expect(frame.sequence == (hasMore ? 1 : 0))
        #expect(frame.flags == (wasOffered ? [.file, .retransmission] : [.file]))
        #expect(try frame.decodeBody(WatchFile.self) == WatchFile(path: "/inbox/a", size: 3, metadata: Data([9])))
    }

    @Test func `Content is cut into parts of 64 KiB, of which only the last is shorter, and none is empty`() {
        #expect(FileParts.size == 65_536)
        for count in [0, 1] + Sizes.ofBatches(FileParts.size) {
            let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let parts = FileParts.of(content)
            #expect(parts.reduce(Data(), +) == content && parts.allSatisfy { !$0.isEmpty }, "\(count)")
            #expect(parts.dropLast().allSatisfy { $0.count == FileParts.size }, "\(count)")
            #expect(parts.count == (count + FileParts.size - 1) / FileParts.size, "\(count)")
        }
    }

    @Test func `The head of a file has a name, a possible size and proper metadata`() throws {
        let list = try content(1)
        let fine = [head("a", 0), head("a", WatchFile.limit), head("b/a", 1, metadata: list)]
        #expect(fine.allSatisfy { FileParts.head($0) != nil })
        let large = try PropertyListSerialization.data(
            fromPropertyList: ["x": Data(count: WatchContent.messageLimit)], format: .binary, options: 0)
        let wrong = [
            head("", 0), head("a/", 0), head("..", 0), head("a", -1), head("a", WatchFile.limit + 1),
            head("a", 1, metadata: Data([1])), head("a", 1, metadata: large), Data(), Data("{}".utf8),
        ]
        for body in wrong {
            #expect(FileParts.head(body) == nil, "\(String(decoding: body.prefix(60), as: UTF8.self))")
        }
    }
}
