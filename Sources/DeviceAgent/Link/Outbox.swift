import Foundation
import SimulatedDevice

/// The sending half of guaranteed transfers: which entry goes out when, and when it is done (watch.md, section 11.6).
///
/// A value that decides and does nothing else. Every call gives the changes to store and the frames to send; the
/// changes must be durable before the frames leave, and before the next call sees the world outside.
struct Outbox: Equatable, Sendable {
    /// Greatest number of entries that are under way at the same time.
    static let window: UInt64 = 16

    /// One queued transfer.
    struct Entry: Equatable, Sendable {
        /// Order of acceptance, from 1.
        var position: Int64
        var transferId: UUID
        /// Actor name of the sending app; empty when that was taken off the device, so that nobody is told.
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
    }

    /// Identifies this sequence; a new one starts when the receiver has lost its memory.
    private(set) var epoch: UInt64
    /// The receiver has everything up to this number.
    private(set) var acknowledged: UInt64
    /// The last number that was assigned.
    private(set) var lastSequence: UInt64
    /// What the receiver has not confirmed, in order.
    private(set) var entries: [Entry]
    private var transferIds: Set<UUID>
    private var lastPosition: Int64
    /// The next number to send on the current connection; nil while there is none.
    private var nextToSend: UInt64?
    /// Everything up to this number was sent before, on this connection or an earlier one.
    private var highestSent: UInt64

    /// Takes up what was stored.
    init(epoch: UInt64, acknowledged: UInt64 = 0, lastSequence: UInt64 = 0, entries: [Entry] = []) {
        self.epoch = epoch
        self.acknowledged = acknowledged
        self.lastSequence = lastSequence
        self.entries = entries
        transferIds = Set(entries.map(\.transferId))
        lastPosition = entries.map(\.position).max() ?? 0
        highestSent = lastSequence
    }

    /// Whether something was sent that is not confirmed yet.
    var isWaitingForAcknowledgement: Bool { nextToSend.map { $0 > acknowledged + 1 } ?? false }

    /// Whether this transfer is queued, so that accepting it again would double it.
    func contains(_ transferId: UUID) -> Bool { transferIds.contains(transferId) }

    /// The transfers of an app that are queued or under way, in order.
    func outstanding(of app: String) -> [Entry] {
        entries.filter { $0.origin == app && $0.endCode == nil }
    }

    /// Accepts a transfer.
    mutating func add(_ transferId: UUID, origin: String, destination: String, body: Data) -> [LinkEffect] {
        lastPosition += 1
        let entry = Entry(
            position: lastPosition, transferId: transferId, origin: origin, destination: destination, sequence: nil,
            endCode: nil, body: body)
        entries.append(entry)
        transferIds.insert(transferId)
        return [.store(.accepted(entry))] + pump()
    }

    /// Takes a transfer back, as far as that is still possible.
    mutating func cancel(_ transferId: UUID) -> [LinkEffect] {
        guard let index = entries.firstIndex(where: { $0.transferId == transferId && $0.endCode == nil }) else {
            return []
        }
        if entries[index].sequence == nil {
            let entry = remove(at: index)
            return [.store(.withdrawn(position: entry.position)), .finished(entry, code: LinkCode.deliveryFailed)]
        }
        return end(index, code: LinkCode.deliveryFailed) + resend()
    }

    /// The app that sent the transfers was taken off the device: they end, and nobody is told.
    mutating func forget(_ app: String) -> [LinkEffect] {
        var effects: [LinkEffect] = []
        for index in entries.indices.reversed() where entries[index].origin == app {
            if entries[index].sequence == nil {
                effects.append(.store(.withdrawn(position: remove(at: index).position)))
            } else {
                effects += end(index, code: LinkCode.deliveryFailed)
                entries[index].origin = ""
                entries[index].body = Data()
                effects.append(.store(.orphaned(position: entries[index].position)))
            }
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
    mutating func disconnect() {
        nextToSend = nil
    }

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
        guard epoch == self.epoch, sequence > acknowledged,
            let index = entries.firstIndex(where: { $0.sequence == sequence })
        else { return [] }
        // Of a double, the tombstone is on its way.
        return entries[index].endCode == nil ? end(index, code: code) + resend() : []
    }

    /// No confirmation came for a while: everything under way is sent again.
    mutating func retransmit() -> [LinkEffect] {
        isWaitingForAcknowledgement ? resend() : []
    }

    private mutating func resend() -> [LinkEffect] {
        guard nextToSend != nil else { return [] }
        nextToSend = acknowledged + 1
        return pump()
    }

    private mutating func remove(at index: Int) -> Entry {
        transferIds.remove(entries[index].transferId)
        return entries.remove(at: index)
    }

    private mutating func end(_ index: Int, code: Int) -> [LinkEffect] {
        entries[index].endCode = code
        return [.store(.ended(position: entries[index].position, code: code))]
    }

    private mutating func restart() -> [LinkEffect] {
        epoch = epoch &+ 1
        acknowledged = 0
        lastSequence = 0
        highestSent = 0
        var effects: [LinkEffect] = [.store(.restarted(epoch: epoch))]
        for entry in entries where entry.endCode != nil {
            transferIds.remove(entry.transferId)
            effects.append(.finished(entry, code: entry.endCode))
        }
        entries.removeAll { $0.endCode != nil }
        for index in entries.indices { entries[index].sequence = nil }
        nextToSend = 1
        // The receiver learns of the new epoch by a greeting, never from a transfer.
        return effects + [.greet]
    }

    private mutating func confirm(_ sequence: UInt64, skipped: [UInt64]) -> [LinkEffect] {
        guard sequence > acknowledged else { return [] }
        acknowledged = sequence
        if let next = nextToSend, next <= sequence { nextToSend = sequence + 1 }
        let done = entries.prefix { ($0.sequence ?? .max) <= sequence }
        entries.removeFirst(done.count)
        for entry in done { transferIds.remove(entry.transferId) }
        return [.store(.acknowledged(upTo: sequence))]
            + done.map { entry in
                // What was taken back too late has arrived all the same.
                .finished(entry, code: entry.sequence.map(skipped.contains) == true ? entry.endCode : nil)
            }
    }

    /// Sends as much as the window allows.
    private mutating func pump() -> [LinkEffect] {
        var effects: [LinkEffect] = []
        while let next = nextToSend, next <= acknowledged + Self.window {
            // Entries with numbers come first and without gaps, so the number gives the place.
            let index = Int(next - acknowledged - 1)
            guard index < entries.count else { break }
            if entries[index].sequence == nil {
                lastSequence += 1
                entries[index].sequence = lastSequence
                effects.append(.store(.numbered(position: entries[index].position, sequence: lastSequence)))
            }
            let entry = entries[index]
            effects.append(
                .toPeer(
                    entry.frame(epoch: epoch, sequence: next, isRetransmission: next <= highestSent)))
            highestSent = max(highestSent, next)
            nextToSend = next + 1
        }
        return effects
    }
}

extension Outbox.Entry {
    func frame(epoch: UInt64, sequence: UInt64, isRetransmission: Bool) -> WatchFrame {
        let isTombstone = endCode != nil
        return WatchFrame(
            isTombstone ? .userInfoTombstone : .userInfo,
            flags: isRetransmission ? [.propertyList, .retransmission] : [.propertyList], messageId: transferId,
            epoch: epoch, sequence: sequence, app: destination, body: isTombstone ? Data() : body)
    }
}
