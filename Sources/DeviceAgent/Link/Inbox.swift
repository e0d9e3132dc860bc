import Foundation
import SimulatedDevice

/// The receiving half of guaranteed transfers: everything arrives once and in order, and is handed to the app one by
/// one (watch.md, section 11.6).
///
/// A value that decides and does nothing else; see ``Outbox`` for the rule on its effects.
struct Inbox: Equatable, Sendable {
    /// Number of transfers that are remembered after they arrived. Only what is not confirmed comes again under another
    /// number, and that is never more than a window.
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
    }

    /// The other device's outbox.
    private(set) var epoch: UInt64
    /// Everything up to this number of that outbox has arrived.
    private(set) var received: UInt64
    /// The last numbers of that outbox that came as a tombstone.
    private(set) var skipped: [UInt64]
    /// What the apps have not handled, in order.
    private(set) var entries: [Entry]
    /// The transfers that arrived last, whatever outbox and number they had.
    private var recent: [UUID]
    private var lastPosition: Int64
    /// The entry that each running app is handling.
    private var handling: [String: UUID] = [:]
    /// A gap is reported once, until it is closed; the sender's timer covers a lost report.
    private var hasReportedGap = false

    /// Takes up what was stored.
    init(
        epoch: UInt64 = 0, received: UInt64 = 0, skipped: [UInt64] = [], entries: [Entry] = [], recent: [UUID] = []
    ) {
        self.epoch = epoch
        self.received = received
        self.skipped = skipped
        self.entries = entries
        self.recent = recent
        lastPosition = entries.map(\.position).max() ?? 0
    }

    /// The other device says which outbox it sends from.
    mutating func connect(epoch: UInt64) -> [LinkEffect] {
        hasReportedGap = false
        guard epoch != self.epoch else { return [] }
        self.epoch = epoch
        received = 0
        skipped = []
        return [.store(.senderChanged(epoch: epoch))]
    }

    /// A transfer, or the tombstone of one, arrived for `app`.
    ///
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
        let isTransfer = frame.kind == .userInfo
        // A double is told as arrived, whatever has become of its app since.
        let isDouble = recent.contains(frame.messageId)
        if isTransfer, !isDouble, let refusal {
            // The sender sends everything behind it again, without being asked.
            hasReportedGap = true
            return [.toPeer(refused(frame, code: refusal))]
        }
        hasReportedGap = false
        received += 1
        if !isDouble, !isTransfer {
            skipped = (skipped + [received]).suffix(Self.memory)
            return [.store(.skipped(sequence: received)), acknowledgement]
        }
        guard !isDouble else { return [.store(.received(nil, sequence: received)), acknowledgement] }
        lastPosition += 1
        let entry = Entry(
            position: lastPosition, transferId: frame.messageId, app: frame.app, body: frame.body, wasOffered: false)
        entries.append(entry)
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
        WatchFrame(
            kind, epoch: epoch, sequence: sequence, body: skipped.isEmpty ? Data() : WatchFrame.body(skipped))
    }

    /// How many entries wait for an app.
    func count(for app: String) -> Int {
        entries.count { $0.app == app }
    }

    /// The app can take its next entry: hands it over, unless it still works on the previous one.
    mutating func offer(to app: String) -> [LinkEffect] {
        guard handling[app] == nil, let index = entries.firstIndex(where: { $0.app == app }) else { return [] }
        let entry = entries[index]
        handling[app] = entry.transferId
        entries[index].wasOffered = true
        let hasMore = entries[(index + 1)...].contains { $0.app == app }
        let frame = WatchFrame(
            .deliver, flags: entry.wasOffered ? [.propertyList, .retransmission] : [.propertyList],
            messageId: entry.transferId, sequence: hasMore ? 1 : 0, app: app, body: entry.body)
        return (entry.wasOffered ? [] : [.store(.offered(position: entry.position))]) + [.toApp(app, frame)]
    }

    /// The app has handled a transfer.
    mutating func handled(_ transferId: UUID, by app: String) -> [LinkEffect] {
        guard handling[app] == transferId, let index = entries.firstIndex(where: { $0.transferId == transferId })
        else { return [] }
        handling[app] = nil
        return [.store(.handled(position: entries.remove(at: index).position))]
    }

    /// The app's process ended; what it was handling is offered to the next one again.
    mutating func processEnded(_ app: String) {
        handling[app] = nil
    }

    /// The app was taken off the device, and what waits for it with it.
    mutating func forget(_ app: String) -> [LinkEffect] {
        handling[app] = nil
        let gone = entries.filter { $0.app == app }
        entries.removeAll { $0.app == app }
        return gone.map { .store(.handled(position: $0.position)) }
    }
}
