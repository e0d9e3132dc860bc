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
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async
}

extension UNUserNotificationCenterDelegate {
    /// Calls the function without a handler.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let delegate = HandedOver<any UNUserNotificationCenterDelegate>(value: self)
        let handler = HandedOver(value: completionHandler)
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
        let delegate = HandedOver<any UNUserNotificationCenterDelegate>(value: self)
        let handler = HandedOver(value: completionHandler)
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

/// Carries a value that is not Sendable to where the app's code is called.
struct HandedOver<Value>: @unchecked Sendable {
    // Sendable is safe: a handler is used only by the one it was handed to. A delegate is called from where its app has
    // chosen to be called, as by Apple's framework.
    let value: Value
}
