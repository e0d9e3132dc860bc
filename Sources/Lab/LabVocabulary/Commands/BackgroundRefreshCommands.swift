// SPDX-License-Identifier: Apache-2.0

public import LabCore
public import LabPoints

extension Vocabulary {
    /// Commands about the background tasks of a watch app, which its device carries out.
    static let backgroundRefreshCommands: [any Command.Type] = [AllowBackgroundRefresh.self, BackgroundTasks.self]
}

public struct AllowBackgroundRefresh: Command {
    public static let info = CommandInfo(
        "allowBackgroundRefresh", of: .process,
        "Lets the watch launch or wake a watch app in the background for its tasks, as the user does in the settings; "
            + "before, it gives the app none.")
    @Field("Whether the app is given tasks.") public var isAllowed: Bool = true
    @Field("What happens to an app that does not complete a task within 15 seconds in the background.")
    public var overrun: Overrun = .end

    public enum Overrun: String, Choice {
        /// The system ends it, as a watch does.
        case end
        /// The system takes the task back and suspends it.
        case suspend
    }
    public init() {}
}

public struct BackgroundTasks: Command {
    public static let info = CommandInfo(
        "backgroundTasks", of: .process,
        "Reports the background tasks of a watch app: those not completed, and the one that it has scheduled.")

    public struct Task: FieldObject {
        @Field(.backgroundTaskId) public var id: String
        @Field(.backgroundTaskKind) public var kind: BackgroundTaskKind
        @Field("How much time is left; nothing while the app is suspended or in the foreground.", unit: "milliseconds")
        public var timeLeft: Int?
        public init() {}
    }

    public struct Result: FieldObject {
        @Field("Whether the watch gives the app tasks.") public var isAllowed: Bool
        @Field("The tasks that the app was given and has not completed, oldest first.") public var open: [Task]
        @Field("How long until the refresh that the app has scheduled; nothing without one.", unit: "milliseconds")
        public var scheduledIn: Int?
        public init() {}
    }
    public init() {}
}
