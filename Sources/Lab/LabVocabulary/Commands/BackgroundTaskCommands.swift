// SPDX-License-Identifier: Apache-2.0

public import LabCore
public import LabPoints

extension Vocabulary {
    /// Commands by which a watch app uses its time in the background.
    static let backgroundTaskCommands: [any Command.Type] = [
        ScheduleBackgroundRefresh.self, KeepBackgroundTasks.self, ReceivedBackgroundTasks.self,
        CompleteBackgroundTask.self,
    ]
}

public struct ScheduleBackgroundRefresh: Command {
    public static let info = CommandInfo(
        "scheduleBackgroundRefresh", of: .watchApp,
        "Asks the watch for time in the background later, instead of an earlier request that is not due yet.")
    @Field("How much later, by the clock of the watch.", limit: .length) public var after: LabDuration
    @Field("What the task carries.") public var userInfo: [String: JSONValue]?

    public struct Result: FieldObject {
        @Field("When the task is due, in seconds since 1970 on the clock of the watch.") public var date: Double
        public init() {}
    }
    public init() {}
}

public struct KeepBackgroundTasks: Command {
    public static let info = CommandInfo(
        "keepBackgroundTasks", of: .watchApp,
        "Makes the app, in later processes too, leave its background tasks to `completeBackgroundTask`; otherwise it "
            + "completes each as soon as it has what it needs.")
    @Field("Whether it leaves them.") public var isKeeping: Bool = true
    public init() {}
}

public struct ReceivedBackgroundTasks: Command {
    public static let info = CommandInfo(
        "receivedBackgroundTasks", of: .watchApp,
        "Lists the background tasks that this process was given, oldest first.")

    public struct Task: FieldObject {
        @Field(.backgroundTaskId) public var id: String
        @Field(.backgroundTaskKind) public var kind: BackgroundTaskKind
        @Field("What the app has scheduled it with.") public var userInfo: [String: JSONValue]?
        @Field("Whether the app has completed it.") public var isCompleted: Bool
        @Field("Whether the app was warned that the time for it is nearly over.") public var isExpiring: Bool
        public init() {}
    }
    public typealias Result = [Task]
    public init() {}
}

public struct CompleteBackgroundTask: Command {
    public static let info = CommandInfo(
        "completeBackgroundTask", of: .watchApp,
        "Lets the app work on, and then complete its open background tasks, or one of them; answers at once how many.")
    @Field("Only the task with this identifier.") public var id: String?
    @Field("How long it still works, by the lab's clock; the watch may suspend it then.", limit: .length)
    public var after: LabDuration = .seconds(1)
    public typealias Result = Int
    public init() {}
}
