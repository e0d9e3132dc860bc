// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// The receiving half of guaranteed transfers: everything arrives once and in order, and is handed to the app one by
/// one (watch.md, section 11.6).
///
/// A value that decides and does nothing else; see ``Outbox`` for the rule on its effects.
struct Inbox: Equatable, Sendable {
    /// Number of transfers that are remembered after they arrived. Only unconfirmed transfers come again under another
    /// number, at most a window of them.
    static let memory = Int(Outbox.window) * 4

    /// One received transfer that its app has not handled yet.
    struct Entry: Equatable, Sendable {
        /// Order of arrival, from 1.
        var position: Int64
        var transferId: UUID
        /// Actor name of the receiving app.
        var app: String
        var body: Data
        /// It was handed to a process before, which may have handled it.
        var wasOffered: Bool
        var kind = Outbox.Kind.userInfo
        /// The file that it belongs to.
        var file: UUID?
    }

    /// The other device's outbox.
    private(set) var epoch: UInt64
    /// Everything up to this number of that outbox has arrived.
    private(set) var received: UInt64
    /// The last numbers of that outbox that came as a tombstone.
    private(set) var skipped: [UInt64]
    /// For each app, what it can handle, in order: user infos, and heads of completely received files.
    private var queues: [String: Fifo<Entry>] = [:]
    /// Files that have begun to arrive, until they are handled.
    private var files: [UUID: ArrivingFile] = [:]
    /// How many transfers there are: a file is one.
    private(set) var count = 0
    /// Bytes of all bodies.
    private(set) var size = 0
    /// The transfers that arrived last, of any outbox and number.
    private var recent: [UUID]
    private var lastPosition: Int64
    /// The entry that each running app is handling.
    private var handling: [String: UUID] = [:]
    /// A gap is reported once, until it is closed; the sender's timer covers a lost report.
    private var hasReportedGap = false

    /// Restores the stored entries, in the order of arrival.
    init(
        epoch: UInt64 = 0, received: UInt64 = 0, skipped: [UInt64] = [], entries: [Entry] = [], recent: [UUID] = []
    ) {
        self.epoch = epoch
        self.received = received
        self.skipped = skipped
        self.recent = recent
        lastPosition = entries.map(\.position).max() ?? 0
        for entry in entries { take(entry) }
    }

    /// All that is there, with the pieces of files, in the order of arrival.
    var entries: [Entry] {
        (queues.values.joined().filter { $0.kind != .fileHead } + files.values.flatMap(\.pieces))
            .sorted { $0.position < $1.position }
    }

    /// The other device states which outbox it sends from.
    mutating func connect(epoch: UInt64) -> [LinkEffect] {
        hasReportedGap = false
        guard epoch != self.epoch else { return [] }
        self.epoch = epoch
        received = 0
        skipped = []
        // The missing parts of a file will not arrive.
        let broken = files.filter { !$0.value.isWhole }.keys
        return [.store(.senderChanged(epoch: epoch))] + broken.flatMap { drop(brokenFile: $0) }
    }

    /// A transfer, or the tombstone of one, arrived for `app`.
    /// - Parameter refusal: The `WCError.Code` with which a transfer is not taken; nil for one that is fine. The sender
    ///   then puts a tombstone into its place.
    mutating func receive(_ frame: WatchFrame, refusal: Int? = nil) -> [LinkEffect] {
        guard frame.epoch == epoch else { return [] }
        guard frame.sequence == received + 1 else {
            if frame.sequence <= received { return [acknowledgement] }
            guard !hasReportedGap else { return [] }
            hasReportedGap = true
            return [.toPeer(report(.userInfoGap, received + 1))]
        }
        let isTransfer = frame.kind != .userInfoTombstone
        // A double is reported as arrived, even if its app was removed since.
        let isDouble = recent.contains(frame.messageId)
        if isTransfer, !isDouble, let refusal = refusal ?? misfit(frame) {
            // The sender sends everything behind it again, without being asked.
            hasReportedGap = true
            return [.toPeer(refused(frame, code: refusal))]
        }
        hasReportedGap = false
        received += 1
        if !isDouble, !isTransfer {
            skipped = (skipped + [received]).suffix(Self.memory)
            return drop(brokenFile: frame.correlationId) + [.store(.skipped(sequence: received)), acknowledgement]
        }
        guard !isDouble else { return [.store(.received(nil, sequence: received)), acknowledgement] }
        lastPosition += 1
        var entry = Entry(
            position: lastPosition, transferId: frame.messageId, app: frame.app, body: frame.body, wasOffered: false)
        if frame.kind == .filePart {
            entry.kind = frame.flags.contains(.file) ? .fileHead : .filePart
            entry.file = frame.correlationId
        }
        take(entry)
        recent = (recent + [entry.transferId]).suffix(Self.memory)
        return [.store(.received(entry, sequence: received)), acknowledgement]
    }

    private func refused(_ frame: WatchFrame, code: Int) -> WatchFrame {
        WatchFrame(
            .userInfoRefusal, messageId: frame.messageId, epoch: epoch, sequence: frame.sequence,
            body: WatchFrame.body(RefusalBody(code: code)))
    }

    private var acknowledgement: LinkEffect { .toPeer(report(.userInfoAcknowledgement, received)) }

    private func report(_ kind: WatchFrame.Kind, _ sequence: UInt64) -> WatchFrame {
        WatchFrame(kind, epoch: epoch, sequence: sequence, body: skipped.isEmpty ? Data() : WatchFrame.body(skipped))
    }

    func count(for app: String) -> Int { queues[app]?.count ?? 0 }

    /// The transfers that wait for an app, the next one first.
    func waiting(for app: String) -> some Collection<UUID> { (queues[app] ?? Fifo()).lazy.map(\.transferId) }

    /// The app can take its next entry: hands it over, unless it still works on the previous one.
    mutating func offer(to app: String) -> [LinkEffect] {
        // No copy of the queue is kept: changing it would then copy it all.
        guard handling[app] == nil, let entry = queues[app]?.first else { return [] }
        handling[app] = entry.transferId
        queues[app]?[0].wasOffered = true
        let hasMore = count(for: app) > 1
        let stored: [LinkEffect] = entry.wasOffered ? [] : [.store(.offered(position: entry.position))]
        if entry.kind == .fileHead, let file = files[entry.transferId] {
            files[entry.transferId]?.head.wasOffered = true
            let received = ReceivedFile(
                transferId: entry.transferId, file: file.file, parts: file.parts.map(\.body), hasMore: hasMore,
                wasOffered: entry.wasOffered)
            return stored + [.handOver(app, received)]
        }
        let frame = WatchFrame(
            .deliver, flags: entry.wasOffered ? [.propertyList, .retransmission] : [.propertyList],
            messageId: entry.transferId, sequence: hasMore ? 1 : 0, app: app, body: entry.body)
        return stored + [.toApp(app, frame)]
    }

    /// The app has handled a transfer.
    mutating func handled(_ transferId: UUID, by app: String) -> [LinkEffect] {
        guard handling[app] == transferId, let entry = queues[app]?.popFirst() else { return [] }
        handling[app] = nil
        return leave(entry)
    }

    /// The app's process ended; what it was handling is offered to the next one again.
    mutating func processEnded(_ app: String) { handling[app] = nil }

    /// Restores the stored state and drops later decisions: apps continue handling what they were handed before.
    mutating func keepHandling(of other: Inbox) {
        handling = other.handling.filter { app, transferId in
            queues[app]?.first.map { $0.transferId == transferId && $0.wasOffered } ?? false
        }
    }

    /// The app was removed from the device, and its queued transfers with it.
    mutating func forget(_ app: String) -> [LinkEffect] {
        handling[app] = nil
        let gone = queues.removeValue(forKey: app) ?? Fifo()
        let broken = files.values.filter { $0.head.app == app && !$0.isWhole }.map(\.head)
        return (Array(gone) + broken).flatMap { leave($0) }
    }

    // MARK: Content

    /// Puts an entry, or a piece of a file, where it belongs. What makes no file has no place.
    private mutating func take(_ entry: Entry) {
        switch entry.kind {
        case .userInfo, .complication, .formerComplication: queues[entry.app, default: Fifo()].append(entry)
        case .fileHead:
            guard let file = FileParts.head(entry.body) else { return }
            files[entry.transferId] = ArrivingFile(head: entry, file: file)
        case .filePart:
            guard let file = entry.file, files[file]?.add(entry) != nil else { return }
        }
        if entry.kind != .filePart { count += 1 }
        size += entry.body.count
        guard let file = entry.file, let head = files[file]?.head, files[file]?.isWhole == true else { return }
        queues[head.app, default: Fifo()].append(head)
    }

    /// A transfer that is no longer queued is removed, a file with all its pieces.
    private mutating func leave(_ entry: Entry) -> [LinkEffect] {
        let gone = entry.file.flatMap { files.removeValue(forKey: $0)?.pieces } ?? [entry]
        count -= 1
        size -= gone.map(\.body.count).reduce(0, +)
        return gone.map { piece in
            let isLast = piece.position == gone.last?.position
            return .store(.handled(position: piece.position, transferId: isLast ? entry.transferId : nil))
        }
    }

    /// Why a piece of a file cannot be taken: a `WCError.Code`, or nil if it fits the received pieces.
    private func misfit(_ frame: WatchFrame) -> Int? {
        guard frame.kind == .filePart else { return nil }
        let file = files[frame.correlationId]
        if frame.flags.contains(.file) {
            let isFirst = file == nil && frame.messageId == frame.correlationId
            return isFirst && FileParts.head(frame.body) != nil ? nil : LinkCode.deliveryFailed
        }
        guard let file, file.head.app == frame.app, !frame.body.isEmpty,
            file.size + frame.body.count <= file.file.size
        else { return LinkCode.deliveryFailed }
        return nil
    }

    /// Forgets a file that will not be whole. Nothing happens when none of it is there.
    private mutating func drop(brokenFile file: UUID) -> [LinkEffect] {
        guard let broken = files[file], !broken.isWhole else { return [] }
        return leave(broken.head)
    }
}
