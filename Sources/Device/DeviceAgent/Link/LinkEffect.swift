// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// What the pure parts of the link request. Effects are carried out in order, except that all stores of a batch are
/// committed, in one transaction, before anything else of the batch happens.
enum LinkEffect: Equatable, Sendable {
    /// Make a change durable.
    case store(LinkChange)
    case toPeer(WatchFrame)
    /// Send a frame to an app of this device.
    case toApp(String, WatchFrame)
    /// Put a file that has arrived into the container of an app of this device, and tell the app.
    case handOver(String, ReceivedFile)
    case greet
    /// An own transfer is over: tell its app, now or when it activates its session.
    case finished(Outbox.Entry, code: Int?)
    /// Start an app in the background, because a message waits for it.
    case launch(String)
    /// Continue a suspended app in the background, because a message waits for it.
    case wake(String)
    /// The link came up or went down.
    case linkChanged(isUp: Bool)
}

/// A durable change of a link's queues.
enum LinkChange: Equatable, Sendable {
    /// An own transfer was accepted.
    case accepted(Outbox.Entry)
    /// An accepted transfer got its number.
    case numbered(position: Int64, sequence: UInt64)
    /// A transfer was taken back before it was sent.
    case withdrawn(position: Int64)
    /// A transfer was taken back, or refused, after it was sent.
    case ended(position: Int64, code: Int)
    /// The app of a sent transfer was removed from the device.
    case orphaned(position: Int64)
    /// A newer transfer is for the complication.
    case replaced(position: Int64)
    /// An own file was accepted.
    case fileAccepted(OutgoingFile)
    /// The other device has more of an own file.
    case fileProgressed(OutgoingFile)
    /// An own file is over.
    case fileEnded(transferId: UUID)
    /// Transfers for the complication of an app were counted.
    case budget(app: String, ComplicationBudget)
    /// The other device has everything up to this number.
    case acknowledged(upTo: UInt64)
    /// The own sequence restarts; entries that have ended are dropped, the others lose their numbers.
    case restarted(epoch: UInt64)
    /// The other device sends from another outbox.
    case senderChanged(epoch: UInt64)
    /// A transfer arrived; nil for one that had arrived before under another number.
    case received(Inbox.Entry?, sequence: UInt64)
    /// The tombstone of a transfer arrived.
    case skipped(sequence: UInt64)
    /// A received transfer is handed to an app.
    case offered(position: Int64)
    /// An app has handled a received transfer, or one of the pieces that it came in; the last one names the transfer.
    case handled(position: Int64, transferId: UUID?)
    /// An own transfer has ended and its app must be notified.
    case finished(FinishedTransfer)
    /// The app was notified.
    case told(transferId: UUID)
    /// The own application context changed.
    case context(app: String, version: UInt64, body: Data)
    /// The other side has the application context of this version.
    case contextAcknowledged(app: String, version: UInt64)
    /// The other side's application context arrived.
    case contextReceived(app: String, version: UInt64, body: Data, isTold: Bool)
    /// The other side's application context was delivered to the app.
    case contextTold(app: String)
    /// The app was removed from the device, with its contexts and its pending notifications.
    case forgotten(app: String)
    /// The device was erased, or a pairing has ended: nothing is left, and the outbox begins with another epoch.
    case erased(epoch: UInt64, pairing: UInt64)
    /// The watch belongs to this pairing from now on.
    case paired(UInt64)

    /// The app of this device for which content was stored; nil for any other change.
    var receiver: String? {
        switch self {
        case .received(let entry?, _): entry.app
        case .contextReceived(let app, _, _, let isTold): isTold ? nil : app
        default: nil
        }
    }

    /// Whether nothing of a pairing is left.
    var endsPairing: Bool { if case .erased = self { true } else { false } }
}

/// An own transfer that is over.
struct FinishedTransfer: Equatable, Sendable {
    var transferId: UUID
    /// The app that sent it.
    var app: String
    var content: TransferContent
    /// A `WCError.Code`, or nil when it arrived.
    var code: Int?

    /// The news for the app.
    var frame: WatchFrame {
        WatchFrame(
            .transferDone, flags: content.flags, messageId: transferId, sequence: UInt64(code ?? 0), app: app,
            body: content.body)
    }
}

/// The `WCError.Code` values that the link itself reports (watch.md, section 9.7).
enum LinkCode {
    static let generic = 7001
    static let sessionNotActivated = 7004
    static let deviceNotPaired = 7005
    static let watchAppNotInstalled = 7006
    static let notReachable = 7007
    static let payloadTooLarge = 7009
    static let payloadUnsupportedTypes = 7010
    static let messageReplyFailed = 7011
    static let messageReplyTimedOut = 7012
    static let fileAccessDenied = 7013
    static let deliveryFailed = 7014
    static let insufficientSpace = 7015
    static let sessionInactive = 7016
    static let transferTimedOut = 7017
    static let companionAppNotInstalled = 7018
}

/// How many transfers for its complication an app may still send at once today (watch.md, section 9.5). By the lab's clock.
struct ComplicationBudget: Equatable, Sendable {
    static let perDay = 50
    /// Length of a day in nanoseconds.
    static let day: Int64 = 86_400_000_000_000

    /// When the day has begun: with its first transfer. In nanoseconds of lab time.
    var start: Int64 = 0
    /// Transfers since then.
    var used = 0

    /// How many are left at a moment.
    func remaining(at now: Int64) -> Int { now - start < Self.day ? max(0, Self.perDay - used) : Self.perDay }

    /// When more are left than now; nil when none was used.
    var renewal: Int64? { used == 0 ? nil : start + Self.day }

    mutating func use(at now: Int64) {
        if used == 0 || now - start >= Self.day { self = ComplicationBudget(start: now) }
        used += 1
    }

    mutating func renew(at now: Int64) {
        if now - start >= Self.day { used = 0 }
    }
}
