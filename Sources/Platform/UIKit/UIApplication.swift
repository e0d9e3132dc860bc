package import SimulatedDevice
import Synchronization

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
    private let notifications: NotificationService?
    private let reference = Mutex(DelegateReference())

    /// Holds the delegate weakly.
    private struct DelegateReference: @unchecked Sendable {
        // Sendable is safe: reading and writing are guarded by a lock, and the object is used on the main queue.
        weak var value: (any UIApplicationDelegate)?
    }

    /// - Parameters:
    ///   - sandbox: reports the app's lifecycle; nil reports nothing.
    ///   - center: where the notifications are posted.
    package init(sandbox: Sandbox?, center: NotificationCenter) {
        observations = ApplicationLifecycle.Event.allCases.compactMap { event in
            sandbox?.lifecycle.on(event) {
                DispatchQueue.main.async { center.post(name: Self.name(of: event), object: nil) }
            }
        }
        notifications = sandbox?.notifications
        notifications?.onNews { [weak self] news in self?.receive(news) ?? false }
    }

    /// Receives the system's notifications to the app; held weakly. Set it before the app has finished launching.
    public weak var delegate: (any UIApplicationDelegate)? {
        get { reference.withLock { $0 }.value }
        set {
            let new = DelegateReference(value: newValue)
            reference.withLock { $0 = new }
        }
    }

    // MARK: Push notifications

    /// Requests the device token, which the delegate receives.
    public func registerForRemoteNotifications() {
        guard let notifications else { return registered(.refused("The process is on no device.")) }
        notifications.ask(.register) { [self] in registered($0) }
    }

    /// Stops pushes for the app.
    public func unregisterForRemoteNotifications() {
        notifications?.tell(.unregister)
    }

    private func registered(_ answer: NotificationAnswer) {
        DispatchQueue.main.async { [self] in
            switch answer {
            case .token(let token):
                delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
            case .refused(let reason):
                // Apple documents no code for it.
                let error = NSError(
                    domain: NSCocoaErrorDomain, code: 3_000, userInfo: [NSLocalizedDescriptionKey: reason])
                delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
            default: break
            }
        }
    }

    private func receive(_ news: NotificationNews) -> Bool {
        guard case .background(let notification) = news, delegate != nil else { return false }
        DispatchQueue.main.async { [self] in
            let finish = { [notifications] () -> Void in notifications?.tell(.finished(id: notification.id)) }
            // The system waits for the end of the work, also if the delegate was released meanwhile.
            guard let delegate else { return finish() }
            let userInfo = try? JSONSerialization.jsonObject(with: notification.payloadText) as? [String: Any]
            delegate.application(self, didReceiveRemoteNotification: userInfo ?? [:]) { _ in finish() }
        }
        return true
    }
}

/// The name from before Swift 4.2, as the older manual writes it.
@available(*, deprecated, renamed: "UIApplication.LaunchOptionsKey")
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
