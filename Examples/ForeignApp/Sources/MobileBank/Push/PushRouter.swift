// SPDX-License-Identifier: Apache-2.0

import Foundation
import UIKit
import UserNotifications
import WultraMobileTokenSDK

/// Leads a push to the screen that it is about.
public final class PushRouter: NSObject, UNUserNotificationCenterDelegate {
    public enum Route: Equatable {
        case operation(id: String, banner: String?)
        case operationClosed(id: String, wasApproved: Bool)
        case message(id: String)
    }

    public var onRoute: ((Route) -> Void)?

    public static func route(for userInfo: [AnyHashable: Any]) -> Route? {
        guard let message = WMTPushParser.parseNotification(userInfo) else { return nil }
        return route(for: message)
    }

    public static func route(for notification: UNNotification) -> Route? {
        WMTPushParser.parseNotification(notification).map { route(for: $0) }
    }

    private static func route(for message: WMTPushMessage) -> Route {
        switch message {
        case .operationCreated(let id, _, let content, _):
            return .operation(id: id, banner: content.map { "\($0.title): \($0.message)" })
        case .operationFinished(let id, _, let result, _):
            return .operationClosed(id: id, wasApproved: result == .success)
        case .inboxMessageReceived(let id, _): return .message(id: id)
        }
    }

    // MARK: - UNUserNotificationCenterDelegate

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        // The list of operations shows it already.
        if case .operationClosed? = PushRouter.route(for: notification) { return completionHandler([]) }
        completionHandler([.banner, .list, .sound])
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        if let route = PushRouter.route(for: response.notification) { onRoute?(route) }
        completionHandler()
    }
}

/// Registers the phone for pushes, and is called when one wants work in the background.
public final class PushRegistration: NSObject, UIApplicationDelegate {
    private let push: WMTPush
    private let inbox: OperationInbox
    private let router = PushRouter()
    public private(set) var lastFailure: BankFailure?

    public init(push: WMTPush, inbox: OperationInbox) {
        self.push = push
        self.inbox = inbox
    }

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = router
        center.requestAuthorization(options: [.alert, .badge, .sound]) { isGranted, _ in
            guard isGranted else { return }
            DispatchQueue.main.async { application.registerForRemoteNotifications() }
        }
        return true
    }

    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        push.registerDeviceTokenForPushNotifications(token: deviceToken) { [weak self] result in
            if case .failure(let error) = result { self?.lastFailure = BankFailure.map(error) as BankFailure }
        }
    }

    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
    ) {
        lastFailure = BankFailure.map(error) as BankFailure
    }

    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard PushRouter.route(for: userInfo) != nil else { return completionHandler(.noData) }
        inbox.start()
        completionHandler(.newData)
    }
}
