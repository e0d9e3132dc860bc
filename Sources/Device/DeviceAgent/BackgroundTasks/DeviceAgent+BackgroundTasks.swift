// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// How a watch app gets time in the background, wherever it is in its life (watch.md, section 9.9).
extension DeviceAgent {
    // MARK: Occasions

    /// The device has started: what waits for its apps, and what became due meanwhile, gives them tasks.
    func resumeBackgroundTasks() throws {
        for host in watchAppHosts {
            try giveTaskForContent(to: host)
            if !host.backgroundTasks.waiting.isEmpty { try give(nil, to: host) }
        }
        try followTimeOfBackgroundTasks()
    }

    /// Content may have arrived for apps, or their delegates may have all of it now.
    func followContent() throws {
        for app in links.reduce(into: Set<String>(), { $0.formUnion($1.takeArrivals()) }).sorted() {
            if let host = hosts[app] { try giveTaskForContent(to: host) }
        }
        for host in watchAppHosts where host.backgroundTasks.isContentAnnounced && !hasContent(for: host) {
            host.backgroundTasks.isContentAnnounced = false
            send(WatchFrame(.contentPending, sequence: 0), to: host)
        }
    }

    /// Lab time has passed: scheduled tasks become due, and the time for open ones ends.
    func followTimeOfBackgroundTasks() throws {
        for host in watchAppHosts {
            try warn(host)
            try expireTasks(of: host)
            let app = backgroundTasks.record[host.spec.name]
            guard app.isAllowed, let scheduled = app.scheduled,
                !host.backgroundTasks.waiting.contains(scheduled.task), isOver(scheduled.date)
            else { continue }
            try give(scheduled.task, to: host)
        }
    }

    /// The process of an app has come to another place in its life.
    func backgroundTasksFollow(_ host: AppHost) throws {
        switch place(of: host) {
        case .ended, .starting, .fallingAsleep: break
        case .suspended:
            host.backgroundTasks.stopTime()
            if !host.backgroundTasks.waiting.isEmpty { try perform(host.process.handle(.wake), for: host) }
        case .foreground, .background: try handOverTasks(to: host)
        }
    }

    /// Content of the phone gives an app a task, unless it has one for that already or is in the foreground.
    func giveTaskForContent(to host: AppHost) throws {
        guard backgroundTasks.record[host.spec.name].isAllowed, hasContent(for: host), place(of: host) != .foreground
        else { return }
        let isNew = !host.backgroundTasks.has(.watchConnectivity)
        try give(isNew ? BackgroundTask(kind: .watchConnectivity) : nil, to: host)
    }

    /// The session of an app is being activated. It may not have been there yet when content was announced.
    func repeatContentAnnouncement(to host: AppHost) {
        if host.backgroundTasks.isContentAnnounced { send(WatchFrame(.contentPending, sequence: 1), to: host) }
    }

    // MARK: The life of a task

    /// Lets an app run for its tasks: launches it, wakes it, or waits until it is where it can be given one.
    /// - Parameter task: a new task; nil when the app has one for the same purpose.
    private func give(_ task: BackgroundTask?, to host: AppHost) throws {
        if let task { host.backgroundTasks.waiting.append(task) }
        switch place(of: host) {
        // What the user has ended waits until the user launches it.
        case .ended where host.notifications.isForceQuit: break
        case .ended: try perform(host.process.handle(.launch(request: nil)), for: host)
        case .suspended: try perform(host.process.handle(.wake), for: host)
        case .starting, .fallingAsleep: break
        case .foreground, .background: try handOverTasks(to: host)
        }
    }

    /// Gives a running app what waits for it. In the foreground it needs no task for content, and has no time limit.
    private func handOverTasks(to host: AppHost) throws {
        let isForeground = host.process.isForeground
        // Before the first event, after which a scenario may move the clock.
        let end = clock.now() + AppBackgroundTasks.limit
        if isForeground {
            host.backgroundTasks.stopTime()
            host.backgroundTasks.waiting.removeAll { $0.kind == .watchConnectivity }
        }
        // Before the task, so that the app does not take it for done already.
        if host.backgroundTasks.has(.watchConnectivity), !host.backgroundTasks.isContentAnnounced,
            hasContent(for: host)
        {
            host.backgroundTasks.isContentAnnounced = true
            send(WatchFrame(.contentPending, sequence: 1), to: host)
        }
        while let task = host.backgroundTasks.waiting.first {
            // First: what is handed over is never handed over again.
            try backgroundTasks.change { $0.unschedule(task, of: host.spec.name) }
            host.backgroundTasks.waiting.removeFirst()
            host.backgroundTasks.open.append(AppBackgroundTasks.Open(task: task))
            emit(.watchTaskStarted, task, of: host)
            send(.started(task), to: host)
        }
        guard !isForeground, !host.backgroundTasks.open.isEmpty else { return }
        host.backgroundTasks.startTime(until: end)
        timeLimits.set((end - AppBackgroundTasks.warning).nanoseconds)
    }

    /// An app has completed a task. With the last one it is suspended, unless it is in the foreground.
    func completeTask(_ id: UUID, by host: AppHost) throws {
        guard let task = host.backgroundTasks.close(id) else { return }
        emit(.watchTaskCompleted, task, of: host)
        if host.backgroundTasks.open.isEmpty { try suspendInBackground(host) }
    }

    private func suspendInBackground(_ host: AppHost) throws {
        guard place(of: host) == .background else { return }
        try perform(host.process.handle(.suspend(request: requests.add { _ in })), for: host)
    }

    private func warn(_ host: AppHost) throws {
        for index in host.backgroundTasks.open.indices where !host.backgroundTasks.open[index].isWarned {
            guard let end = host.backgroundTasks.open[index].end, isOver(end - AppBackgroundTasks.warning) else {
                continue
            }
            host.backgroundTasks.open[index].isWarned = true
            send(.isExpiring(id: host.backgroundTasks.open[index].task.id), to: host)
        }
    }

    private func expireTasks(of host: AppHost) throws {
        let overdue = host.backgroundTasks.open.filter { isOver($0.end) }.map(\.task)
        guard !overdue.isEmpty else { return }
        for task in overdue {
            _ = host.backgroundTasks.close(task.id)
            emit(.watchTaskExpired, task, of: host)
        }
        switch backgroundTasks.record[host.spec.name].overrun {
        case .end: try perform(host.process.handle(.terminate(.backgroundTime, request: nil)), for: host)
        case .suspend: try suspendInBackground(host)
        }
    }

    /// The process of an app has ended, or could not be started: it loses the tasks that it was given or started for.
    func backgroundTasksLoseProcess(of host: AppHost, isRestarting: Bool) throws {
        host.backgroundTasks.isContentAnnounced = false
        let open = host.backgroundTasks.open.map(\.task)
        host.backgroundTasks.open = []
        for task in open { emit(.watchTaskLost, task, of: host) }
        if !isRestarting { try loseWaitingTasks(of: host) }
    }

    /// Nothing is to be done for what waits for an app.
    func loseWaitingTasks(of host: AppHost) throws {
        let waiting = host.backgroundTasks.waiting
        host.backgroundTasks.waiting = []
        for task in waiting {
            emit(.watchTaskLost, task, of: host)
            try backgroundTasks.change { $0.unschedule(task, of: host.spec.name) }
        }
    }

    /// Apps were removed from the device, with what they have scheduled and what the user allows them.
    func forgetBackgroundTasks(of apps: [String]) throws {
        for host in apps.compactMap({ hosts[$0] }) { try loseWaitingTasks(of: host) }
        try backgroundTasks.change { $0.forget(apps) }
    }

    // MARK: Parts

    private var watchAppHosts: [AppHost] {
        hosts.values.filter { $0.spec.kind == .watchApp }.sorted { $0.spec.name < $1.spec.name }
    }

    private func hasContent(for host: AppHost) -> Bool { links.contains { $0.link.hasContent(for: host.spec.name) } }

    /// A watch whose screen is off shows its app again when the user looks.
    private func place(of host: AppHost) -> NotificationPlace { NotificationPlace(host.process, isScreenOn: true) }

    private func send(_ news: BackgroundTaskNews, to host: AppHost) {
        send(WatchFrame(.backgroundTask, body: WatchFrame.body(news)), to: host)
    }

    private func emit(_ event: TraceEventName, _ task: BackgroundTask, of host: AppHost) {
        trace.emit(
            event,
            [
                "id": .string(task.id.uuidString), "app": .string(host.spec.name), "kind": .string(task.kind.rawValue),
            ])
    }
}
