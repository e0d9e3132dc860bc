// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice
import Synchronization
import UIKit

/// An app that takes part in push notifications through the shim of UIKit.
final class ShimmedRemoteNotifications: UIApplicationDelegate, Sendable {
    /// The calls of the delegate.
    enum News: Equatable {
        case token(Data)
        case failure(String)
        case push(String?)
    }

    let news: AsyncStream<News>
    private let tell: AsyncStream<News>.Continuation
    private let application: UIApplication

    init(_ sandbox: Sandbox) {
        (news, tell) = AsyncStream.makeStream(of: News.self)
        application = UIApplication(sandbox: sandbox, center: NotificationCenter())
        application.delegate = self
    }

    func register() { application.registerForRemoteNotifications() }
    func unregister() { application.unregisterForRemoteNotifications() }

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        tell.yield(.token(deviceToken))
    }

    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        tell.yield(.failure(error.localizedDescription))
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(.newData)
        tell.yield(.push(userInfo["key"] as? String))
    }
}

/// An app whose delegate has no functions of its own.
final class ShimmedPlainApp: UIApplicationDelegate, Sendable {
    private let application: UIApplication

    init(_ sandbox: Sandbox) {
        application = UIApplication(sandbox: sandbox, center: NotificationCenter())
        application.delegate = self
    }

    func register() { application.registerForRemoteNotifications() }
}
