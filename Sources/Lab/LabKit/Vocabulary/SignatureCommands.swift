extension Vocabulary {
    /// Commands about request signatures and the password.
    static let signatureCommands: [any Command.Type] = [
        RequestSignature.self, RequestGetSignature.self, OfflineSignature.self, ValidatePassword.self,
        ChangePassword.self, UnsafeChangePassword.self,
    ]
}

/// An HTTP header made by the SDK.
public struct HTTPHeader: FieldObject {
    @Field("Name of the HTTP header.") public var key: String
    @Field("Value of the HTTP header.") public var value: String

    public init() {}
}

public struct RequestSignature: Command {
    public static let info = CommandInfo(
        "requestSignature", of: .app, "Computes the authorization header of a request; nothing is sent.")
    @Field(.httpMethod) public var method: RequestMethod
    @Field(.uriId) public var uriId: String
    @Field(.requestBody) public var body: String?
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = HTTPHeader

    public init() {}
}

public struct RequestGetSignature: Command {
    public static let info = CommandInfo(
        "requestGetSignature", of: .app, "Computes the authorization header of a GET request; nothing is sent.")
    @Field(.uriId) public var uriId: String
    @Field("Parameters of the query.", limit: "texts") public var params: [String: String]?
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = HTTPHeader

    public init() {}
}

public struct OfflineSignature: Command {
    public static let info = CommandInfo(
        "offlineSignature", of: .app, "Computes the decimal signature of an offline operation.")
    @Field(.uriId) public var uriId: String
    @Field("Data of the operation.") public var body: String?
    @Field("Nonce given by the server.", limit: "Base64 of 16 bytes") public var nonce: String
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = String

    public init() {}
}

public struct ValidatePassword: Command {
    public static let info = CommandInfo(
        "validatePassword", of: .app, "Lets the server check the password with a signed request.")
    @Field("Password to check.") public var password: Secret

    public init() {}
}

public struct ChangePassword: Command {
    public static let info = CommandInfo(
        "changePassword", of: .app, "Changes the password after the server has confirmed the old one.")
    @Field(.currentPassword) public var from: Secret
    @Field(.newPassword, limit: "at least 4 bytes") public var to: Secret

    public init() {}
}

public struct UnsafeChangePassword: Command {
    public static let info = CommandInfo(
        "unsafeChangePassword", of: .app,
        "Changes the password on the device alone; after a wrong old one the activation's key is spoiled.")
    @Field(.currentPassword) public var from: Secret
    @Field(.newPassword, limit: "at least 4 bytes") public var to: Secret
    public typealias Result = Bool

    public init() {}
}
