// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabPoints
import LabVocabulary
import Synchronization
import UIKit
import UserNotifications

/// An app's use of push notifications: it owns both delegates, shows what arrives in the foreground, and keeps what it was
/// given for scenarios to look at.
///
/// Thread rule: the delegates' functions and the command handlers run on the main queue.
final class PushHandlers: NSObject, Sendable {
    private struct State {
        var received: [ReceivedNotifications.Notification] = []
        var finishesWork = true
        var registrations: [CommandDispatcher<Void>.Reply<RegisterForRemoteNotifications.Result>] = []
    }

    private let state = Mutex(State())

    /// Registers the commands; the peer keeps the delegates.
    static func register(on peer: Peer) {
        let handlers = PushHandlers()
        let (application, center) = (UIApplication.shared, UNUserNotificationCenter.current())
        application.delegate = handlers
        center.delegate = handlers
        peer.handle(RegisterForRemoteNotifications.self) { arguments, reply in
            handlers.state.withLock { state in
                state.finishesWork = arguments.finishesWork
                state.registrations.append(reply)
            }
            center.requestAuthorization(options: [.alert, .badge, .sound]) { _, _ in }
            application.registerForRemoteNotifications()
        }
        peer.handleSync(ReceivedNotifications.self) { _ in handlers.state.withLock { $0.received } }
    }

    private func note(
        _ occasion: NotificationOccasion, _ userInfo: [AnyHashable: Any], id: String? = nil,
        action: String? = nil
    ) {
        var members: [String: Any] = [:]
        for case (let key as String, let value) in userInfo { members[key] = value }
        let payload = [String: JSONValue](propertyList: members)
        let notification = ReceivedNotifications.Notification {
            $0.id = id
            $0.occasion = occasion
            $0.action = action
            $0.userInfo = payload
        }
        state.withLock { $0.received.append(notification) }
    }

    private func endRegistrations(_ outcome: Result<RegisterForRemoteNotifications.Result, any Error>) {
        let replies = state.withLock { state in
            defer { state.registrations = [] }
            return state.registrations
        }
        for reply in replies { reply(outcome) }
    }
}

extension PushHandlers: UIApplicationDelegate {
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        endRegistrations(.success(.init { $0.token = deviceToken.deviceTokenText }))
    }

    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        endRegistrations(.failure(error))
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        note(.background, userInfo)
        if state.withLock({ $0.finishesWork }) { completionHandler(.newData) }
    }
}

extension PushHandlers: UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        note(.foreground, notification.request.content.userInfo, id: notification.request.identifier)
        if state.withLock({ $0.finishesWork }) { completionHandler([.banner, .list, .badge, .sound]) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let request = response.notification.request
        note(.opened, request.content.userInfo, id: request.identifier, action: response.actionIdentifier)
        if state.withLock({ $0.finishesWork }) { completionHandler() }
    }
}
