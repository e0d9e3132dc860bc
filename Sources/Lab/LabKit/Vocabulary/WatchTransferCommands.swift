extension Vocabulary {
    /// Commands by which an app sends files, and content for a complication, over the watch link.
    static let watchTransferCommands: [any Command.Type] = [
        TransferFile.self, ReceivedFiles.self, FinishedFileTransfers.self, TransferComplicationUserInfo.self,
    ]
    /// Commands about the complication of a watch app.
    static let complicationCommands: [any Command.Type] = [AddComplication.self, RemoveComplication.self]
}

public struct TransferFile: Command {
    public static let info = CommandInfo(
        "transferFile", of: [.app, .watchApp],
        "Queues a file that arrives even if both apps die in between; fails when the session refuses it.")
    @Field("Name of the file, in the app's documents.") public var name: String
    @Field("Writes the file with this text before.") public var text: String?
    @Field("Writes the file with so many bytes before.", limit: .atLeast(0)) public var size: Int?
    @Field(.fileMetadata) public var metadata: [String: JSONValue]?

    public init() {}
}

public struct ReceivedFiles: Command {
    public static let info = CommandInfo(
        "receivedFiles", of: [.app, .watchApp], "Lists the files that this process has received, oldest first.")

    public struct File: FieldObject {
        @Field(.fileName) public var name: String
        @Field("Size in bytes.") public var size: Int
        @Field("The content, of a file of at most 1,000 bytes of text.") public var text: String?
        @Field(.fileMetadata) public var metadata: [String: JSONValue]?
        @Field("Whether the file is still where the delegate was given it.") public var isStillThere: Bool
        public init() {}
    }
    public typealias Result = [File]

    public init() {}
}

public struct FinishedFileTransfers: Command {
    public static let info = CommandInfo(
        "finishedFileTransfers", of: [.app, .watchApp],
        "Lists the files whose transfer's end was reported to this process, oldest first.")

    public struct Transfer: FieldObject {
        @Field(.fileName) public var name: String
        @Field(.transferEnd) public var code: Int?
        public init() {}
    }
    public typealias Result = [Transfer]

    public init() {}
}

public struct TransferComplicationUserInfo: Command {
    public static let info = CommandInfo(
        "transferCurrentComplicationUserInfo", of: .app,
        "Queues a message for the watch app's complication, before all that waits; fails when the session refuses it.")
    @Field(.transferredContent) public var userInfo: [String: JSONValue]

    public struct Result: FieldObject {
        @Field("Whether it is brought at once; without a complication or budget it waits as any other.")
        public var isCurrentComplicationInfo: Bool
        public init() {}
    }

    public init() {}
}

public struct AddComplication: Command {
    public static let info = CommandInfo(
        "addComplication", of: .process, "Puts the complication of a watch app on the face of the watch.",
        endedBy: RemoveComplication.self)
    public init() {}
}

public struct RemoveComplication: Command {
    public static let info = CommandInfo(
        "removeComplication", of: .process, "Takes the complication of a watch app off the face of the watch.")
    public init() {}
}
