// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// The background tasks of one watch app, which the agent keeps across the app's processes (watch.md, section 9.9).
struct AppBackgroundTasks {
    /// How long an app in the background may take for a task, by the lab's clock.
    static let limit = LabDuration.seconds(15)
    /// How long before the end of that time the app is warned.
    static let warning = LabDuration.seconds(2)

    /// A task that the app's process was given and has not completed.
    struct Open: Equatable {
        let task: BackgroundTask
        /// When its time is over; nil while the app is suspended or in the foreground.
        var end: LabTime?
        var isWarned = false
    }

    /// What the app gets once its process is neither starting nor being suspended; in the order of arrival.
    var waiting: [BackgroundTask] = []
    /// Oldest first.
    var open: [Open] = []
    /// The process knows that content waits for its delegate, and does not know yet that it has it all.
    var isContentAnnounced = false

    /// Whether the app has, or is to get, a task of a kind.
    func has(_ kind: BackgroundTaskKind) -> Bool { (waiting + open.map(\.task)).contains { $0.kind == kind } }

    /// Each task has its whole time from when the app runs in the background with it.
    mutating func startTime(until end: LabTime) {
        for index in open.indices where open[index].end == nil {
            open[index].end = end
            open[index].isWarned = false
        }
    }

    mutating func stopTime() {
        for index in open.indices { open[index].end = nil }
    }

    /// A task is over; nil when the app has no such task.
    mutating func close(_ id: UUID) -> BackgroundTask? {
        guard let index = open.firstIndex(where: { $0.task.id == id }) else { return nil }
        return open.remove(at: index).task
    }
}

/// What the system of a watch keeps about background tasks: what the user allows, and what apps have scheduled.
///
/// A value that knows the rules and does nothing else. It survives the end of apps and of the agent, and an app's part
/// ends with its installation.
struct BackgroundTaskRecord: Codable, Equatable, Sendable {
    /// What belongs to one installation of an app.
    struct App: Codable, Equatable, Sendable {
        /// Whether the app is given tasks.
        var isAllowed = false
        var overrun = AllowBackgroundRefresh.Overrun.end
        var scheduled: Scheduled?
    }

    /// A task at a time.
    struct Scheduled: Codable, Equatable, Sendable {
        var task: BackgroundTask
        /// When it is due.
        var date: LabTime
    }

    /// By actor name.
    private(set) var apps: [String: App] = [:]

    subscript(app: String) -> App {
        get { apps[app] ?? App() }
        set { apps[app] = newValue }
    }

    /// A scheduled task was handed over or lost. A later one of the app stays.
    mutating func unschedule(_ task: BackgroundTask, of app: String) {
        if self[app].scheduled?.task.id == task.id { self[app].scheduled = nil }
    }

    mutating func forget(_ names: [String]) {
        for name in names { apps[name] = nil }
    }
}

typealias BackgroundTaskStore = RecordStore<BackgroundTaskRecord>

extension BackgroundTaskStore {
    convenience init(layout: InstanceLayout, device: String) throws {
        try self.init(layout: layout, device: device, file: "background-tasks.json", empty: BackgroundTaskRecord())
    }
}
