import Foundation
import LabKit
import SimulatedDevice

/// The commands about notifications.
extension DeviceAgent {
    /// Adds the handlers of the device.
    static func addNotificationHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(DeliverPush.self) { arguments, agent in try agent.deliverPush(arguments) }
        table.answer(ShownNotifications.self) { arguments, agent in
            agent.notifications.record.shown.reversed()
                .filter { arguments.app == nil || arguments.app == $0.app }
                .map(ShownNotifications.Notification.init)
        }
        table.start(TapNotification.self) { arguments, agent, reply in
            let (host, notification) = try agent.shownNotification(arguments.id)
            guard !agent.security.state.isLocked else {
                throw ControlError.device(.wrongState, "The device is locked; `unlock` opens it.")
            }
            try agent.open(notification, of: host, action: arguments.action) { answer in
                switch answer {
                case .launched, .done: reply(.success(NoResult()))
                case .refused(let name, let message): reply(.failure(ControlError.device(name, message)))
                }
            }
        }
        table.answer(DismissNotification.self) { arguments, agent in
            let (host, notification) = try agent.shownNotification(arguments.id)
            try agent.notifications.change { $0.remove([notification.id], of: host.spec.name) }
        }
    }

    /// Adds the handlers of an app.
    static func addNotificationHandlers(to table: inout CommandDispatcher<ProcessTarget>) {
        table.answer(AllowNotifications.self) { arguments, target in
            try target.agent.allowNotifications(arguments.isAllowed, of: target.host)
        }
        table.answer(IconBadge.self) { _, target in target.agent.notifications.record[target.host.spec.name].badge }
    }

    private func deliverPush(_ push: DeliverPush) throws -> DeliverPush.Result {
        guard let app = notifications.record.app(withToken: push.token), let host = hosts[app] else {
            throw ControlError.device(
                .unknownDeviceToken,
                "No app on \(device.name) has the device token \(push.token.prefix(8))…; apps get another one when they "
                    + "are reinstalled.")
        }
        let notification = DeviceNotification(
            id: push.id ?? UUID().uuidString, payload: push.payload, date: clock.now().milliseconds)
        if let refusal = notification.refusal { throw ControlError.badArgument(refusal) }
        let isDelivered = try receivePush(notification, for: host)
        return DeliverPush.Result {
            $0.id = notification.id
            $0.isKept = !isDelivered
        }
    }

    private func shownNotification(_ id: String?) throws -> (AppHost, DeviceNotification) {
        let shown = notifications.record.shown
        guard let found = shown.last(where: { id == nil || $0.notification.id == id }), let host = hosts[found.app]
        else {
            throw ControlError.device(
                .wrongState,
                id.map { "No notification \($0) is shown; `notifications` lists those that are." }
                    ?? "No notification is shown.")
        }
        return (host, found.notification)
    }
}

extension ShownNotifications.Notification {
    fileprivate init(_ shown: NotificationCenterRecord.Shown) {
        self.init {
            $0.id = shown.notification.id
            $0.app = shown.app
            $0.title = shown.notification.title
            $0.subtitle = shown.notification.subtitle
            $0.body = shown.notification.body
            $0.category = shown.notification.category
            $0.userInfo = shown.notification.payload
        }
    }
}
