public import Foundation

/// How many messages of the inbox are not read.
public struct WMTInboxCount: Codable, Equatable, Sendable {
    /// The number.
    public let countUnread: Int
}

/// How the body of a message is written.
public enum WMTInboxContentType: String, Codable, Sendable {
    /// Plain text.
    case text
    /// HTML.
    case html
}

/// A message of the inbox without its body (mobile-token.md, section 13.2).
public struct WMTInboxMessage: Codable, Equatable, Sendable {
    /// Identifier of the message.
    public let id: String
    /// How the body is written.
    public let type: WMTInboxContentType
    /// Subject.
    public let subject: String
    /// The message in short.
    public let summary: String
    /// Whether the message was marked as read.
    public let read: Bool
    /// When the message came into the inbox.
    public let timestampCreated: Date
}

/// A message of the inbox (mobile-token.md, section 13.2).
public struct WMTInboxMessageDetail: Codable, Equatable, Sendable {
    /// Identifier of the message.
    public let id: String
    /// How the body is written.
    public let type: WMTInboxContentType
    /// Subject.
    public let subject: String
    /// The message in short.
    public let summary: String
    /// The message.
    public let body: String
    /// Whether the message was marked as read.
    public let read: Bool
    /// When the message came into the inbox.
    public let timestampCreated: Date
}
