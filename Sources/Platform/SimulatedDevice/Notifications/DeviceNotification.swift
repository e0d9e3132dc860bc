public import Foundation
public import LabKit

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
