extension Vocabulary {
    /// Commands of an app that approves an operation without a network.
    static let offlineOperationCommands: [any Command.Type] = [ParseQROperation.self, AuthorizeQROperation.self]
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
