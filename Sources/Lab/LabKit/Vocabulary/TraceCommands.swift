extension Vocabulary {
    /// Commands about what was recorded.
    static let traceCommands: [any Command.Type] = [ListEvents.self]
}

public struct ListEvents: Command {
    public static let info = CommandInfo(
        "events", of: .trace, "Lists what the processes of the instance have recorded so far, in the order of time.")
    @Field("Only this event; `lab events` lists them.") public var event: String?
    @Field("Only events of this process: an app, a device, `server`, or `clock`.") public var peer: String?
    @Field("Only what this step caused, by its number, such as `3.1`, with everything inside it.")
    public var step: String?

    public struct Event: FieldObject {
        @Field("What happened.") public var event: String
        @Field("Whose trace it is in.") public var peer: String
        @Field("Which start of that process it was, from 1.") public var incarnation: Int
        @Field("Number of the step that caused it; events of agents have none.") public var step: String?
        @Field("When, on the machine's monotonic clock.", unit: "nanoseconds") public var time: UInt64
        @Field("The event's own details.") public var fields: [String: JSONValue]
        public init() {}
    }
    public typealias Result = [Event]

    public init() {}
}
