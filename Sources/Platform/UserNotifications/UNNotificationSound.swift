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
    public convenience init(named name: UNNotificationSoundName) {
        self.init(name: name.rawValue)
    }

    /// The system's sound.
    public static let `default` = UNNotificationSound(name: "default")

    /// Sounds of the same name are equal.
    public override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == name }
    /// Fits ``isEqual(_:)``.
    public override var hash: Int { name.hashValue }
}
