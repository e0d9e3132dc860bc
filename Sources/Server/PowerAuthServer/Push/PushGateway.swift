// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// Hands push notifications over to devices, as Apple's service does for a real server.
///
/// A server without one records its notifications in the journal that `/lab/pushes` shows, and delivers nothing.
public protocol PushGateway: Sendable {
    /// Delivers one notification, and waits until the device's system has accepted or refused it.
    ///
    /// Called on a thread of its own, outside of every transaction, one call at a time and in the order of the commits:
    /// it may block, but a slow call delays all notifications after it. The outcome does not change the notification's
    /// operation.
    /// - Parameters:
    ///   - notification: for the app.
    ///   - token: as registered by the app.
    ///   - environment: the push service that is asked; the other one knows other tokens.
    func send(_ notification: PushNotification, to token: String, in environment: PushEnvironment) -> PushOutcome
}

/// The outcome of delivering a notification.
public enum PushOutcome: String, Codable, Equatable, Sendable {
    /// The device's system has taken it; whether an app ever sees it is the system's affair.
    case accepted
    /// No app on any device has this token; the server removes the registration.
    case invalidToken
    /// The token is that of the other push service; the server removes the registration. The name is Apple's.
    case badDeviceToken = "BadDeviceToken"
    /// The notification is longer than a push service takes; no app gets it.
    case payloadTooLarge
    /// The device cannot be reached now. Nothing is tried again: push is best effort.
    case unavailable
}

/// One notification for one device (mobile-token.md, sections 12.3 and 20.2).
public struct PushNotification: Equatable, Sendable {
    /// How urgent it is, in the words of the push server.
    public enum Priority: String, Codable, Sendable {
        case normal = "NORMAL"
        case high = "HIGH"

        /// The value of the header `apns-priority`.
        public var headerValue: Int { self == .high ? 10 : 5 }
    }

    /// How the system presents it.
    public enum Kind: String, Codable, Sendable {
        /// Shown to the user; the header `apns-push-type` is `alert`.
        case alert
        /// Silent: it only wakes the app.
        case background
    }

    /// Unique among the notifications of the server.
    public let id: String
    /// The app's `userInfo`: `aps`, and the message's own keys beside it.
    public let payload: [String: JSONValue]
    /// Whether the system shows it.
    public let kind: Kind
    /// How urgent it is.
    public var priority = Priority.high
}
