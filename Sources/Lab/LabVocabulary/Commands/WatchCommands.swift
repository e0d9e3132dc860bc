// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about the watches of a phone.
    static let watchCommands: [any Command.Type] = [SwitchWatch.self, UnpairWatch.self, PairWatch.self]
    static let complicationCommands: [any Command.Type] = [AddComplication.self, RemoveComplication.self]
}

public struct SwitchWatch: Command {
    public static let info = CommandInfo(
        "switchWatch", of: .device,
        "Uses another of the phone's watches; sessions become inactive, then are deactivated, and activate for the new one."
    )
    @Field("The link with that watch.") public var link: String
    public init() {}
}

public struct UnpairWatch: Command {
    public static let info = CommandInfo(
        "unpair", of: .link, "Ends the pairing of phone and watch: what waits for the other device ends, on both.",
        endedBy: PairWatch.self)
    public init() {}
}

public struct PairWatch: Command {
    public static let info = CommandInfo(
        "pair", of: .link, "Pairs phone and watch again; the phone uses the watch when it has no other.")
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
