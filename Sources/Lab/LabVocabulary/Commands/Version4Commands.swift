// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands that only SDK 2.0 has (protocol-4.md).
    static let version4Commands: [any Command.Type] = [
        StartProtocolUpgrade.self, HasPendingProtocolUpgrade.self, FetchSecureVaultKey.self,
        SignDataWithDeviceKey.self, SignJWS.self, VerifyOfflineData.self, BeginPasswordChange.self,
        FinishPasswordChange.self,
    ]
}

public struct StartProtocolUpgrade: Command {
    public static let info = CommandInfo(
        "startProtocolUpgrade", of: .app2,
        "Upgrades the activation from protocol 3.3 to 4, or continues an upgrade that was interrupted.")
    @Field(.password) public var password: Secret
    @Field(
        "Keeps the biometry factor, with the credentials that `authenticateUsingBiometry` has kept under this name; without them the factor ends."
    )
    public var biometry: String?
    public init() {}
}

public struct HasPendingProtocolUpgrade: Command {
    public static let info = CommandInfo(
        "hasPendingProtocolUpgrade", of: .app2,
        "Checks whether the server has answered the start of an upgrade and has not confirmed it yet.")
    public typealias Result = Bool
    public init() {}
}

public struct FetchSecureVaultKey: Command {
    public static let info = CommandInfo(
        "fetchSecureVaultKey", of: .app2,
        "Fetches a key for the app's own data, in Base64; equal names give equal keys.")

    public enum Key: String, Choice {
        case twoFactor, knowledge
    }

    @Field("The key: `twoFactor` opens with knowledge or biometry, `knowledge` with knowledge only.")
    public var key: Key = .twoFactor
    @Field(.addedPassword) public var password: Secret?
    @Field(.keptCredentials) public var credentials: String?
    public typealias Result = Secret
    public init() {}
}

public struct SignDataWithDeviceKey: Command {
    public static let info = CommandInfo(
        "signDataWithDevicePrivateKey", of: .app2,
        "Signs data with one of the device's private keys; the answer is Base64 of the signature.")

    public enum Key: String, Choice {
        case ecdsa, mldsa
    }

    @Field(.dataToSign) public var data: String
    @Field("The key: that on the curve, or that of ML-DSA.") public var key: Key = .ecdsa
    @Field(.password) public var password: Secret
    public typealias Result = String
    public init() {}
}

public struct SignJWS: Command {
    public static let info = CommandInfo(
        "signJwsWithDevicePrivateKey", of: .app2,
        "Signs claims with all private keys of the device; the answer is a compact JWS, or general JSON for several keys."
    )
    @Field(.tokenClaims) public var claims: [String: JSONValue]
    @Field(.password) public var password: Secret
    public typealias Result = String
    public init() {}
}

public struct VerifyOfflineData: Command {
    public static let info = CommandInfo(
        "verifyOfflineData", of: .app2, "Checks whether the server has made the QR code of an offline operation.")
    @Field(.qrPayload) public var payload: String
    public typealias Result = Bool
    public init() {}
}

public struct BeginPasswordChange: Command {
    public static let info = CommandInfo(
        "beginPasswordChange", of: .app2,
        "Lets the server check the current password, and keeps the change until `finishPasswordChange`.")
    @Field(.currentPassword) public var from: Secret
    public init() {}
}

public struct FinishPasswordChange: Command {
    public static let info = CommandInfo(
        "finishPasswordChange", of: .app2,
        "Changes the password as `beginPasswordChange` of the same process has begun it; after a failure it can be repeated."
    )
    @Field(.newPassword, limit: "4 to 512 bytes") public var to: Secret
    public init() {}
}
