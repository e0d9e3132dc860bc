// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import Synchronization

/// The system's notification service of one app, used by the modules `UserNotifications` and `UIKit`.
///
/// Thread rule: any thread; nothing blocks. Answers and news come on a thread of the system's and must not block it.
public final class NotificationService: Sendable {
    /// Takes the answer to a request.
    public typealias Completion = @Sendable (NotificationAnswer) -> Void
    /// Takes news; returns false if it does not handle them.
    public typealias Receiver = @Sendable (NotificationNews) -> Bool

    private struct State {
        var send: (@Sendable (UUID, NotificationRequest) -> Void)?
        var completions: [UUID: Completion] = [:]
        var receivers: [Receiver] = []
    }

    private let state = Mutex(State())

    /// A service without a system; ``connect(_:)`` names it.
    public init() {}

    /// Sets the function that sends requests to the system; before the first request.
    public func connect(_ send: @escaping @Sendable (UUID, NotificationRequest) -> Void) {
        state.withLock { $0.send = send }
    }

    // MARK: For the app

    /// Asks the system; `completion` is called once.
    public func ask(_ request: NotificationRequest, completion: @escaping Completion) {
        let id = UUID()
        let send = state.withLock { state in
            if state.send != nil { state.completions[id] = completion }
            return state.send
        }
        guard let send else { return completion(.refused("The process is on no device.")) }
        send(id, request)
    }

    /// Sends the system a report that has no reply.
    public func tell(_ request: NotificationRequest) { state.withLock { $0.send }?(UUID(), request) }
    /// Adds a receiver of all news; the first one that handles them gets them.
    public func onNews(_ receiver: @escaping Receiver) { state.withLock { $0.receivers.append(receiver) } }

    // MARK: For the system

    /// Takes the system's answer to a request.
    public func take(_ answer: NotificationAnswer, to id: UUID) {
        state.withLock { $0.completions.removeValue(forKey: id) }?(answer)
    }

    /// Takes news of the system. News without a receiver in the app are answered at once, so that the system does not
    /// wait.
    public func take(_ news: NotificationNews) {
        let receivers = state.withLock { $0.receivers }
        guard !receivers.contains(where: { $0(news) }) else { return }
        switch news {
        case .arrived(let notification): tell(.presented(id: notification.id, isShown: false, setsBadge: false))
        case .background(let notification): tell(.finished(id: notification.id))
        case .opened(let notification, _): tell(.handled(id: notification.id))
        }
    }
}

/// A push notification as the system keeps it and hands it to an app (mobile-token.md, section 12.3).
public struct DeviceNotification: Codable, Equatable, Sendable {
    /// Identifies it; a later one with the same name replaces it.
    public let id: String
    /// What the sender has written: `aps`, and keys of its own.
    public let payload: [String: JSONValue]
    /// When it arrived, milliseconds of lab time since 1970.
    public let date: Int64

    /// Creates a notification.
    public init(id: String, payload: [String: JSONValue], date: Int64) {
        (self.id, self.payload, self.date) = (id, payload, date)
    }

    /// The most that a push service takes, in bytes of JSON.
    private static let longestPayload = 4_096

    /// Why a push service refuses the notification; nil when it takes it.
    public var refusal: String? {
        let size = payloadText.count
        guard size > Self.longestPayload else { return nil }
        return "`payload` has \(size) bytes; a push service takes at most \(Self.longestPayload)."
    }

    /// The payload as a JSON text.
    public var payloadText: Data { JSONValue.object(payload).encoded() }

    // MARK: Fields that the system reads

    /// Title; empty without one.
    public var title: String { alert?["title"]?.stringValue ?? "" }
    /// Second line of the title; empty without one.
    public var subtitle: String { alert?["subtitle"]?.stringValue ?? "" }
    /// Text; empty without one.
    public var body: String { alert?.stringValue ?? alert?["body"]?.stringValue ?? "" }
    /// The number for the app's icon; nil leaves it as it is.
    public var badge: Int? { aps?["badge"]?.integerValue.map(Int.init(clamping:)) }
    /// Name of the sound, for example `default`; nil for none.
    public var sound: String? { aps?["sound"]?.stringValue ?? aps?["sound"]?["name"]?.stringValue }
    /// Category, which determines its buttons; empty without one.
    public var category: String { aps?["category"]?.stringValue ?? "" }
    /// Groups notifications; empty without one.
    public var thread: String { aps?["thread-id"]?.stringValue ?? "" }
    /// Whether there is something to show.
    public var isVisible: Bool { !(title + subtitle + body).isEmpty }
    /// Whether it is for work of the app in the background.
    public var wakesApp: Bool { aps?["content-available"]?.integerValue == 1 }

    private var aps: JSONValue? { payload["aps"] }
    private var alert: JSONValue? { aps?["alert"] }
}

/// A request or report of an app about its notifications; body of `notificationRequest`.
public enum NotificationRequest: Codable, Equatable, Sendable {
    /// The device token is wanted; answered by ``NotificationAnswer/token(_:)`` or a refusal.
    case register
    /// No more pushes.
    case unregister
    /// The user is to be asked; `isQuiet` lets the system allow it without a dialog, for notifications that make no noise.
    case requestAuthorization(isQuiet: Bool)
    /// The settings are wanted.
    case settings
    /// The app's notifications that the system shows are wanted.
    case shown
    /// Notifications of the app are to be removed; nil means all.
    case remove([String]?)
    /// The number for the app's icon.
    case setBadge(Int)
    /// The app was in the foreground when the notification arrived and decides how it is presented.
    case presented(id: String, isShown: Bool, setsBadge: Bool)
    /// The app has finished its work on a notification in the background.
    case finished(id: String)
    /// The app has handled the notification that the user opened.
    case handled(id: String)
}

/// The system's answer to a ``NotificationRequest``; body of `notificationAnswer`.
public enum NotificationAnswer: Codable, Equatable, Sendable {
    /// The device token.
    case token(Data)
    /// Why it cannot be.
    case refused(String)
    /// What the user allows.
    case authorization(NotificationAuthorization)
    /// The notifications that are shown, oldest first.
    case shown([DeviceNotification])
    /// Nothing more to say.
    case done
}

/// What the system hands to an app; body of `notification`.
public enum NotificationNews: Codable, Equatable, Sendable {
    /// It arrived while the app is in the foreground; the app answers with ``NotificationRequest/presented``.
    case arrived(DeviceNotification)
    /// It is for work in the background; the app answers with ``NotificationRequest/finished``.
    case background(DeviceNotification)
    /// The user has opened it; the action is a button, or nil for the notification itself. The app answers with
    /// ``NotificationRequest/handled``.
    case opened(DeviceNotification, action: String?)
}

/// Whether an app may show notifications.
public enum NotificationAuthorization: String, Codable, Sendable {
    /// The user was not asked.
    case notDetermined
    /// The user has refused.
    case denied
    /// The user allows it.
    case authorized
    /// The user was not asked; notifications make no sound.
    case provisional

    /// Whether notifications are shown.
    public var allows: Bool { self == .authorized || self == .provisional }
}
