// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands by which PowerAuth data travel between phone and watch.
    static let watchSupportCommands: [any Command.Type] = [
        SendActivationStatusToWatch.self, SendTokenToWatch.self, RemoveTokenFromWatch.self,
        UpdateActivationStatus.self, UseManualSession.self,
    ]
}

public struct SendActivationStatusToWatch: Command {
    public static let info = CommandInfo(
        "sendActivationStatusToWatch", of: .fullApps, "Sends the watch whether there is an activation, and which.")
    @Field(.delivery) public var delivery: Delivery = .guaranteed
    public typealias Result = Bool
    public init() {}
}

public struct SendTokenToWatch: Command {
    public static let info = CommandInfo("sendTokenToWatch", of: .fullApps, "Copies a stored token to the watch.")
    @Field(.tokenName) public var name: String
    @Field(.delivery) public var delivery: Delivery = .guaranteed
    public typealias Result = Bool
    public init() {}
}

public struct RemoveTokenFromWatch: Command {
    public static let info = CommandInfo("removeTokenFromWatch", of: .fullApps, "Removes the watch's copy of a token.")
    @Field(.tokenName) public var name: String
    @Field(.delivery) public var delivery: Delivery = .guaranteed
    public typealias Result = Bool
    public init() {}
}

public struct UpdateActivationStatus: Command {
    public static let info = CommandInfo("updateActivationStatus", of: .watchApp, "Asks the phone for the activation.")
    @Field(.delivery) public var delivery: Delivery = .guaranteed

    public struct Result: FieldObject {
        @Field("Whether the request was accepted or answered.") public var accepted: Bool
        @Field("Identifier in the phone's answer; immediate variant only.") public var activationIdentifier: String?
        public init() {}
    }
    public init() {}
}

/// The two variants in which the SDKs send to the counterpart (watch.md, section 2).
public enum Delivery: String, Choice {
    /// Returns at once; the message arrives eventually, also after a restart of either side.
    case guaranteed
    /// Waits for the answer of the counterpart, which must be reachable.
    case immediate
}

public struct UseManualSession: Command {
    public static let info = CommandInfo(
        "useManualSession", of: [.app, .app2, .watchApp],
        "Gives the watch session the `SessionManager` of the SDK's manual as its delegate instead of the lab's; false without a session."
    )
    public typealias Result = Bool
    public init() {}
}
