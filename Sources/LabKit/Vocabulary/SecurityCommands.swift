extension Vocabulary {
    /// Commands about what protects a device: passcode, biometry, lock, start.
    static let securityCommands: [any Command.Type] = [
        EnrolBiometry.self, AlterBiometry.self, RemoveBiometry.self, AllowBiometry.self, AnswerBiometry.self,
        BiometryPrompt.self, SetPasscode.self, SecurityOfDevice.self, LockDevice.self, UnlockDevice.self,
        Reboot.self, Erase.self,
    ]
}

/// `enrolBiometry`: the user enrols a finger or face.
public enum EnrolBiometry: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "enrolBiometry"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary =
        "Enrols a finger or face; keys that are linked to an earlier set are lost."
}

/// `alterBiometry`: the enrolled set changes.
public enum AlterBiometry: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "alterBiometry"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary =
        "Changes the enrolled fingers or faces; keys that are linked to the earlier set are lost."
}

/// `removeBiometry`: nothing is enrolled any more.
public enum RemoveBiometry: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "removeBiometry"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Removes all enrolled fingers or faces."
}

/// `allowBiometry`: whether apps may use biometry.
public enum AllowBiometry: Command {
    /// Arguments of `allowBiometry`.
    public struct Arguments: Codable, Sendable {
        /// Whether apps may use biometry.
        public var isAllowed: Bool

        /// Creates the arguments.
        public init(isAllowed: Bool) {
            self.isAllowed = isAllowed
        }
    }

    public typealias Result = NoResult
    public static let name = "allowBiometry"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Allows or forbids the apps to use biometry, as in the device's settings."
    public static let fields: [Field] = [.required("isAllowed", .boolean, "Whether apps may use biometry.")]
}

/// `answerBiometry`: what the user does with a dialog.
public enum AnswerBiometry: Command {
    /// Arguments of `answerBiometry`.
    public struct Arguments: Codable, Sendable {
        /// What the user does.
        public var answer: AuthenticationAnswer
        /// How often.
        public var times: Int?

        /// Creates the arguments.
        public init(answer: AuthenticationAnswer = .success, times: Int? = nil) {
            self.answer = answer
            self.times = times
        }
    }

    public typealias Result = NoResult
    public static let name = "answerBiometry"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Answers the dialog that is open, or in advance the next one."
    public static let fields: [Field] = [
        .required(
            "answer", .choice(AuthenticationAnswer.allCases.map(\.rawValue)),
            "What the user does. `failure` is as many wrong attempts as the dialog takes, `mismatch` a single one."),
        .optional("times", .integer, default: 1, limit: "1 to 100", "How often, one dialog after the other."),
    ]
}

/// `biometryPrompt`: the dialog that is open.
public enum BiometryPrompt: Command {
    public typealias Arguments = NoArguments

    /// The open dialog.
    public struct Prompt: Codable, Sendable {
        /// Actor name of the app that asks.
        public var app: String
        /// The text that the app shows.
        public var reason: String
        /// Label of the fallback button; empty when it is hidden.
        public var fallbackTitle: String?
        /// Whether the passcode would do too.
        public var allowsPasscode: Bool

        /// Creates the answer.
        public init(app: String, reason: String, fallbackTitle: String?, allowsPasscode: Bool) {
            self.app = app
            self.reason = reason
            self.fallbackTitle = fallbackTitle
            self.allowsPasscode = allowsPasscode
        }
    }

    public typealias Result = Prompt?
    public static let name = "biometryPrompt"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Shows the dialog for biometry or the passcode that is open."
    public static let result: FieldType = .optional(
        .object([
            .init("app", .text, "Actor name of the app that asks."),
            .init("reason", .text, "Text of the dialog."),
            .init("fallbackTitle", .optional(.text), "Label of the fallback button; empty when it is hidden."),
            .init("allowsPasscode", .boolean, "Whether the passcode would do too."),
        ]))
}

/// `setPasscode`: sets or removes the passcode.
public enum SetPasscode: Command {
    /// Arguments of `setPasscode`.
    public struct Arguments: Codable, Sendable {
        /// Whether the device has a passcode.
        public var isSet: Bool

        /// Creates the arguments.
        public init(isSet: Bool) {
            self.isSet = isSet
        }
    }

    public typealias Result = NoResult
    public static let name = "setPasscode"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Sets or removes the passcode; without it nothing stays enrolled."
    public static let fields: [Field] = [.required("isSet", .boolean, "Whether the device has a passcode.")]
}

/// `security`: what protects the device now.
public enum SecurityOfDevice: Command {
    public typealias Arguments = NoArguments

    /// What protects a device.
    public struct Result: Codable, Sendable {
        /// `none`, `touchID` or `faceID`.
        public var biometry: String
        /// Whether a finger or face is enrolled.
        public var isEnrolled: Bool
        /// Whether apps may use biometry.
        public var isBiometryAllowed: Bool
        /// Attempts in a row that did not match.
        public var failedAttempts: Int
        /// Whether only the passcode helps.
        public var isLockedOut: Bool
        /// Whether a passcode is set.
        public var isPasscodeSet: Bool
        /// Whether the screen is locked.
        public var isLocked: Bool
        /// False from a start of the device until the passcode was entered.
        public var isUnlockedSinceBoot: Bool

        /// Creates the answer.
        public init(
            biometry: String, isEnrolled: Bool, isBiometryAllowed: Bool, failedAttempts: Int, isLockedOut: Bool,
            isPasscodeSet: Bool, isLocked: Bool, isUnlockedSinceBoot: Bool
        ) {
            self.biometry = biometry
            self.isEnrolled = isEnrolled
            self.isBiometryAllowed = isBiometryAllowed
            self.failedAttempts = failedAttempts
            self.isLockedOut = isLockedOut
            self.isPasscodeSet = isPasscodeSet
            self.isLocked = isLocked
            self.isUnlockedSinceBoot = isUnlockedSinceBoot
        }
    }

    public static let name = "security"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Shows what protects the device now."
    public static let result: FieldType = .object([
        .init("biometry", .choice(DeviceSpec.Biometry.allCases.map(\.rawValue)), "The sensor."),
        .init("isEnrolled", .boolean, "Whether a finger or face is enrolled."),
        .init("isBiometryAllowed", .boolean, "Whether apps may use biometry."),
        .init("failedAttempts", .integer, "Attempts in a row that did not match."),
        .init("isLockedOut", .boolean, "Whether only the passcode helps."),
        .init("isPasscodeSet", .boolean, "Whether a passcode is set."),
        .init("isLocked", .boolean, "Whether the screen is locked."),
        .init("isUnlockedSinceBoot", .boolean, "False from a start until the passcode was entered."),
    ])
}

/// `lock`: locks the screen.
public enum LockDevice: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "lock"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Locks the screen, if the device has a passcode; open dialogs disappear."
}

/// `unlock`: the user enters the passcode.
public enum UnlockDevice: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "unlock"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Enters the passcode on the locked screen, which ends a lockout of biometry too."
}

/// `reboot`: the device starts anew.
public enum Reboot: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "reboot"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary =
        "Ends all apps and their shared memory; until `unlock` keychain and containers stay closed."
}

/// `erase`: the device is as new.
public enum Erase: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "erase"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary =
        "Ends all apps and removes everything: keychain, containers, enrolled biometry. The apps are installed anew."
}
