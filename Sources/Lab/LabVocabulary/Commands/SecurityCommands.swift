// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about what protects a device: passcode, biometry, lock, start.
    static let securityCommands: [any Command.Type] = [
        EnrolBiometry.self, AlterBiometry.self, RemoveBiometry.self, AllowBiometry.self, AnswerBiometry.self,
        BiometryPrompt.self, SetPasscode.self, SecurityOfDevice.self, LockDevice.self, UnlockDevice.self,
        Reboot.self, Erase.self,
    ]
}

public struct EnrolBiometry: Command {
    public static let info = CommandInfo(
        "enrolBiometry", of: .device, "Enrols a finger or face; keys that are linked to an earlier set are lost.")
    public init() {}
}

public struct AlterBiometry: Command {
    public static let info = CommandInfo(
        "alterBiometry", of: .device,
        "Changes the enrolled fingers or faces; keys that are linked to the earlier set are lost.")
    public init() {}
}

public struct RemoveBiometry: Command {
    public static let info = CommandInfo("removeBiometry", of: .device, "Removes all enrolled fingers or faces.")
    public init() {}
}

public struct AllowBiometry: Command {
    public static let info = CommandInfo(
        "allowBiometry", of: .device, "Allows or forbids the apps to use biometry, as in the device's settings.")
    @Field(.isBiometryAllowed) public var isAllowed: Bool
    public init() {}
}

public struct AnswerBiometry: Command {
    public static let info = CommandInfo(
        "answerBiometry", of: .device, "Answers the dialog that is open, or in advance the next one.")
    @Field("What the user does. `failure` is as many wrong attempts as the dialog takes, `mismatch` a single one.")
    public var answer: AuthenticationAnswer
    @Field("How often, one dialog after the other.", limit: .between(1, 100)) public var times: Int = 1
    public init() {}
}

public struct BiometryPrompt: Command {
    public static let info = CommandInfo(
        "biometryPrompt", of: .device, "Shows the dialog for biometry or the passcode that is open.")

    public struct Prompt: FieldObject {
        @Field("Actor name of the app that asks.") public var app: String
        @Field(.dialogText) public var reason: String
        @Field("Label of the fallback button; empty when it is hidden.") public var fallbackTitle: String?
        @Field("Whether the passcode would do too.") public var allowsPasscode: Bool
        public init() {}
    }
    public typealias Result = Prompt?
    public init() {}
}

public struct SetPasscode: Command {
    public static let info = CommandInfo(
        "setPasscode", of: .device, "Sets or removes the passcode; without it nothing stays enrolled.")
    @Field("Whether the device has a passcode.") public var isSet: Bool
    public init() {}
}

public struct SecurityOfDevice: Command {
    public static let info = CommandInfo("security", of: .device, "Shows what protects the device now.")

    public struct Result: FieldObject {
        @Field(.biometrySensor) public var biometry: DeviceSpec.Biometry
        @Field("Whether a finger or face is enrolled.") public var isEnrolled: Bool
        @Field(.isBiometryAllowed) public var isBiometryAllowed: Bool
        @Field("Attempts in a row that did not match.") public var failedAttempts: Int
        @Field("Whether only the passcode helps.") public var isLockedOut: Bool
        @Field("Whether a passcode is set.") public var isPasscodeSet: Bool
        @Field("Whether the screen is locked.") public var isLocked: Bool
        @Field("False from a start until the passcode was entered.") public var isUnlockedSinceBoot: Bool
        public init() {}
    }
    public init() {}
}

public struct LockDevice: Command {
    public static let info = CommandInfo(
        "lock", of: .device, "Locks the screen, if the device has a passcode; open dialogs disappear.")
    public init() {}
}

public struct UnlockDevice: Command {
    public static let info = CommandInfo(
        "unlock", of: .device, "Enters the passcode on the locked screen, which ends a lockout of biometry too.")
    public init() {}
}

public struct Reboot: Command {
    public static let info = CommandInfo(
        "reboot", of: .device,
        "Ends all apps and their shared memory; until `unlock` keychain and containers stay closed.")
    public init() {}
}

public struct Erase: Command {
    public static let info = CommandInfo(
        "erase", of: .device,
        "Ends all apps and removes everything: keychain, containers, enrolled biometry. The apps are installed anew.")
    public init() {}
}
