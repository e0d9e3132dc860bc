// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands of an app that lets its user approve and reject operations with the Mobile Token SDK.
    static let userOperationCommands: [any Command.Type] = [
        GetOperations.self, LastFetchResult.self, GetHistory.self, GetDetail.self, ClaimOperation.self,
        AuthorizeOperation.self, RejectOperation.self, StartPollingOperations.self, StopPollingOperations.self,
        IsPollingOperations.self, WatchExpiration.self, ParseProximityCode.self, ParseQROperation.self,
        AuthorizeQROperation.self,
    ]
}

/// An operation as the app shows it.
public struct UserOperation: FieldObject {
    @Field(.operationId) public var id: String
    @Field("System name of the operation, such as `payment`.") public var name: String
    @Field("State that the server reports.") public var status: String
    @Field("Why it was cancelled.") public var statusReason: String?
    @Field("Data that an approval signs.") public var data: String
    @Field(.creationTime) public var operationCreated: Double
    @Field("When it expires, in seconds since 1970.") public var operationExpires: Double
    @Field("`1FA` or `2FA`.") public var signatureType: String
    @Field("Factors that may approve it.") public var signatureVariants: [String]
    @Field(.title) public var title: String
    @Field(.messageForUser) public var message: String
    @Field("Rows of the detail, each with `type`, `id` and `label`.") public var attributes: [[String: JSONValue]]
    @Field("Texts for the outcome.") public var resultTexts: [String: String]?
    @Field("How the approval is to be shown.") public var ui: [String: JSONValue]?
    public init() {}
}

// mobile-token.md, section 6.1
public struct GetOperations: Command {
    public static let info = CommandInfo(
        "getOperations", of: .app, "Fetches the operations that wait for the user, newest first.")
    @Field("Cancels the request as soon as it has been handed over; it then answers nothing.")
    public var cancel: Bool = false
    public typealias Result = [UserOperation]?
    public init() {}
}

public struct LastFetchResult: Command {
    public static let info = CommandInfo(
        "lastFetchResult", of: .app, "Returns what the last fetch of operations brought, or nothing before the first.")
    public typealias Result = [UserOperation]?
    public init() {}
}

public struct GetHistory: Command {
    public static let info = CommandInfo("getHistory", of: .app, "Fetches the operations of all states, newest first.")
    @Field(.addedPassword) public var password: Secret?
    @Field(.addedBiometry) public var biometry: Bool = false
    public typealias Result = [UserOperation]
    public init() {}
}

public struct GetDetail: Command {
    public static let info = CommandInfo("getDetail", of: .app, "Fetches one operation that waits for the user.")
    @Field(.operationId) public var operationId: String
    public typealias Result = UserOperation
    public init() {}
}

public struct ClaimOperation: Command {
    public static let info = CommandInfo(
        "claim", of: .app, "Binds an operation that has no user yet to the user of the app.")
    @Field(.operationId) public var operationId: String
    public typealias Result = UserOperation
    public init() {}
}

public struct AuthorizeOperation: Command {
    public static let info = CommandInfo(
        "authorize", of: .app, "Approves an operation that the app has fetched, or any other when `data` is given.")
    @Field(.operationId) public var operationId: String
    @Field("Data to approve instead of what was fetched.") public var data: String?
    @Field(.addedPassword) public var password: Secret?
    @Field(.addedBiometry) public var biometry: Bool = false
    @Field("One-time password of the proximity check, for this attempt only.") public var totp: String?
    @Field("How the one-time password reached the app.") public var totpType: ProximityCheckType = .qrCode

    public enum ProximityCheckType: String, Choice {
        case qrCode = "QR_CODE"
        case deeplink = "DEEPLINK"
    }
    public init() {}
}

public struct RejectOperation: Command {
    public static let info = CommandInfo("reject", of: .app, "Rejects an operation, whether or not it was fetched.")
    @Field(.operationId) public var operationId: String
    @Field("Why, such as `UNEXPECTED_OPERATION`.") public var reason: String = "UNKNOWN"
    public init() {}
}

// mobile-token.md, section 6.4
public struct StartPollingOperations: Command {
    public static let info = CommandInfo(
        "startPollingOperations", of: .app, "Fetches the operations again and again, by the lab's clock.")
    @Field("Time between two fetches; at least 5 s.", limit: .length) public var interval: LabDuration?
    @Field("Whether the first fetch waits for the interval.") public var delayStart: Bool = false
    public init() {}
}

public struct StopPollingOperations: Command {
    public static let info = CommandInfo("stopPollingOperations", of: .app, "Ends the polling.")
    public init() {}
}

public struct IsPollingOperations: Command {
    public static let info = CommandInfo(
        "isPollingOperations", of: .app, "Checks whether the app polls, also while polling pauses in the background.")
    public typealias Result = Bool
    public init() {}
}

// mobile-token.md, chapter 11
public struct WatchExpiration: Command {
    public static let info = CommandInfo(
        "watchExpiration", of: .app,
        "Watches the fetched operations and reports in the trace when one expires, by the lab's clock.")
    public typealias Result = [String]
    public init() {}
}

// mobile-token.md, section 10.3
public struct ParseProximityCode: Command {
    public static let info = CommandInfo(
        "parseProximityCode", of: .app, "Reads a deep link or the text of a scanned code; nothing when it holds none.")
    @Field("The link that opened the app.") public var deeplink: String?
    @Field("The text of the code that was scanned.") public var qrCode: String?

    public struct Code: FieldObject {
        @Field(.operationId) public var operationId: String
        @Field("One-time password.") public var totp: String?
        public init() {}
    }
    public typealias Result = Code?
    public init() {}
}

// mobile-token.md, section 9.4
public struct ParseQROperation: Command {
    public static let info = CommandInfo(
        "parseQROperation", of: .app,
        "Reads the text of a scanned operation and verifies its signature before anything is shown.")
    @Field(.qrPayload) public var payload: String

    public struct Result: FieldObject {
        @Field(.operationId) public var operationId: String
        @Field(.title) public var title: String
        @Field(.messageForUser) public var message: String
        @Field("Number of the template that the app shows it with.") public var templateId: Int
        @Field("Data fields, each with `type`.") public var fields: [[String: JSONValue]]
        @Field("Whether biometry may approve it.") public var allowBiometryFactor: Bool
        @Field("Whether the buttons are to be flipped.") public var flipButtons: Bool
        @Field("Whether a warning of fraud is to be shown.") public var fraudWarning: Bool
        @Field("Whether it cannot be approved during a call.") public var blockWhenOnCall: Bool
        @Field("One-time password of the proximity check.") public var totp: String?
        @Field("Whether the payload has more than this app understands.") public var isNewerFormat: Bool
        @Field("Key that verified it.") public var signingKey: SigningKey
        public init() {}
    }

    public enum SigningKey: String, Choice {
        case master, personalized
    }
    public init() {}
}

// mobile-token.md, section 6.6
public struct AuthorizeQROperation: Command {
    public static let info = CommandInfo(
        "authorizeQROperation", of: .app,
        "Computes the code that the user copies by hand to approve a scanned operation; nothing is sent.")
    @Field(.qrPayload) public var payload: String
    @Field(.uriId) public var uriId: String = "/operation/authorize/offline"
    @Field(.addedPassword) public var password: Secret?
    @Field(.addedBiometry) public var biometry: Bool = false
    public typealias Result = String
    public init() {}
}
