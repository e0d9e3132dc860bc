extension Vocabulary {
    /// Commands about keys and signatures that need the vault, and about the key of the app's own.
    static let vaultCommands: [any Command.Type] = [
        FetchEncryptionKey.self, SignData.self, SignJWT.self, VerifyServerSignedData.self,
        SetExternalEncryptionKey.self, AddExternalEncryptionKey.self, RemoveExternalEncryptionKey.self,
        HasExternalEncryptionKey.self,
    ]
}

public struct FetchEncryptionKey: Command {
    public static let info = CommandInfo(
        "fetchEncryptionKey", of: .app, "Fetches a key for the app's own data; equal numbers give equal keys.")
    @Field(.password) public var password: Secret
    @Field("Number of the key.", limit: .atLeast(0)) public var index: UInt64 = 0
    public typealias Result = Secret

    public init() {}
}

public struct SignData: Command {
    public static let info = CommandInfo(
        "signDataWithDevicePrivateKey", of: .app,
        "Signs data with the device's private key; the answer is Base64 of an ECDSA signature.")
    @Field("Data to sign.") public var data: String
    @Field(.password) public var password: Secret
    public typealias Result = String

    public init() {}
}

public struct SignJWT: Command {
    public static let info = CommandInfo(
        "signJwtWithDevicePrivateKey", of: .app,
        "Signs claims with the device's private key; the answer is a compact JWT.")
    @Field("Claims of the token.") public var claims: [String: JSONValue]
    @Field(.password) public var password: Secret
    public typealias Result = String

    public init() {}
}

public struct VerifyServerSignedData: Command {
    public static let info = CommandInfo(
        "verifyServerSignedData", of: .app,
        "Checks whether data were signed by the server, for example those of an offline QR code.")
    @Field("Data that were signed.") public var data: String
    @Field("Base64 of the signature.") public var signature: String
    @Field("Checks with the application's master key, not the activation's.") public var masterKey: Bool = false
    public typealias Result = Bool

    public init() {}
}

public struct SetExternalEncryptionKey: Command {
    public static let info = CommandInfo(
        "setExternalEncryptionKey", of: .app,
        "Provides the app's own key before an activation, or to one that is protected with it.")
    @Field(.externalEncryptionKey, limit: "Base64 of 16 bytes") public var key: Secret

    public init() {}
}

public struct AddExternalEncryptionKey: Command {
    public static let info = CommandInfo(
        "addExternalEncryptionKey", of: .app, "Starts to protect the activation with the app's own key.")
    @Field(.externalEncryptionKey, limit: "Base64 of 16 bytes") public var key: Secret

    public init() {}
}

public struct RemoveExternalEncryptionKey: Command {
    public static let info = CommandInfo(
        "removeExternalEncryptionKey", of: .app, "Stops to protect the activation with the app's own key.")
    public init() {}
}

public struct HasExternalEncryptionKey: Command {
    public static let info = CommandInfo(
        "hasExternalEncryptionKey", of: .app, "Checks whether a key of the app's own is set in the SDK object.")
    public typealias Result = Bool

    public init() {}
}
