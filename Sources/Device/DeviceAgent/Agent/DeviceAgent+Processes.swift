// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice

/// How the device starts, stops and loses the processes of its apps.
extension DeviceAgent {
    func processEnded(_ host: AppHost) throws {
        guard let watch = host.watch else { return }
        let (how, fields) = watch.outcome()
        let lastWords = host.lastWords()
        traceEnd(of: host, pid: host.process.pid ?? 0, reason: how, fields)
        (host.termination, host.lastMoment) = (nil, nil)
        enduring("security") { try security.cancelPrompt(ofApp: host.spec.name) }
        host.watch = nil
        if let address = host.address { routes[address] = nil }
        host.address = nil
        endSession(of: host)
        inspections.remove(host.spec.name)
        try perform(host.process.handle(.ended(how, standardError: lastWords)), for: host)
    }

    func perform(_ effects: [AppProcess.Effect], for host: AppHost) throws {
        for effect in effects {
            switch effect {
            case .spawn: try spawn(host)
            case .signal(_, let number): try host.watch?.signal(number)
            case .inspect(let pid): inspections.add(host.spec.name, pid: pid)
            case .stopAgainSoon(let pid): inspections.addAfterPause(host.spec.name, pid: pid)
            case .answer(let request, let answer): requests.answer(request, answer)
            case .changed:
                traceSleep(of: host)
                tellLinks(about: host)
                enduring("notifications") { try notificationsFollow(host) }
                enduring("background") { try backgroundTasksFollow(host) }
            case .gone(_, _, let isRestarting):
                enduring("notifications") { try notificationsLoseProcess(of: host, isRestarting: isRestarting) }
                enduring("background") { try backgroundTasksLoseProcess(of: host, isRestarting: isRestarting) }
                for link in links { link.collect(.appEnded(host.spec.name, isRestarting: isRestarting)) }
            case .launchFailed:
                enduring("notifications") { try notificationsLoseProcess(of: host, isRestarting: false) }
                enduring("background") { try backgroundTasksLoseProcess(of: host, isRestarting: false) }
                for link in links { link.collect(.launchFailed(host.spec.name)) }
            case .enterForeground:
                inspections.remove(host.spec.name)
                tell(host, isForeground: true)
            case .enterBackground: tell(host, isForeground: false)
            case .terminating(_, let cause): host.termination = cause
            }
        }
    }

    private func tell(_ host: AppHost, isForeground: Bool) {
        send(WatchFrame(.appState, body: WatchFrame.body(AppStateBody(isForeground: isForeground))), to: host)
    }

    private func spawn(_ host: AppHost) throws {
        do {
            guard try registry.isInstalled(host.spec.bundleIdentifier) else {
                let refusal = "\(host.spec.name) is not installed; `install` puts it back."
                return try perform(host.process.handle(.spawnFailed(refusal)), for: host)
            }
            let incarnation = try Incarnations.next(layout, host.spec.name)
            let time = MonotonicClock.nanoseconds()
            let child = try host.spawn(layout: layout, manifest: manifest, device: device, incarnation: incarnation)
            host.watch = .child(child)
            limitTime(of: host)
            let input = AppProcess.Input.spawned(pid: child.pid, incarnation: incarnation, at: time)
            try perform(host.process.handle(input), for: host)
        } catch {
            try perform(host.process.handle(.spawnFailed("\(host.spec.name) cannot be started: \(error)")), for: host)
        }
    }

    // MARK: Time limits

    /// Counts the time of a process from now on, by the lab's clock.
    private func limitTime(of host: AppHost) {
        guard let limit = host.spec.timeLimit else { return }
        let end = clock.now() + limit
        host.lastMoment = end
        timeLimits.set(end.nanoseconds)
    }

    func endOverdueProcesses() throws {
        for host in hosts.values.sorted(by: { $0.spec.name < $1.spec.name }) {
            if isOver(host.lastMoment) {
                host.lastMoment = nil
                try perform(host.process.handle(.terminate(.timeLimit, request: nil)), for: host)
            }
            if isOver(host.notifications.work?.end) {
                host.notifications.work = nil
                try perform(host.process.handle(.terminate(.backgroundTime, request: nil)), for: host)
            }
        }
    }

    /// Whether a moment has come; the alarm rings for one that has not.
    func isOver(_ end: LabTime?) -> Bool {
        guard let end else { return false }
        guard clock.now() < end else { return true }
        timeLimits.set(end.nanoseconds)
        return false
    }

    func inspectStoppedProcesses() throws {
        for (name, pid) in try inspections.due(stop: { name in try hosts[name]?.watch?.signal(SIGSTOP) }) {
            guard let host = hosts[name] else { continue }
            let locks = try ProcessTable.heldLocks(by: pid).compactMap { lock in
                lock.path.map { (path: $0, isExclusive: lock.isExclusive) }
            }
            let held = HeldLocks(
                locks, groups: layout.groupsDirectory(device.name), device: layout.deviceDirectory(device.name))
            try perform(host.process.handle(.stopped(holding: held)), for: host)
        }
    }

    // MARK: Traces

    func traceEnd(of host: AppHost, pid: Int32, reason: String, _ details: [String: JSONValue] = [:]) {
        var fields: [String: JSONValue] = [
            "peer": .string(host.spec.name), "incarnation": .integer(Int64(host.process.incarnation)),
            "pid": .integer(Int64(pid)), "reason": .string(host.termination.map(host.reason) ?? reason),
        ]
        fields["cause"] = host.termination.map { .string($0.rawValue) }
        trace.emit(.processEnded, fields.merging(details) { first, _ in first })
    }

    private func traceSleep(of host: AppHost) {
        let isAsleep = if case .suspended = host.process.phase { true } else { false }
        guard isAsleep != host.isAsleep else { return }
        host.isAsleep = isAsleep
        guard let pid = host.process.pid else { return }
        trace.emit(
            isAsleep ? .processSuspended : .processResumed,
            [
                "peer": .string(host.spec.name), "incarnation": .integer(Int64(host.process.incarnation)),
                "pid": .integer(Int64(pid)),
            ])
    }
}
