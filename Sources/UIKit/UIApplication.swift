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

    // Each is posted on the main queue. The first use of a name starts the delivery, so that no app has to touch
    // ``shared`` before.

    /// Posted when the app is about to lose the user's attention.
    public static let willResignActiveNotification = delivered(.willResignActive)
    /// Posted when the app has gone to the background.
    public static let didEnterBackgroundNotification = delivered(.didEnterBackground)
    /// Posted when the app returns from the background, not after its launch.
    public static let willEnterForegroundNotification = delivered(.willEnterForeground)
    /// Posted when the app has the user's attention again, not after its launch.
    public static let didBecomeActiveNotification = delivered(.didBecomeActive)

    private static func delivered(_ event: ApplicationLifecycle.Event) -> Notification.Name {
        _ = shared
        return name(of: event)
    }

    private static func name(of event: ApplicationLifecycle.Event) -> Notification.Name {
        switch event {
        case .willResignActive: Notification.Name("UIApplicationWillResignActiveNotification")
        case .didEnterBackground: Notification.Name("UIApplicationDidEnterBackgroundNotification")
        case .willEnterForeground: Notification.Name("UIApplicationWillEnterForegroundNotification")
        case .didBecomeActive: Notification.Name("UIApplicationDidBecomeActiveNotification")
        }
    }

    private let observations: [ApplicationLifecycle.Observation]

    /// - Parameters:
    ///   - sandbox: who tells about the app's life; nil tells nothing.
    ///   - center: where the notifications are posted.
    package init(sandbox: Sandbox?, center: NotificationCenter) {
        observations = ApplicationLifecycle.Event.allCases.compactMap { event in
            sandbox?.lifecycle.on(event) {
                DispatchQueue.main.async { center.post(name: Self.name(of: event), object: nil) }
            }
        }
    }
}

/// The name from before Swift 4.2, as the older manual writes it.
@available(*, deprecated, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
