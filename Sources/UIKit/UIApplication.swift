package import SimulatedDevice

/// The running app, as far as the SDKs' manuals name it (sdk.md, section 3, item 11). Thread rule: any thread.
public final class UIApplication: Sendable {
    /// Keys of the launch options. The lab's apps are launched without any.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's text.
        public let rawValue: String

        /// - Parameter rawValue: the key's text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The app of this process.
    public static let shared = UIApplication(sandbox: Sandbox.currentIfEntered, center: .default)

    /// Posted on the main queue when the app returns from the background, not after its launch.
    ///
    /// The first use of the name starts the delivery, so that no app has to touch ``shared`` before.
    public static let willEnterForegroundNotification: Notification.Name = {
        _ = shared
        return foreground
    }()

    private static let foreground = Notification.Name("UIApplicationWillEnterForegroundNotification")

    private let observation: ApplicationLifecycle.Observation?

    /// - Parameters:
    ///   - sandbox: who tells about the app's life; nil tells nothing.
    ///   - center: where the notifications are posted.
    package init(sandbox: Sandbox?, center: NotificationCenter) {
        observation = sandbox?.lifecycle.onWillEnterForeground {
            DispatchQueue.main.async { center.post(name: Self.foreground, object: nil) }
        }
    }
}

/// The name from before Swift 4.2, as the older manual writes it.
@available(*, deprecated, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
