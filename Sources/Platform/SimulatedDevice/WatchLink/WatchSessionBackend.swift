// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

/// The system's side of a watch session, used by the module `WatchConnectivity`.
///
/// Thread rule: any thread. None blocks, except ``queueTransfer(_:_:)`` and ``updateContext(_:)``, which wait for the disk
/// of the device.
public protocol WatchSessionBackend: AnyObject, Sendable {
    /// Whether this device can have a counterpart at all.
    var isSupported: Bool { get }
    /// Whether the device is a watch.
    var isWatch: Bool { get }
    /// Sets the receiver of the events, which come from a thread of the backend, one at a time, in order.
    func setReceiver(_ receiver: @escaping @Sendable (WatchSessionEvent) -> Void)
    /// Names the serial queue on which the callbacks about events run; the receiver puts those about an event there.
    func setCallbackQueue(_ queue: DispatchQueue)
    /// Asks for activation; ``WatchSessionEvent/activated(_:)`` follows.
    func activate()
    /// Sends a live message.
    func send(_ message: LiveMessage)
    /// Answers a live message.
    func reply(to messageId: UUID, body: Data, isPropertyList: Bool)
    /// Reports to the sender that the message reached the app's delegate queue.
    func acknowledge(_ messageId: UUID)
    /// Reports to the sender that the message cannot be handled; `code` is a `WCError.Code`.
    func refuse(_ messageId: UUID, code: Int)
    /// Puts a transfer into the device's outbox; returns when it is stored.
    /// - Returns: Nil, or the `WCError.Code` of the refusal.
    func queueTransfer(_ transferId: UUID, _ content: TransferContent) -> Int?
    /// Takes a transfer of either kind back if it was not delivered yet.
    func cancelTransfer(_ transferId: UUID)
    /// Reports that the delegate has the end of an own transfer.
    func told(_ transferId: UUID)
    /// Reports that the delegate has handled a received transfer; the next one follows.
    func delivered(_ transferId: UUID)
    /// Reports that the delegate has a context of the counterpart, by the name of its delivery.
    func contextTold(_ news: UUID)
    /// Replaces the application context that the counterpart gets.
    /// - Returns: Nil, or the `WCError.Code` of the refusal.
    func updateContext(_ body: Data) -> Int?
}

extension WatchSessionBackend {
    /// Does nothing: the backend need not know when callbacks have returned.
    public func setCallbackQueue(_ queue: DispatchQueue) {}
}

/// An immediate message on its way to the counterpart.
public struct LiveMessage: Equatable, Sendable {
    /// Identifies the message.
    public let messageId: UUID
    /// Content: raw data, or a binary property list.
    public let body: Data
    /// Whether the body is a property list.
    public let isPropertyList: Bool
    /// Whether the sender waits for a reply.
    public let expectsReply: Bool

    /// Creates a message.
    public init(messageId: UUID, body: Data, isPropertyList: Bool, expectsReply: Bool) {
        self.messageId = messageId
        self.body = body
        self.isPropertyList = isPropertyList
        self.expectsReply = expectsReply
    }
}

/// Events of the system for a watch session.
public enum WatchSessionEvent: Sendable {
    /// Activation succeeded; `outstanding` lists the own transfers that are still queued, each kind oldest first.
    case activated(WatchCounterpartState, outstanding: [OwnTransfer])
    /// Activation failed with a `WCError.Code`.
    case activationFailed(code: Int)
    /// Phone: another watch is used from now on; content from the previous one still arrives.
    case becameInactive
    /// Phone: everything of the watch before has come; activation is for the new one.
    case deactivated
    /// The counterpart or its reachability changed.
    case changed(WatchCounterpartState)
    /// A live message arrived.
    case message(LiveMessage)
    /// A live message reached the counterpart app.
    case acknowledged(messageId: UUID)
    /// The reply to a live message.
    case reply(messageId: UUID, body: Data, isPropertyList: Bool)
    /// A live message failed with a `WCError.Code`.
    case failed(messageId: UUID, code: Int)
    /// An own transfer is over; the code is nil if it arrived. It is repeated at each activation until
    /// ``WatchSessionBackend/told(_:)``.
    case transferFinished(transferId: UUID, content: TransferContent, code: Int?)
    /// The other device has more of an own file; in bytes.
    case transferProgressed(transferId: UUID, sent: Int)
    /// A transfer from the counterpart; ``WatchSessionBackend/delivered(_:)`` asks for the next one, if there are more.
    case userInfo(transferId: UUID, body: Data, hasMore: Bool)
    /// A file from the counterpart, which stays in the app's container until its delegate has returned;
    /// ``WatchSessionBackend/delivered(_:)`` requests the next one.
    case file(transferId: UUID, WatchFile, hasMore: Bool)
    /// The newest application context of the counterpart. `news` names the delivery, until
    /// ``WatchSessionBackend/contextTold(_:)``; nil if an earlier process' delegate has it.
    case context(Data, news: UUID?)
    /// The application context that this app has set last, in an earlier process.
    case ownContext(Data)
    /// Whether content for which the system has given the app a background task waits for the delegate.
    case contentPending(Bool)
}

/// A file on its way to the counterpart.
public struct WatchFile: Codable, Equatable, Sendable {
    /// Greatest size of a file in bytes: the devices of the lab keep transfers in progress in memory.
    public static let limit = 16 * 1024 * 1024

    /// Where it is: the sending app's own file, or the copy for the receiving one.
    public var path: String
    /// Size in bytes.
    public var size: Int
    /// The sender's metadata: a binary property list.
    public var metadata: Data?

    /// Describes a file.
    public init(path: String, size: Int, metadata: Data? = nil) {
        self.path = path
        self.size = size
        self.metadata = metadata
    }

    /// The last part of the path; nil if it is not a file name.
    public var name: String? {
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init),
            !["", ".", ".."].contains(name), name.utf8.count <= 255, !name.utf8.contains(0)
        else { return nil }
        return name
    }
}

/// What a guaranteed transfer carries.
public enum TransferContent: Equatable, Sendable {
    /// A dictionary, as a binary property list.
    case userInfo(Data, isComplication: Bool = false)
    /// A file.
    case file(WatchFile)

    /// Reads the content of a frame; nil for an invalid description of a file.
    public init?(_ frame: WatchFrame) {
        guard frame.flags.contains(.file) else {
            self = .userInfo(frame.body, isComplication: frame.flags.contains(.complication))
            return
        }
        guard let file = try? frame.decodeBody(WatchFile.self) else { return nil }
        self = .file(file)
    }

    /// The flags of a frame with this content.
    public var flags: WatchFrame.Flags {
        switch self {
        case .userInfo(_, isComplication: false): .propertyList
        case .userInfo(_, isComplication: true): [.propertyList, .complication]
        case .file: .file
        }
    }

    /// The body of a frame with this content.
    public var body: Data {
        switch self {
        case .userInfo(let body, _): body
        case .file(let file): WatchFrame.body(file)
        }
    }
}

/// A guaranteed transfer of this app that is queued or under way.
public struct OwnTransfer: Equatable, Sendable {
    /// Identifies the transfer.
    public var transferId: UUID
    /// What it carries.
    public var content: TransferContent
    /// Of a file: how many bytes the other device has.
    public var sent: Int

    /// Describes a transfer.
    public init(transferId: UUID, content: TransferContent, sent: Int = 0) {
        self.transferId = transferId
        self.content = content
        self.sent = sent
    }
}
