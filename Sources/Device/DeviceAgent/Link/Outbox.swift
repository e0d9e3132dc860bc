// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// The sending half of guaranteed transfers: which entry is sent when, and when it is done (watch.md, section 11.6).
///
/// A value that decides and does nothing else. Every call gives the changes to store and the frames to send; the
/// changes must be durable before the frames leave, and before the next call sees the world outside.
struct Outbox: Equatable, Sendable {
    /// Greatest number of entries that are under way at the same time.
    static let window: UInt64 = 16

    /// Identifies this sequence; a new one starts when the receiver has lost its memory.
    private(set) var epoch: UInt64
    /// The receiver has everything up to this number.
    private(set) var acknowledged: UInt64
    private(set) var lastSequence: UInt64
    /// What was sent and is not confirmed, in order: without gaps in the numbers, and at most the window.
    private var sent: Fifo<Entry> = Fifo()
    /// Unsent entries with priority, in order.
    private var urgent: Fifo<Entry> = Fifo()
    /// What else was not sent, in order.
    private var ordinary: Fifo<Entry> = Fifo()
    /// For each entry its position, by which its place is found.
    private var positions: [UUID: Int64]
    /// For each file how many of its pieces there are.
    private var pieces: [UUID: Int] = [:]
    /// How many transfers there are: a file is one.
    private(set) var count = 0
    /// Bytes of all bodies.
    private(set) var size = 0
    private var lastPosition: Int64
    /// The next number to send on the current connection; nil without a connection.
    private var nextToSend: UInt64?
    /// Everything up to this number was sent before, on this connection or an earlier one.
    private var highestSent: UInt64

    /// Restores the stored entries: those with numbers in their order, the others in order of acceptance.
    init(epoch: UInt64, acknowledged: UInt64 = 0, lastSequence: UInt64 = 0, entries: [Entry] = []) {
        self.epoch = epoch
        self.acknowledged = acknowledged
        self.lastSequence = lastSequence
        positions = [:]
        lastPosition = entries.map(\.position).max() ?? 0
        highestSent = lastSequence
        for entry in entries { remember(entry) }
        sent = Fifo(entries.filter { $0.sequence != nil })
        urgent = Fifo(entries.filter { $0.sequence == nil && $0.kind.isUrgent })
        ordinary = Fifo(entries.filter { $0.sequence == nil && !$0.kind.isUrgent })
    }

    /// What the receiver has not confirmed, in sending order.
    var entries: [Entry] { Array(sent) + Array(urgent) + Array(ordinary) }
    /// Whether something was sent that is not confirmed yet.
    var isWaitingForAcknowledgement: Bool { nextToSend.map { $0 > acknowledged + 1 } ?? false }

    /// Whether this transfer is queued, so that accepting it again would double it.
    func contains(_ transferId: UUID) -> Bool { positions[transferId] != nil }

    /// How many pieces of a file are queued or under way.
    func pieces(of file: UUID) -> Int { pieces[file] ?? 0 }

    /// The transfers of an app that are queued or under way, in order. Files are not among them.
    func outstanding(of app: String) -> [Entry] {
        entries.filter { $0.origin == app && $0.endCode == nil && $0.file == nil }
    }

    /// Accepts a transfer, or a piece of a file.
    mutating func add(
        _ transferId: UUID, origin: String, destination: String, body: Data, kind: Kind = .userInfo,
        file: UUID? = nil
    ) -> [LinkEffect] {
        lastPosition += 1
        let entry = Entry(
            position: lastPosition, transferId: transferId, origin: origin, destination: destination, sequence: nil,
            endCode: nil, body: body, kind: kind, file: file)
        var effects: [LinkEffect] = []
        if kind.isUrgent {
            effects += replaceComplication(of: origin)
            urgent.append(entry)
        } else {
            ordinary.append(entry)
        }
        remember(entry)
        return effects + [.store(.accepted(entry))] + pump()
    }

    /// There is one current transfer for the complication; the one before it is a transfer like others from now on.
    private mutating func replaceComplication(of app: String) -> [LinkEffect] {
        func isCurrent(_ entry: Entry) -> Bool { entry.origin == app && entry.kind == .complication }
        var effects: [LinkEffect] = []
        for index in sent.indices where isCurrent(sent[index]) {
            sent[index].kind = .formerComplication
            effects.append(.store(.replaced(position: sent[index].position)))
        }
        if let index = urgent.lastIndex(where: isCurrent) {
            urgent[index].kind = .formerComplication
            effects.append(.store(.replaced(position: urgent[index].position)))
        }
        return effects
    }

    /// Takes a transfer back, as far as that is still possible.
    mutating func cancel(_ transferId: UUID) -> [LinkEffect] {
        guard let position = positions[transferId] else { return [] }
        if let index = sent.firstIndex(where: { $0.position == position }) {
            guard sent[index].endCode == nil else { return [] }
            sent[index].endCode = LinkCode.deliveryFailed
            return [.store(.ended(position: position, code: LinkCode.deliveryFailed))] + resend()
        }
        let entry =
            urgent.index(of: position).map { urgent.remove(at: $0) }
            ?? ordinary.index(of: position).map { ordinary.remove(at: $0) }
        guard let entry else { return [] }
        forget(entry)
        return [.store(.withdrawn(position: position)), .finished(entry, code: LinkCode.deliveryFailed)]
    }

    /// Ends a file: what was not sent is withdrawn, what was sent becomes a tombstone. The receiver may have all sent
    /// pieces, so one tombstone of the rest is kept, which reports that no more follow.
    mutating func end(file: UUID, code: Int) -> [LinkEffect] { endPieces(of: file, code: code) + resend() }

    private mutating func endPieces(of file: UUID, code: Int) -> [LinkEffect] {
        func isMeant(_ entry: Entry) -> Bool { entry.file == file && entry.endCode == nil }
        let waiting = ordinary.filter(isMeant)
        // Pieces leave in order: as long as the head waits, nothing was sent.
        let isBegun = waiting.first?.kind != .fileHead
        var effects: [LinkEffect] = []
        for index in sent.indices where isMeant(sent[index]) {
            sent[index].endCode = code
            effects.append(.store(.ended(position: sent[index].position, code: code)))
        }
        if isBegun, let first = waiting.first, let index = ordinary.index(of: first.position) {
            ordinary[index].endCode = code
            effects.append(.store(.ended(position: first.position, code: code)))
        }
        if !waiting.isEmpty { ordinary.removeAll(where: isMeant) }
        for entry in waiting.dropFirst(isBegun ? 1 : 0) {
            forget(entry)
            effects += [.store(.withdrawn(position: entry.position)), .finished(entry, code: code)]
        }
        return effects
    }

    /// The app that sent the transfers and files was removed from the device: they end without a report. Nothing is
    /// sent before all of them have ended.
    mutating func forget(_ app: String, files: [UUID]) -> [LinkEffect] {
        var effects = files.flatMap { endPieces(of: $0, code: LinkCode.deliveryFailed) }
        effects.removeAll { if case .finished = $0 { true } else { false } }
        for entry in Array(urgent) + Array(ordinary) where entry.origin == app && entry.endCode == nil {
            forget(entry)
            effects.append(.store(.withdrawn(position: entry.position)))
        }
        urgent.removeAll { $0.origin == app && $0.endCode == nil }
        ordinary.removeAll { $0.origin == app && $0.endCode == nil }
        for index in sent.indices where sent[index].origin == app {
            size -= sent[index].body.count
            effects += sent[index].orphan()
        }
        // The tombstone of a file that was not sent yet.
        for index in ordinary.indices where ordinary[index].origin == app {
            size -= ordinary[index].body.count
            effects += ordinary[index].orphan()
        }
        return effects + resend()
    }

    /// The other device is in range. It knows this outbox as `epoch` and has everything up to `received`, of which it
    /// `skipped` what came as a tombstone.
    mutating func connect(epoch known: UInt64, received: UInt64, skipped: [UInt64] = []) -> [LinkEffect] {
        let received = known == epoch ? received : 0
        guard received >= acknowledged, received <= lastSequence else {
            // It has forgotten entries that were confirmed once, or remembers entries that never were: another
            // device, or one that was erased. What is still queued starts a sequence of its own.
            return restart()
        }
        var effects = confirm(received, skipped: skipped)
        nextToSend = acknowledged + 1
        effects += pump()
        return effects
    }

    /// The other device is out of range.
    mutating func disconnect() { nextToSend = nil }

    /// The receiver has everything up to `sequence`, of which it `skipped` what came as a tombstone.
    mutating func acknowledge(epoch: UInt64, upTo sequence: UInt64, skipped: [UInt64] = []) -> [LinkEffect] {
        guard epoch == self.epoch, sequence <= lastSequence else { return [] }
        return confirm(sequence, skipped: skipped) + pump()
    }

    /// The receiver misses the entry with this number; of those before it `skipped` came as a tombstone.
    mutating func rewind(epoch: UInt64, to sequence: UInt64, skipped: [UInt64] = []) -> [LinkEffect] {
        guard epoch == self.epoch, nextToSend != nil, sequence > acknowledged, sequence <= lastSequence else {
            return []
        }
        let effects = confirm(sequence - 1, skipped: skipped)
        return effects + resend()
    }

    /// The receiver does not take the entry with this number, and nothing behind it before it is replaced.
    mutating func refuse(epoch: UInt64, sequence: UInt64, code: Int) -> [LinkEffect] {
        guard epoch == self.epoch, sequence > acknowledged, sequence <= lastSequence else { return [] }
        let index = place(of: sequence)
        // Of a double, the tombstone is on its way.
        guard sent[index].endCode == nil else { return [] }
        sent[index].endCode = code
        return [.store(.ended(position: sent[index].position, code: code))] + resend()
    }

    /// No confirmation came for a while: everything under way is sent again.
    mutating func retransmit() -> [LinkEffect] { isWaitingForAcknowledgement ? resend() : [] }

    private mutating func resend() -> [LinkEffect] {
        guard nextToSend != nil else { return [] }
        nextToSend = acknowledged + 1
        return pump()
    }

    /// The place of a number among what was sent.
    private func place(of sequence: UInt64) -> Int { Int(sequence - acknowledged - 1) }

    private mutating func remember(_ entry: Entry) {
        positions[entry.transferId] = entry.position
        size += entry.body.count
        if entry.kind != .filePart { count += 1 }
        if let file = entry.file { pieces[file, default: 0] += 1 }
    }

    private mutating func forget(_ entry: Entry) {
        positions[entry.transferId] = nil
        size -= entry.body.count
        if entry.kind != .filePart { count -= 1 }
        if let file = entry.file, let rest = pieces[file] { pieces[file] = rest > 1 ? rest - 1 : nil }
    }

    private mutating func restart() -> [LinkEffect] {
        epoch = epoch &+ 1
        acknowledged = 0
        lastSequence = 0
        highestSent = 0
        var effects: [LinkEffect] = [.store(.restarted(epoch: epoch))]
        var kept: [Entry] = []
        for var entry in entries {
            entry.sequence = nil
            guard let code = entry.endCode else {
                kept.append(entry)
                continue
            }
            forget(entry)
            effects.append(.finished(entry, code: code))
        }
        sent = Fifo()
        urgent = Fifo(kept.filter(\.kind.isUrgent))
        ordinary = Fifo(kept.filter { !$0.kind.isUrgent })
        nextToSend = 1
        // The receiver learns of the new epoch by a greeting, never from a transfer.
        return effects + [.greet]
    }

    private mutating func confirm(_ sequence: UInt64, skipped: [UInt64]) -> [LinkEffect] {
        guard sequence > acknowledged else { return [] }
        acknowledged = sequence
        if let next = nextToSend, next <= sequence { nextToSend = sequence + 1 }
        var done: [Entry] = []
        while let entry = sent.first, (entry.sequence ?? .max) <= sequence {
            sent.popFirst()
            forget(entry)
            done.append(entry)
        }
        return [.store(.acknowledged(upTo: sequence))]
            + done.map { entry in
                // A transfer that was cancelled too late has still arrived.
                .finished(entry, code: entry.sequence.map(skipped.contains) == true ? entry.endCode : nil)
            }
    }

    private mutating func pump() -> [LinkEffect] {
        var effects: [LinkEffect] = []
        while let next = nextToSend, next <= acknowledged + Self.window {
            let index = place(of: next)
            if index >= sent.count {
                guard var entry = urgent.popFirst() ?? ordinary.popFirst() else { break }
                lastSequence += 1
                entry.sequence = lastSequence
                sent.append(entry)
                effects.append(.store(.numbered(position: entry.position, sequence: lastSequence)))
            }
            effects.append(
                .toPeer(
                    sent[index].frame(epoch: epoch, sequence: next, isRetransmission: next <= highestSent)))
            highestSent = max(highestSent, next)
            nextToSend = next + 1
        }
        return effects
    }

    /// What an entry carries; the raw value is stored.
    enum Kind: Int, Sendable {
        case userInfo = 0
        /// A dictionary for the complication of a watch app: it is sent before all unsent entries.
        case complication = 1
        case fileHead = 2
        case filePart = 3
        /// A complication entry that was replaced by a newer one; it keeps its place.
        case formerComplication = 4

        /// Whether it has priority.
        var isUrgent: Bool { self == .complication || self == .formerComplication }
    }

    /// One queued transfer, or a piece of a file.
    struct Entry: Equatable, Sendable {
        /// Order of acceptance, from 1.
        var position: Int64
        var transferId: UUID
        /// Actor name of the sending app; empty if the app was removed from the device, so the end is not reported.
        var origin: String
        /// Actor name of the receiving app.
        var destination: String
        /// Place in the sequence on the wire; assigned when the entry is first sent, so that an entry cancelled
        /// before leaves no gap.
        var sequence: UInt64?
        /// Cancelled or refused after it was sent: the wire carries a tombstone with the same number, and this is the
        /// `WCError.Code` with which the transfer ends.
        var endCode: Int?
        var body: Data
        var kind = Kind.userInfo
        /// The file that it belongs to.
        var file: UUID?
    }
}

extension Outbox.Entry {
    /// Its app was removed from the device: a tombstone without content is left, whose end is not reported.
    mutating func orphan() -> [LinkEffect] {
        endCode = LinkCode.deliveryFailed
        origin = ""
        body = Data()
        return [
            .store(.ended(position: position, code: LinkCode.deliveryFailed)),
            .store(.orphaned(position: position)),
        ]
    }

    /// The entry on the wire.
    func frame(epoch: UInt64, sequence: UInt64, isRetransmission: Bool) -> WatchFrame {
        let isTombstone = endCode != nil
        var flags: WatchFrame.Flags =
            switch kind {
            case .userInfo, .formerComplication: .propertyList
            case .complication: [.propertyList, .complication]
            case .fileHead: .file
            case .filePart: []
            }
        if isRetransmission { flags.insert(.retransmission) }
        return WatchFrame(
            isTombstone ? .userInfoTombstone : file == nil ? .userInfo : .filePart, flags: flags,
            messageId: transferId, correlationId: file ?? WatchFrame.none, epoch: epoch, sequence: sequence,
            app: destination, body: isTombstone ? Data() : body)
    }
}

extension Fifo where Element == Outbox.Entry {
    /// Positions grow from entry to entry among those that wait, so the place is found by halving.
    func index(of position: Int64) -> Int? {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self[middle].position == position { return middle }
            range = self[middle].position < position ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
