// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// The commands and requests about the background tasks of a watch app.
extension DeviceAgent {
    static func addBackgroundRefreshHandlers(to table: inout CommandDispatcher<ProcessTarget>) {
        table.answer(AllowBackgroundRefresh.self) { arguments, target in
            try target.agent.allowBackgroundRefresh(arguments, of: target.host)
        }
        table.answer(BackgroundTasks.self) { _, target in try target.agent.inspectedBackgroundTasks(of: target.host) }
    }

    private func allowBackgroundRefresh(_ setting: AllowBackgroundRefresh, of host: AppHost) throws {
        try requireWatchApp(host)
        guard try registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is not installed; `install` puts it back.")
        }
        try backgroundTasks.change { record in
            record[host.spec.name].isAllowed = setting.isAllowed
            record[host.spec.name].overrun = setting.overrun
            if !setting.isAllowed { record[host.spec.name].scheduled = nil }
        }
        if setting.isAllowed { try giveTaskForContent(to: host) } else { try loseWaitingTasks(of: host) }
    }

    private func inspectedBackgroundTasks(of host: AppHost) throws -> BackgroundTasks.Result {
        try requireWatchApp(host)
        let (app, now) = (backgroundTasks.record[host.spec.name], clock.now())
        func milliseconds(until moment: LabTime) -> Int { Int(max(0, (moment - now).nanoseconds) / 1_000_000) }
        return BackgroundTasks.Result {
            $0.isAllowed = app.isAllowed
            $0.open = host.backgroundTasks.open.map { open in
                BackgroundTasks.Task {
                    $0.id = open.task.id.uuidString
                    $0.kind = open.task.kind
                    $0.timeLeft = open.end.map { milliseconds(until: $0) }
                }
            }
            $0.scheduledIn = app.scheduled.map { milliseconds(until: $0.date) }
        }
    }

    private func requireWatchApp(_ host: AppHost) throws {
        guard host.spec.kind == .watchApp else {
            throw ControlError.device(
                .wrongState, "\(host.spec.name) is not an app of a watch, and gets no background tasks.")
        }
    }

    /// Takes a request of an app.
    func receiveBackgroundTaskRequest(_ frame: WatchFrame, from host: AppHost) {
        guard let request = try? frame.decodeBody(BackgroundTaskRequest.self) else { return }
        switch request {
        case .schedule(let date, let userInfo):
            let answer = BackgroundTaskAnswer(refusal: schedule(at: date, userInfo, for: host))
            send(
                WatchFrame(.backgroundTaskAnswer, correlationId: frame.messageId, body: WatchFrame.body(answer)),
                to: host)
        case .completed(let id): enduring("background") { try completeTask(id, by: host) }
        }
    }

    /// - Parameter date: in milliseconds since 1970 on the clock of the device.
    /// - Returns: why the app gets no task; nil when it will.
    private func schedule(at date: Int64, _ userInfo: Data?, for host: AppHost) -> String? {
        let name = host.spec.name
        guard backgroundTasks.record[name].isAllowed else {
            return "\(device.name) gives \(name) no time in the background; `\(name): allowBackgroundRefresh` does."
        }
        // As far as the lab's clock goes, whatever an app asks for.
        let times: ClosedRange<Int64> = 0...9_000_000_000_000
        let labTime = min(max(min(max(date, 0), times.upperBound) - deviceClock.skewMilliseconds, 0), times.upperBound)
        let scheduled = BackgroundTaskRecord.Scheduled(
            task: BackgroundTask(kind: .applicationRefresh, userInfo: userInfo), date: LabTime(milliseconds: labTime))
        do {
            try backgroundTasks.change { $0[name].scheduled = scheduled }
            timeLimits.set(scheduled.date.nanoseconds)
            return nil
        } catch {
            trace.emit(StorageFailure(error), of: "background")
            return "The device cannot store it: \(error)"
        }
    }
}
