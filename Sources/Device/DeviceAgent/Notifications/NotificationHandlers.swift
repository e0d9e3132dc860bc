// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
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
        if let environment = push.environment, environment != host.spec.pushEnvironment {
            throw ControlError.device(
                .badDeviceToken,
                "The push service `\(environment.rawValue)` does not know the token of \(app), which is of "
                    + "`\(host.spec.pushEnvironment.rawValue)`; see `pushEnvironment` in lab.yaml.")
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

    /// Takes a request of an app.
    func receiveNotificationRequest(_ frame: WatchFrame, from host: AppHost) {
        guard let request = try? frame.decodeBody(NotificationRequest.self) else { return }
        func answer(_ answer: NotificationAnswer) {
            send(
                WatchFrame(.notificationAnswer, correlationId: frame.messageId, body: WatchFrame.body(answer)), to: host
            )
        }
        do {
            try take(request, frame.messageId, of: host, answer)
        } catch {
            trace.emit(StorageFailure(error), of: "notifications")
            answer(.refused("The device cannot store it: \(error)"))
        }
    }

    private func take(
        _ request: NotificationRequest, _ id: UUID, of host: AppHost, _ answer: (NotificationAnswer) -> Void
    ) throws {
        let app = host.spec.name
        switch request {
        case .register: answer(try register(host))
        case .unregister: try notifications.change { $0[app].isRegistered = false }
        case .requestAuthorization(let isQuiet): try ask(for: host, isQuiet: isQuiet, request: id)
        case .settings: answer(.authorization(notifications.record[app].authorization))
        case .shown: answer(.shown(notifications.record.shown.filter { $0.app == app }.map(\.notification)))
        case .remove(let ids): try notifications.change { $0.remove(ids, of: app) }
        case .setBadge(let badge):
            guard notifications.record[app].authorization.allows else {
                return answer(.refused("The user does not allow the app to show notifications."))
            }
            try notifications.change { $0[app].badge = max(0, badge) }
            answer(.done)
        case .presented(let id, let isShown, let setsBadge):
            try decide(id, isShown: isShown, setsBadge: setsBadge, by: host)
        case .finished(let id): try finishWork(on: id, by: host)
        case .handled(let id): host.notifications.confirm { $0.isOpened(id) }
        }
    }

    private func register(_ host: AppHost) throws -> NotificationAnswer {
        guard host.spec.kind == .app else {
            return .refused("\(host.spec.name) is not an app of a phone and gets no pushes.")
        }
        guard isOnline else { return .refused("The device is offline; the push service cannot be reached.") }
        return .token(try notifications.change { $0.register(host.spec.name) })
    }

    // MARK: What the user allows

    private func ask(for host: AppHost, isQuiet: Bool, request: UUID) throws {
        let app = host.spec.name
        if notifications.record[app].authorization == .notDetermined, !isQuiet {
            host.notifications.prompt.append(request)
            if let answer = notifications.record[app].answer {
                try decide(answer, for: host)
            } else if host.notifications.prompt.count == 1 {
                trace.emit(.pushAsked, ["app": .string(app)])
            }
            return
        }
        if notifications.record[app].authorization == .notDetermined {
            try notifications.change { $0[app].authorization = .provisional }
        }
        tell(host, notifications.record[app].authorization, to: [request])
    }

    /// The user allows the app to show notifications or not: an answer to the dialog that is open, the answer for the
    /// next one, or a change in the device's settings.
    func allowNotifications(_ isAllowed: Bool, of host: AppHost) throws {
        guard host.spec.kind == .app else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is not an app of a phone and gets no pushes.")
        }
        let isUndecided = notifications.record[host.spec.name].authorization == .notDetermined
        guard isUndecided, host.notifications.prompt.isEmpty else { return try decide(isAllowed, for: host) }
        try notifications.change { $0[host.spec.name].answer = isAllowed }
    }

    private func decide(_ isAllowed: Bool, for host: AppHost) throws {
        let authorization: NotificationAuthorization = isAllowed ? .authorized : .denied
        try notifications.change { record in
            record[host.spec.name].authorization = authorization
            record[host.spec.name].answer = nil
        }
        let requests = host.notifications.prompt
        host.notifications.prompt = []
        tell(host, authorization, to: requests)
    }

    private func tell(_ host: AppHost, _ authorization: NotificationAuthorization, to requests: [UUID]) {
        let body = WatchFrame.body(NotificationAnswer.authorization(authorization))
        for request in requests {
            send(WatchFrame(.notificationAnswer, correlationId: request, body: body), to: host)
        }
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
