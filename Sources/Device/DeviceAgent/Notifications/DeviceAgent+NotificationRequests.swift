import Foundation
import LabKit
import SimulatedDevice

/// What apps ask the system about their notifications.
extension DeviceAgent {
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
        case .requestAuthorization(let isQuiet):
            try ask(for: host, isQuiet: isQuiet, request: id)
        case .settings: answer(.authorization(notifications.record[app].authorization))
        case .shown:
            answer(.shown(notifications.record.shown.filter { $0.app == app }.map(\.notification)))
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
