// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice

/// How a notification reaches an app, wherever the app is in its life: as on a phone.
extension DeviceAgent {
    /// Takes a notification of the push service for an app.
    /// - Returns: false when the device is offline, so that the push service keeps it.
    func receivePush(_ notification: DeviceNotification, for host: AppHost) throws -> Bool {
        guard isOnline else {
            let earlier = try notifications.change { record in
                defer { record[host.spec.name].kept = notification }
                return record[host.spec.name].kept
            }
            if let earlier { drop(earlier, of: host, .replaced) }
            trace.emit(.pushKept, host.details(of: notification))
            return false
        }
        try deliver(notification, to: host)
        return true
    }

    /// The device is online again: the push service delivers the pushes that it has kept.
    func receiveKeptPushes() throws {
        for host in hosts.values.sorted(by: { $0.spec.name < $1.spec.name }) {
            guard let kept = notifications.record[host.spec.name].kept else { continue }
            try deliver(kept, to: host)
            try notifications.change { $0[host.spec.name].kept = nil }
        }
    }

    private func deliver(_ notification: DeviceNotification, to host: AppHost) throws {
        if notification.isVisible || notification.badge != nil { try deliverVisible(notification, to: host) }
        if notification.wakesApp { try deliverBackground(notification, to: host) }
    }

    /// Delivers what has waited until an app's process was settled.
    func deliverWaiting(to host: AppHost) throws {
        guard place(of: host).isSettled else { return }
        let waiting = host.notifications.waiting
        host.notifications.waiting = []
        for entry in waiting {
            switch entry {
            case .visible(let notification): try deliverVisible(notification, to: host)
            case .background(let notification): try deliverBackground(notification, to: host)
            case .opened(let notification, let action):
                host.notifications.handed.append(entry)
                send(.opened(notification, action: action), to: host)
            }
        }
    }

    // MARK: What is seen

    private func deliverVisible(_ notification: DeviceNotification, to host: AppHost) throws {
        let app = host.spec.name
        guard notifications.record[app].authorization.allows else {
            try notifications.change { _ = $0.take(notification.id, from: app) }
            return drop(notification, of: host, .notAllowed)
        }
        switch place(of: host) {
        case .starting:
            try notifications.change { $0.leave(notification, to: app) }
            host.notifications.waiting.append(.visible(notification))
        case .foreground where notification.isVisible:
            try notifications.change { $0.leave(notification, to: app) }
            send(.arrived(notification), to: host)
        default: try settle(notification, of: host, isShown: notification.isVisible, setsBadge: true)
        }
    }

    /// The app in the foreground decides how a notification is presented.
    func decide(_ id: String, isShown: Bool, setsBadge: Bool, by host: AppHost) throws {
        let app = host.spec.name
        guard let notification = notifications.record[app].undecided.first(where: { $0.id == id }) else { return }
        try settle(notification, of: host, isShown: isShown, setsBadge: setsBadge)
        if !isShown { drop(notification, of: host, .declined) }
    }

    /// The presentation of a notification is decided: it is shown or not.
    private func settle(_ notification: DeviceNotification, of host: AppHost, isShown: Bool, setsBadge: Bool) throws {
        let app = host.spec.name
        try notifications.change { record in
            _ = record.take(notification.id, from: app)
            if setsBadge, let badge = notification.badge { record[app].badge = badge }
            if isShown { record.show(notification, of: app) }
        }
        if isShown { trace.emit(.pushShown, host.details(of: notification)) }
    }

    /// Notifications that an app was to decide about are shown, because its process or the device has ended. A
    /// restarted process decides about those that wait for a decision.
    func showUndecided(of host: AppHost) throws {
        let undecided = notifications.record[host.spec.name].undecided
        for notification in undecided where !host.notifications.waiting.contains(.visible(notification)) {
            try deliverVisible(notification, to: host)
        }
    }

    // MARK: Work in the background

    private func deliverBackground(_ notification: DeviceNotification, to host: AppHost) throws {
        switch place(of: host) {
        case .starting, .fallingAsleep: host.notifications.waiting.append(.background(notification))
        case .foreground: handBackground(notification, to: host)
        case .background:
            if host.notifications.work != nil { addWork(notification, to: host) }
            handBackground(notification, to: host)
        case .suspended:
            addWork(notification, to: host)
            try perform(host.process.handle(.wake), for: host)
            handBackground(notification, to: host)
        case .ended where host.notifications.isForceQuit: drop(notification, of: host, .forceQuit)
        case .ended:
            addWork(notification, to: host)
            host.notifications.waiting.append(.background(notification))
            try perform(host.process.handle(.launch(request: nil)), for: host)
        }
    }

    private func handBackground(_ notification: DeviceNotification, to host: AppHost) {
        host.notifications.handed.append(.background(notification))
        send(.background(notification), to: host)
    }

    private func addWork(_ notification: DeviceNotification, to host: AppHost) {
        let end = clock.now() + AppNotifications.workLimit
        host.notifications.work = AppNotifications.Work(
            open: (host.notifications.work?.open ?? []).union([notification.id]), end: end)
        timeLimits.set(end.nanoseconds)
    }

    /// The app has finished its work on a notification. If it was woken for that, it is suspended again.
    func finishWork(on id: String, by host: AppHost) throws {
        host.notifications.confirm { $0.isBackground(id) }
        guard host.notifications.work?.open.remove(id) != nil, host.notifications.work?.open.isEmpty == true else {
            return
        }
        host.notifications.work = nil
        guard place(of: host) == .background, !host.process.isForeground else { return }
        try perform(host.process.handle(.suspend(request: requests.add { _ in })), for: host)
    }

    // MARK: Opening

    /// The user opens a notification of an app, which comes to the foreground.
    /// - Parameter answer: called once, when the app is there or cannot be.
    func open(
        _ notification: DeviceNotification, of host: AppHost, action: String?,
        _ answer: @escaping @Sendable (AppProcess.Answer) -> Void
    ) throws {
        try notifications.change { $0.remove([notification.id], of: host.spec.name) }
        host.notifications.waiting.append(.opened(notification, action: action))
        switch host.process.phase {
        case .running where host.process.isForeground, .launching where host.process.isLaunchingInForeground:
            answer(.done)
            try deliverWaiting(to: host)
        case .running, .launching, .notRunning:
            try perform(host.process.handle(.launch(request: requests.add(answer))), for: host)
        case .suspending, .suspended:
            try perform(host.process.handle(.resume(request: requests.add(answer))), for: host)
        }
    }

    // MARK: The life of the process

    /// The process of an app has come to another place in its life.
    func notificationsFollow(_ host: AppHost) throws {
        if host.process.isForeground { host.notifications.isForceQuit = false }
        // An app that is visible, or suspended by a scenario, no longer has a time limit.
        if host.process.isForeground || host.process.isSuspended { host.notifications.work = nil }
        try deliverWaiting(to: host)
    }

    /// The process of an app has ended, or could not be started. The notifications it was to decide about are shown;
    /// the work it was given is dropped, and reported: the system hands it to no other process.
    func notificationsLoseProcess(of host: AppHost, isRestarting: Bool) throws {
        host.notifications.work = nil
        host.notifications.prompt = []
        var lost = host.notifications.handed
        host.notifications.handed = []
        if !isRestarting {
            lost += host.notifications.waiting
            host.notifications.waiting = []
        }
        for case .background(let notification) in lost { drop(notification, of: host, .processEnded) }
        for case .opened(let notification, _) in lost { drop(notification, of: host, .processEnded) }
        try showUndecided(of: host)
    }

    /// Apps were removed from the device, with their device tokens and their shown or kept notifications.
    func forgetNotifications(of apps: [String]) throws {
        for host in apps.compactMap({ hosts[$0] }) {
            host.notifications = AppNotifications()
            if let kept = notifications.record[host.spec.name].kept { drop(kept, of: host, .uninstalled) }
        }
        try notifications.change { $0.forget(apps) }
    }

    private func place(of host: AppHost) -> NotificationPlace {
        NotificationPlace(host.process, isScreenOn: !security.state.isLocked)
    }

    private func send(_ news: NotificationNews, to host: AppHost) {
        send(WatchFrame(.notification, body: WatchFrame.body(news)), to: host)
    }

    func drop(_ notification: DeviceNotification, of host: AppHost, _ reason: PushDropReason) {
        trace.emit(
            .pushDropped,
            host.details(of: notification).merging(["reason": .string(reason.rawValue)]) { first, _ in first })
    }
}

extension AppHost {
    /// The trace fields of a notification of the app.
    func details(of notification: DeviceNotification) -> [String: JSONValue] {
        ["id": .string(notification.id), "app": .string(spec.name)]
    }
}
