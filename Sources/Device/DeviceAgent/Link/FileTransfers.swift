// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// A file of an app of this device that the other one does not have yet.
struct OutgoingFile: Equatable, Sendable {
    var transferId: UUID
    /// The app that sent it.
    var app: String
    var file: WatchFile
    /// How many bytes the other device has.
    var sent = 0
    /// The `WCError.Code` with which a part has ended.
    var code: Int?
    /// How many of its pieces are queued or under way.
    var pieces = 0
}

/// A file that has arrived whole.
struct ReceivedFile: Equatable, Sendable {
    var transferId: UUID
    /// With the name that the file had at the sender.
    var file: WatchFile
    /// The content, in order.
    var parts: [Data]
    /// More transfers wait behind it.
    var hasMore: Bool
    /// It was handed to a process before, which may have handled it.
    var wasOffered: Bool

    /// The frame for the app, once the file is at `path`.
    func frame(for app: String, at path: String) -> WatchFrame {
        var copy = file
        copy.path = path
        return WatchFrame(
            .deliver, flags: wasOffered ? [.file, .retransmission] : [.file], messageId: transferId,
            sequence: hasMore ? 1 : 0, app: app, body: WatchFrame.body(copy))
    }
}

/// How a file travels in the sequence of the transfers: first its head, then its content in parts.
enum FileParts {
    /// Bytes of a part.
    static let size = WatchContent.messageLimit

    static func of(_ content: Data) -> [Data] {
        stride(from: 0, to: content.count, by: size).map { start in
            content.subdata(in: start..<min(start + size, content.count))
        }
    }

    /// Identifies a part; the head has the file's own identifier.
    static func identifier(_ number: Int, of file: UUID) -> UUID {
        var bytes = file.uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            let last = bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
            bytes.storeBytes(of: last ^ UInt32(truncatingIfNeeded: number).bigEndian, toByteOffset: 12, as: UInt32.self)
        }
        return UUID(uuid: bytes)
    }

    /// The content of a file's head; nil if it is invalid.
    static func head(_ body: Data) -> WatchFile? {
        guard let file = try? JSONDecoder().decode(WatchFile.self, from: body), file.name != nil,
            (0...WatchFile.limit).contains(file.size),
            file.metadata.map({
                WatchContent.problem(in: $0, isPropertyList: true, limit: WatchContent.messageLimit) == nil
            }) ?? true
        else { return nil }
        return file
    }
}

extension WatchLink {
    mutating func send(_ file: WatchFile, _ content: Data, as transferId: UUID, from app: String) -> [LinkEffect] {
        func answer(_ code: Int) -> LinkEffect {
            .toApp(app, WatchFrame(.transferQueued, messageId: transferId, sequence: UInt64(code)))
        }
        guard let counterpart = setup.counterparts[app] else { return [answer(LinkCode.watchAppNotInstalled)] }
        guard role == .active else {
            return [answer(role == .idle ? LinkCode.sessionInactive : LinkCode.deviceNotPaired)]
        }
        guard outbox.pieces(of: transferId) == 0 else { return [answer(0)] }
        guard !isOutboxFull else { return [answer(LinkCode.insufficientSpace)] }
        if let refusalOfStorage { return [answer(refusalOfStorage)] }
        // The other device needs the name, and nothing else of where the file was.
        let head = WatchFrame.body(WatchFile(path: file.name ?? "", size: content.count, metadata: file.metadata))
        guard FileParts.head(head) != nil else { return [answer(LinkCode.payloadUnsupportedTypes)] }
        let parts = FileParts.of(content)
        let outgoing = OutgoingFile(transferId: transferId, app: app, file: file, pieces: parts.count + 1)
        files.append(outgoing)
        var effects = [answer(0), .store(.fileAccepted(outgoing))]
        effects += outbox.add(
            transferId, origin: app, destination: counterpart, body: head, kind: .fileHead, file: transferId)
        for (index, part) in parts.enumerated() {
            effects += outbox.add(
                FileParts.identifier(index + 1, of: transferId), origin: app, destination: counterpart, body: part,
                kind: .filePart, file: transferId)
        }
        return effects
    }

    /// Takes a file back, as far as that is still possible.
    mutating func cancel(file: UUID) -> [LinkEffect] { outbox.end(file: file, code: LinkCode.deliveryFailed) }

    /// The head or a part of a file has arrived or will not; with the last of them the file is over.
    mutating func partEnded(_ entry: Outbox.Entry, of file: UUID, code: Int?) -> [LinkEffect] {
        guard let index = files.firstIndex(where: { $0.transferId == file }) else { return [] }
        files[index].pieces -= 1
        var effects: [LinkEffect] = []
        if let code {
            if files[index].code == nil {
                files[index].code = code
                effects.append(.store(.fileProgressed(files[index])))
                effects += outbox.end(file: file, code: code).flatMap { report($0) }
            }
        } else if entry.kind == .filePart {
            files[index].sent += entry.body.count
            effects.append(.store(.fileProgressed(files[index])))
            let progress = WatchFrame(
                .transferProgress, messageId: file, sequence: UInt64(files[index].sent), app: entry.origin)
            if apps[entry.origin]?.isActivated == true { effects.append(.toApp(entry.origin, progress)) }
        }
        // The other parts may have ended meanwhile, and the file with them.
        guard let last = files.firstIndex(where: { $0.transferId == file }), files[last].pieces == 0 else {
            return effects
        }
        let outgoing = files.remove(at: last)
        return effects + [.store(.fileEnded(transferId: file))]
            + finish(
                FinishedTransfer(
                    transferId: file, app: outgoing.app, content: .file(outgoing.file), code: outgoing.code))
    }
}

/// A file of which the head has arrived, with as much of its content as is there.
struct ArrivingFile: Equatable, Sendable {
    /// What came first and describes the file.
    var head: Inbox.Entry
    /// The content of the head.
    let file: WatchFile
    private(set) var parts: [Inbox.Entry] = []
    /// Bytes of the content so far.
    private(set) var size = 0

    init(head: Inbox.Entry, file: WatchFile) {
        self.head = head
        self.file = file
    }

    var isWhole: Bool { size == file.size }
    /// The head and the parts.
    var pieces: [Inbox.Entry] { [head] + parts }

    mutating func add(_ part: Inbox.Entry) {
        parts.append(part)
        size += part.body.count
    }
}
