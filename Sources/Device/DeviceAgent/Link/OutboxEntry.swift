import Foundation
import SimulatedDevice

extension Outbox {
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
