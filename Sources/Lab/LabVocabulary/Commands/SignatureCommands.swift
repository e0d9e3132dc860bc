// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about request signatures and the password.
    static let signatureCommands: [any Command.Type] = [
        RequestSignature.self, RequestGetSignature.self, OfflineSignature.self, ValidatePassword.self,
        ChangePassword.self, UnsafeChangePassword.self,
    ]

    /// Commands about keys, signatures and certificates that need the vault, and about the key of the app's own.
    static let vaultCommands: [any Command.Type] = [
        FetchEncryptionKey.self, SignData.self, SignJWT.self, VerifyServerSignedData.self,
        SetExternalEncryptionKey.self, AddExternalEncryptionKey.self, RemoveExternalEncryptionKey.self,
        HasExternalEncryptionKey.self, CreateSignedCSR.self,
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
        "requestSignature", of: .fullApps, "Computes the authorization header of a request; nothing is sent.")
    @Field(.httpMethod) public var method: RequestMethod
    @Field(.uriId) public var uriId: String
    @Field(.requestBody) public var body: String?
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = HTTPHeader
    public init() {}
}

public struct RequestGetSignature: Command {
    public static let info = CommandInfo(
        "requestGetSignature", of: .fullApps, "Computes the authorization header of a GET request; nothing is sent.")
    @Field(.uriId) public var uriId: String
    @Field(
        "Parameters of the query, by their names; one that the query has several times has a list of its values.",
        limit: "texts, and lists of texts")
    public var params: [String: JSONValue]?
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = HTTPHeader
    public init() {}
}

public struct OfflineSignature: Command {
    public static let info = CommandInfo(
        "offlineSignature", of: .fullApps, "Computes the decimal signature of an offline operation.")
    @Field(.uriId) public var uriId: String
    @Field("Data of the operation.") public var body: String?
    @Field("Nonce given by the server.", limit: "Base64 of 16 bytes") public var nonce: String
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = String
    public init() {}
}

public struct ValidatePassword: Command {
    public static let info = CommandInfo(
        "validatePassword", of: .fullApps, "Lets the server check the password with a signed request.")
    @Field("Password to check.") public var password: Secret
    public init() {}
}

public struct ChangePassword: Command {
    public static let info = CommandInfo(
        "changePassword", of: .fullApps, "Changes the password after the server has confirmed the old one.")
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
    @Field(.dataToSign) public var data: String
    @Field(.password) public var password: Secret
    public typealias Result = String
    public init() {}
}

public struct SignJWT: Command {
    public static let info = CommandInfo(
        "signJwtWithDevicePrivateKey", of: .app,
        "Signs claims with the device's private key; the answer is a compact JWT.")
    @Field(.tokenClaims) public var claims: [String: JSONValue]
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

public struct CreateSignedCSR: Command {
    public static let info = CommandInfo(
        "createSignedCSR", of: .fullApps,
        "Makes a request for a certificate of the device's key on the curve; the answer is PEM text.")
    @Field("Parts of the subject by their short names, such as `CN` and `O`.", limit: "texts")
    public var distinguishedNames: [String: String]
    @Field("Other names, such as `DNS:example.com` and `IP:192.0.2.1`.") public var subjectAltNames: [String]?
    @Field(.password) public var password: Secret
    public typealias Result = String
    public init() {}
}
