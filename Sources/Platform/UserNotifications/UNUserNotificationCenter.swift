// SPDX-License-Identifier: Apache-2.0

@_exported public import Foundation
package import SimulatedDevice
import Synchronization

/// The notifications of this app (mobile-token.md, section 12.3).
///
/// Thread rule: any thread. The delegate is called as ``UNUserNotificationCenterDelegate`` describes, other handlers on
/// a thread of the system's.
public final class UNUserNotificationCenter: Sendable {
    private struct State {
        var delegate = Reference()
        var categories: Set<UNNotificationCategory> = []
    }

    /// Holds the delegate weakly.
    private struct Reference: @unchecked Sendable {
        // Sendable is safe: reading and writing are guarded by the state's lock, and the object is used on the main queue.
        weak var value: (any UNUserNotificationCenterDelegate)?
    }

    private let service: NotificationService?
    private let state = Mutex(State())

    private static let shared = UNUserNotificationCenter(service: Sandbox.currentIfEntered?.notifications)

    /// The centre of this process.
    public class func current() -> UNUserNotificationCenter { shared }

    /// - Parameter service: the system's notifications; nil for a process that is on no device.
    package init(service: NotificationService?) {
        self.service = service
        service?.onNews { [weak self] news in self?.receive(news) ?? false }
    }

    /// Gets all news; held weakly. Set it before the app has finished launching.
    public weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { state.withLock { $0.delegate }.value }
        set {
            let reference = Reference(value: newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    // MARK: What the user allows

    /// Asks the user the first time; afterwards returns that answer.
    /// - Parameters:
    ///   - options: what the app would like to show.
    ///   - completionHandler: called once the user has answered.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (_ granted: Bool, _ error: (any Error)?) -> Void
    ) {
        ask(.requestAuthorization(isQuiet: options.contains(.provisional))) { answer in
            if case .authorization(let authorization) = answer {
                completionHandler(authorization.allows, nil)
            } else {
                completionHandler(false, UNError(.notificationsNotAllowed))
            }
        }
    }

    /// Asks the user the first time; afterwards returns that answer.
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            requestAuthorization(options: options) { granted, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(granted))
            }
        }
    }

    /// Returns what the user allows.
    public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        ask(.settings) { answer in
            var status = UNAuthorizationStatus.notDetermined
            if case .authorization(let authorization) = answer { status = UNAuthorizationStatus(authorization) }
            completionHandler(UNNotificationSettings(authorizationStatus: status))
        }
    }

    /// Returns what the user allows.
    public func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in getNotificationSettings { continuation.resume(returning: $0) } }
    }

    // MARK: What is shown

    /// The notifications of the app that the system shows.
    public func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        ask(.shown) { answer in
            guard case .shown(let notifications) = answer else { return completionHandler([]) }
            completionHandler(notifications.map(UNNotification.init))
        }
    }

    /// The notifications of the app that the system shows.
    public func deliveredNotifications() async -> [UNNotification] {
        await withCheckedContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Clears notifications of the app.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        service?.tell(.remove(identifiers))
    }

    /// Clears all notifications of the app.
    public func removeAllDeliveredNotifications() { service?.tell(.remove(nil)) }

    /// Sets the number on the app's icon; 0 removes it.
    public func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        ask(.setBadge(newBadgeCount)) { answer in
            completionHandler?(answer == .done ? nil : UNError(.notificationsNotAllowed))
        }
    }

    /// Sets the number on the app's icon; 0 removes it.
    public func setBadgeCount(_ newBadgeCount: Int) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            setBadgeCount(newBadgeCount) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    // MARK: Categories

    /// Replaces the kinds of notifications that have buttons.
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        state.withLock { $0.categories = categories }
    }

    /// The kinds of notifications that have buttons.
    public func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        completionHandler(state.withLock { $0.categories })
    }

    /// The kinds of notifications that have buttons.
    public func notificationCategories() async -> Set<UNNotificationCategory> { state.withLock { $0.categories } }

    // MARK: The system

    private func ask(_ request: NotificationRequest, completion: @escaping NotificationService.Completion) {
        guard let service else { return completion(.refused("The process is on no device.")) }
        service.ask(request, completion: completion)
    }

    private func receive(_ news: NotificationNews) -> Bool {
        guard delegate != nil else { return false }
        switch news {
        case .arrived(let notification):
            DispatchQueue.main.async { [self] in
                let decide = { [service] (options: UNNotificationPresentationOptions) -> Void in
                    service?.tell(
                        .presented(
                            id: notification.id, isShown: options.showsNotification,
                            setsBadge: options.contains(.badge)))
                }
                // The system waits for an answer, also if the delegate was released meanwhile.
                guard let delegate else { return decide([]) }
                delegate.userNotificationCenter(
                    self, willPresent: UNNotification(notification), withCompletionHandler: decide)
            }
        case .opened(let notification, let action):
            DispatchQueue.main.async { [self] in
                let handled = { [service] () -> Void in service?.tell(.handled(id: notification.id)) }
                guard let delegate else { return handled() }
                let response = UNNotificationResponse(notification, action: action)
                delegate.userNotificationCenter(self, didReceive: response, withCompletionHandler: handled)
            }
        case .background: return false
        }
        return true
    }
}

/// Calls of the centre to an app. An app implements one function of each pair.
///
/// Functions with a handler are called on the main queue; asynchronous ones run where the app's own declaration states,
/// which without `@MainActor` is a thread of the system's.
public protocol UNUserNotificationCenterDelegate: AnyObject {
    /// A notification arrived while the app is in the foreground; without the handler's call nothing is shown.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
    /// The same.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions
    /// The user has opened a notification, or tapped a button of it.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    /// The same.
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async
}

extension UNUserNotificationCenterDelegate {
    /// Calls the function without a handler.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        // Only the task uses the handler; it calls the delegate on a thread of the system, as Apple's framework does.
        let delegate = UncheckedTransfer<any UNUserNotificationCenterDelegate>(self)
        let handler = UncheckedTransfer(completionHandler)
        Task { handler.value(await delegate.value.userNotificationCenter(center, willPresent: notification)) }
    }

    /// Shows nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Calls the function without a handler.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        // Only the task uses the handler; it calls the delegate on a thread of the system, as Apple's framework does.
        let delegate = UncheckedTransfer<any UNUserNotificationCenterDelegate>(self)
        let handler = UncheckedTransfer(completionHandler)
        Task {
            await delegate.value.userNotificationCenter(center, didReceive: response)
            handler.value()
        }
    }

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}
}
