// SPDX-License-Identifier: Apache-2.0

package import SimulatedDevice

/// The content of a notification. Thread rule: any thread; an object of this class itself never changes.
open class UNNotificationContent: NSObject {
    /// The parts, which only ``UNMutableNotificationContent`` changes.
    struct Parts {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var categoryIdentifier = ""
        var threadIdentifier = ""
        var userInfo: [AnyHashable: Any] = [:]
    }

    var parts: Parts

    /// An empty content.
    public override init() {
        parts = Parts()
        super.init()
    }

    init(parts: Parts) {
        self.parts = parts
        super.init()
    }

    /// The content of a notification that the system has received.
    package convenience init(_ notification: DeviceNotification) {
        let userInfo = try? JSONSerialization.jsonObject(with: notification.payloadText) as? [String: Any]
        self.init(
            parts: Parts(
                title: notification.title, subtitle: notification.subtitle, body: notification.body,
                badge: notification.badge.map { NSNumber(value: $0) },
                sound: notification.sound.map(UNNotificationSound.init(name:)),
                categoryIdentifier: notification.category, threadIdentifier: notification.thread,
                userInfo: userInfo ?? [:]))
    }

    /// Title; empty without one.
    open var title: String { parts.title }
    /// Second line of the title; empty without one.
    open var subtitle: String { parts.subtitle }
    /// Text; empty without one.
    open var body: String { parts.body }
    /// The number for the app's icon; nil leaves it as it is.
    open var badge: NSNumber? { parts.badge }
    /// The sound; nil for none.
    open var sound: UNNotificationSound? { parts.sound }
    /// Category, which determines its buttons; empty without one.
    open var categoryIdentifier: String { parts.categoryIdentifier }
    /// Groups notifications; empty without one.
    open var threadIdentifier: String { parts.threadIdentifier }
    /// The whole payload of a push: `aps`, and the sender's own keys beside it.
    open var userInfo: [AnyHashable: Any] { parts.userInfo }

    /// The same content, which does not change.
    open override func copy() -> Any { UNNotificationContent(parts: parts) }
    /// The same content, which can be changed.
    open override func mutableCopy() -> Any { UNMutableNotificationContent(parts: parts) }
}

/// A content that can be changed. Thread rule: one thread at a time.
open class UNMutableNotificationContent: UNNotificationContent {
    /// Title.
    open override var title: String {
        get { parts.title }
        set { parts.title = newValue }
    }
    /// Second line of the title.
    open override var subtitle: String {
        get { parts.subtitle }
        set { parts.subtitle = newValue }
    }
    /// Text.
    open override var body: String {
        get { parts.body }
        set { parts.body = newValue }
    }
    /// The number for the app's icon; nil leaves it as it is.
    open override var badge: NSNumber? {
        get { parts.badge }
        set { parts.badge = newValue }
    }
    /// The sound; nil for none.
    open override var sound: UNNotificationSound? {
        get { parts.sound }
        set { parts.sound = newValue }
    }
    /// Category, which decides about its buttons.
    open override var categoryIdentifier: String {
        get { parts.categoryIdentifier }
        set { parts.categoryIdentifier = newValue }
    }
    /// Groups notifications.
    open override var threadIdentifier: String {
        get { parts.threadIdentifier }
        set { parts.threadIdentifier = newValue }
    }
    /// The sender's own values.
    open override var userInfo: [AnyHashable: Any] {
        get { parts.userInfo }
        set { parts.userInfo = newValue }
    }
}

/// Name of a sound file of an app.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The file's name.
    public let rawValue: String

    /// - Parameter rawValue: the file's name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// - Parameter rawValue: the file's name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification. Immutable. Thread rule: any thread.
public final class UNNotificationSound: NSObject, Sendable {
    private let name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    /// A sound of the app.
    public convenience init(named name: UNNotificationSoundName) { self.init(name: name.rawValue) }

    /// The system's sound.
    public static let `default` = UNNotificationSound(name: "default")

    /// Sounds of the same name are equal.
    public override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == name }
    /// Fits ``isEqual(_:)``.
    public override var hash: Int { name.hashValue }
}
