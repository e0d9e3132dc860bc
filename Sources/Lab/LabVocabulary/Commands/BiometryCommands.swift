// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let biometryCommands: [any Command.Type] = [
        BiometryInfo.self, AddBiometryFactor.self, HasBiometryFactor.self, RemoveBiometryFactor.self,
        BiometrySignature.self, AuthenticateUsingBiometry.self,
    ]
}

public struct BiometryInfo: Command {
    public static let info = CommandInfo(
        "biometryInfo", of: .fullApps, "Shows what biometry the device has and whether it can be used now.")

    public enum Status: String, Choice {
        case notSupported, notAvailable, notEnrolled, lockout, available
    }

    public struct Result: FieldObject {
        @Field("Whether it can be used now.") public var canUse: Bool
        @Field("Why it can or cannot be used.") public var currentStatus: Status
        @Field(.biometrySensor) public var biometryType: DeviceSpec.Biometry
        public init() {}
    }
    public init() {}
}

public struct AddBiometryFactor: Command {
    public static let info = CommandInfo(
        "addBiometryFactor", of: .fullApps,
        "Adds, or replaces, the biometry factor after the server has confirmed the password.")
    @Field(.password) public var password: Secret
    public init() {}
}

public struct HasBiometryFactor: Command {
    public static let info = CommandInfo(
        "hasBiometryFactor", of: .fullApps,
        "Checks whether the activation has a biometry factor whose key is on this device.")
    public typealias Result = Bool
    public init() {}
}

public struct RemoveBiometryFactor: Command {
    public static let info = CommandInfo(
        "removeBiometryFactor", of: .fullApps,
        "Removes the biometry factor, that of protocol 4 from the server first; true whenever there is an activation.")
    public typealias Result = Bool
    public init() {}
}

public struct BiometrySignature: Command {
    public static let info = CommandInfo(
        "biometrySignature", of: .fullApps,
        "Computes the authorization header of a request with possession and biometry; waits for the user's answer.")
    @Field(.uriId) public var uriId: String
    @Field(.httpMethod) public var method: RequestMethod = .post
    @Field(.requestBody) public var body: String?
    @Field("Text of the dialog; without it the system's dialog opens without a text.") public var prompt: String?
    @Field(.keptCredentials) public var credentials: String?
    public typealias Result = HTTPHeader
    public init() {}
}

public struct AuthenticateUsingBiometry: Command {
    public static let info = CommandInfo(
        "authenticateUsingBiometry", of: .fullApps,
        "Asks the user for biometry in advance, then computes the authorization header of a request with the result.")
    @Field(.uriId) public var uriId: String
    @Field(.httpMethod) public var method: RequestMethod = .post
    @Field(.requestBody) public var body: String?
    @Field(.dialogText) public var prompt: String = "Authenticate"
    @Field("Label of the fallback button; without it the dialog has none.") public var fallbackTitle: String?
    @Field("Keeps the result under this name, so that later commands of the same process sign without a dialog.")
    public var keepAs: String?
    public typealias Result = HTTPHeader
    public init() {}
}
