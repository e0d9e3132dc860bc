// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import SimulatedDevice
import Synchronization

/// The running app, as far as the SDKs' manuals name it (sdk.md, section 3, item 11). Thread rule: any thread.
public final class UIApplication: Sendable {
    /// Keys of the launch options. The lab's apps are launched without any.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key's text.
        public let rawValue: String

        /// - Parameter rawValue: the key's text.
        public init(rawValue: String) { self.rawValue = rawValue }
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
    public func unregisterForRemoteNotifications() { notifications?.tell(.unregister) }

    private func registered(_ answer: NotificationAnswer) {
        DispatchQueue.main.async { [self] in
            switch answer {
            case .token(let token): delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
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

/// What came of an app's work in the background.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It failed.
    case failed = 2
}

/// Notifications of the system to an app. All calls come on the main queue.
public protocol UIApplicationDelegate: AnyObject {
    /// The app gets pushes; the token is the address that its server needs.
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// The app gets no pushes.
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    /// A push requests work from the app, in the background or in the foreground.
    /// - Parameter completionHandler: to be called within 30 seconds; an app that was woken is suspended then, and the
    ///   system ends one that does not call it.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
}

extension UIApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    /// Does nothing.
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Has nothing to do.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(.noData)
    }
}

/// The device the app runs on (sdk.md, section 3, item 11). Immutable. Thread rule: any thread.
public final class UIDevice: Sendable {
    /// The device of this process.
    public static let current = UIDevice(sandbox: Sandbox.currentIfEntered)

    /// What an app without a special entitlement gets instead of the name that the user gave: the kind of the device,
    /// for example `iPhone`.
    public let name: String
    /// The kind of the device, for example `iPhone`.
    public let model: String
    /// Name of the operating system.
    public let systemName: String
    /// Version of the operating system, for example `17.5`.
    public let systemVersion: String
    private let device: DeviceInformation?

    /// The same for all apps of a vendor on the device; nil for a process that is on no device, and before the first
    /// unlock of the device.
    public var identifierForVendor: UUID? { device.flatMap { UUID(uuidString: $0.vendorIdentifier) } }

    /// - Parameter sandbox: what the system gives the app; nil for a process without a device.
    package init(sandbox: Sandbox?) {
        // A machine name is the kind followed by two numbers.
        model = sandbox.map { String($0.device.model.prefix { !$0.isNumber }) } ?? "iPhone"
        name = model
        systemName = sandbox?.device.systemName ?? "iOS"
        systemVersion = sandbox?.device.osVersion ?? ""
        device = sandbox?.device
    }
}
