// SPDX-License-Identifier: Apache-2.0

/// One simulated device and what is installed on it.
public struct DeviceSpec: Codable, Equatable, Sendable {
    /// What kind of hardware is simulated.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        case phone
        case watch
    }

    /// What happens to a process that is suspended while it holds a lock in a group container
    /// (sharing.md, section 21.7).
    public enum Suspension: String, Codable, CaseIterable, Sendable {
        /// The platform ends the process with reason `0xdead10cc`.
        case strict
        /// The process sleeps and keeps the lock, so that others see the block.
        case lenient
    }

    /// The sensor that recognises the owner.
    public enum Biometry: String, Choice {
        case none
        case touchID
        case faceID
    }

    /// Name of the device; also its actor name in scenarios.
    public var name: String
    /// Phone or watch.
    public var kind: Kind
    /// Machine name reported by the system, for example `iPhone15,2`.
    public var model: String
    /// Version of the simulated operating system, for example `17.5`.
    public var osVersion: String
    /// Team prefix (App ID prefix) of all apps on this device, ten characters as on the real platform.
    public var team: String
    /// Outcome of a suspension with a held group-container lock.
    public var suspension: Suspension
    /// The sensor that recognises the owner; nothing is enrolled at first.
    public var biometry: Biometry
    /// Difference of this device's wall clock to the lab's, in milliseconds; positive is ahead.
    public var clockSkewMilliseconds: Int64
    /// The installed apps, app extensions and watch apps.
    public var apps: [AppSpec]

    /// Creates a device.
    public init(
        name: String, kind: Kind, model: String? = nil, osVersion: String = "17.5", team: String = "LABTEAM001",
        suspension: Suspension = .strict, biometry: Biometry? = nil, clockSkewMilliseconds: Int64 = 0,
        apps: [AppSpec]
    ) {
        self.name = name
        self.kind = kind
        self.model = model ?? (kind == .phone ? "iPhone15,2" : "Watch6,18")
        self.osVersion = osVersion
        self.team = team
        self.suspension = suspension
        self.biometry = biometry ?? (kind == .phone ? .faceID : .none)
        self.clockSkewMilliseconds = clockSkewMilliseconds
        self.apps = apps
    }
}

/// One installed app, app extension or watch app: its identity, its entitlements and its SDK configuration.
public struct AppSpec: Codable, Equatable, Sendable {
    /// What the executable plays.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A phone's app.
        case app
        /// A short-lived extension of an app on a phone.
        case appExtension = "extension"
        /// The app on the watch.
        case watchApp

        /// Name of the executable that plays this kind.
        public var executable: String {
            switch self {
            case .app: "main-app"
            case .appExtension: "app-extension"
            case .watchApp: "watch-companion"
            }
        }
    }

    /// Actor name in scenarios.
    public var name: String
    /// What the executable plays.
    public var kind: Kind
    /// Bundle identifier, for example `com.example.main`.
    public var bundleIdentifier: String
    /// Actor name of the app that an extension belongs to, or of the phone app that a watch app accompanies.
    public var host: String?
    /// Entitlement: app groups, each beginning with `group.`.
    public var appGroups: [String]
    /// Entitlement: keychain access groups, each written `TEAM.name`.
    public var keychainAccessGroups: [String]
    /// Entitlement `aps-environment`: the push service that gives the app its device token.
    public var pushEnvironment: PushEnvironment
    /// Whether the app is launched when the instance starts.
    public var autostart: Bool
    /// How long a process of an extension may live before the system ends it; nil means for ever.
    public var timeLimit: LabDuration?
    /// Switches that bring back defects of the original SDK, by their number in the specification.
    public var quirks: [String]
    /// Configuration of the PowerAuth SDK inside the app.
    public var powerAuth: PowerAuthSpec
    /// The user's own program that plays the app; nil for the lab's.
    public var own: OwnProgram?

    /// Creates an app.
    public init(
        name: String, kind: Kind, bundleIdentifier: String, host: String? = nil, appGroups: [String] = [],
        keychainAccessGroups: [String] = [], pushEnvironment: PushEnvironment = .production, autostart: Bool = true,
        timeLimit: LabDuration? = nil, quirks: [String] = [], powerAuth: PowerAuthSpec, own: OwnProgram? = nil
    ) {
        self.name = name
        self.kind = kind
        self.bundleIdentifier = bundleIdentifier
        self.host = host
        self.appGroups = appGroups
        self.keychainAccessGroups = keychainAccessGroups
        self.pushEnvironment = pushEnvironment
        self.autostart = autostart
        self.timeLimit = timeLimit
        self.quirks = quirks
        self.powerAuth = powerAuth
        self.own = own
    }

    /// Name of the executable that plays this app.
    public var executable: String { own?.name ?? kind.executable }

    /// Where the executable is that plays this app.
    /// - Parameter directory: The directory of the lab's own executables.
    public func executablePath(in directory: String) -> String { own?.path ?? "\(directory)/\(kind.executable)" }
}

/// One of the two push services. A device token belongs to one of them, and the other does not know it
/// (mobile-token.md, section 12.2).
public enum PushEnvironment: String, Choice {
    /// The sandbox, for apps as developers build them.
    case development
    /// For apps as they are distributed.
    case production
}

/// What an app passes to its PowerAuth SDK object.
public struct PowerAuthSpec: Codable, Equatable, Sendable {
    /// Which SDK the app embeds.
    public enum SDK: String, Codable, CaseIterable, Sendable {
        /// `PowerAuth2`, the full SDK, of version 1.9.
        case full
        /// `PowerAuthSDK2`, the full SDK of version 2.0 (docs/protocol-4.md).
        case full2 = "2.0"
        /// `PowerAuth2ForExtensions`, which only reads.
        case extensions
        /// `PowerAuth2ForWatch`.
        case watch
    }

    /// The algorithms of new activations in SDK 2.0 (protocol-4.md, section 1).
    public enum Algorithm: String, Choice {
        /// P-256: activations of protocol 3.
        case legacyP256 = "LEGACY_P256"
        /// P-384 alone.
        case ecP384 = "EC_P384"
        /// P-384 with ML-KEM-768 and ML-DSA-65.
        case ecP384L3 = "EC_P384_ML_L3"
        /// P-384 with ML-KEM-1024 and ML-DSA-87.
        case ecP384L5 = "EC_P384_ML_L5"
    }

    /// What protects the key of the biometry factor (sdk.md, section 5.4).
    public enum BiometryKey: String, Codable, CaseIterable, Sendable {
        /// Any enrolled finger or face.
        case anySet
        /// The fingers or faces that were enrolled when the key was stored; `linkBiometricItemsToCurrentSet`.
        case currentSet
        /// Any enrolled finger or face, or the passcode; `allowBiometricAuthenticationFallbackToDevicePasscode`.
        case anySetOrPasscode
    }

    /// Whom the SDK object's HTTP client trusts (sdk.md, section 5.3).
    public enum SSLValidation: String, Codable, CaseIterable, Sendable {
        /// Whom the device trusts; no `sslValidationStrategy`.
        case system
        /// Any server: `PowerAuthClientSslNoValidationStrategy`.
        case noValidation = "none"
    }

    /// Which SDK the app embeds.
    public var sdk: SDK
    /// `PowerAuthConfiguration.algorithm` of SDK 2.0; `nil` means its own default.
    public var algorithm: Algorithm?
    /// `PowerAuthConfiguration.instanceId`; apps that share an activation use the same one.
    public var instanceId: String
    /// Base URL of the enrolment server; `nil` means the lab's own server.
    public var baseEndpointUrl: String?
    /// Mobile SDK configuration string; `nil` means the one of the lab's own server.
    public var configuration: String?
    /// Activation sharing between apps of one vendor.
    public var sharing: SharingSpec?
    /// `keychainAttribute_AccessGroup` for apps that do not use activation sharing.
    public var keychainAccessGroup: String?
    /// `keychainAttribute_UserDefaultsSuiteName` for apps that do not use activation sharing.
    public var userDefaultsSuiteName: String?
    /// What protects the key of the biometry factor.
    public var biometryKey: BiometryKey
    /// Whom the SDK object's HTTP client trusts.
    public var sslValidation: SSLValidation
    /// `defaultRequestTimeout`; `nil` means the SDK's own 20 s.
    public var requestTimeout: LabDuration?
    /// `removesLocalTokens` of the Extensions SDK.
    public var removesLocalTokens: Bool
    /// `usesApplicationHeaderVersion` of the Extensions SDK.
    public var usesApplicationHeaderVersion: Bool

    /// `watchSynchronization` of a full SDK: whether the watch receives the server's time.
    public var sharesTimeWithWatch: Bool
    /// `watchSynchronization` of a full SDK: whether tokens that change are sent to the watch that has them.
    public var refreshesTokensOnWatch: Bool

    /// Creates an SDK configuration.
    public init(
        sdk: SDK, algorithm: Algorithm? = nil, instanceId: String, baseEndpointUrl: String? = nil,
        configuration: String? = nil, sharing: SharingSpec? = nil, keychainAccessGroup: String? = nil,
        userDefaultsSuiteName: String? = nil,
        biometryKey: BiometryKey = .anySet, sslValidation: SSLValidation = .system,
        requestTimeout: LabDuration? = nil, removesLocalTokens: Bool = false,
        usesApplicationHeaderVersion: Bool = false, sharesTimeWithWatch: Bool = false,
        refreshesTokensOnWatch: Bool = false
    ) {
        self.sharesTimeWithWatch = sharesTimeWithWatch
        self.refreshesTokensOnWatch = refreshesTokensOnWatch
        self.sdk = sdk
        self.algorithm = algorithm
        self.instanceId = instanceId
        self.baseEndpointUrl = baseEndpointUrl
        self.configuration = configuration
        self.sharing = sharing
        self.keychainAccessGroup = keychainAccessGroup
        self.userDefaultsSuiteName = userDefaultsSuiteName
        self.biometryKey = biometryKey
        self.sslValidation = sslValidation
        self.requestTimeout = requestTimeout
        self.removesLocalTokens = removesLocalTokens
        self.usesApplicationHeaderVersion = usesApplicationHeaderVersion
    }
}

/// The values of a `PowerAuthSharingConfiguration` (sharing.md, section 3). They are passed on unchecked: refusing
/// them is the SDK's task, and scenarios rely on seeing how it refuses.
public struct SharingSpec: Codable, Equatable, Sendable {
    /// App group identifier.
    public var appGroup: String
    /// Identifies this app to the other apps.
    public var appIdentifier: String
    /// Keychain access group shared by the apps.
    public var keychainAccessGroup: String
    /// Short name of the shared memory, 1 to 4 bytes; computed by the SDK when `nil`.
    public var sharedMemoryIdentifier: String?

    /// Creates sharing values.
    public init(
        appGroup: String, appIdentifier: String, keychainAccessGroup: String, sharedMemoryIdentifier: String? = nil
    ) {
        self.appGroup = appGroup
        self.appIdentifier = appIdentifier
        self.keychainAccessGroup = keychainAccessGroup
        self.sharedMemoryIdentifier = sharedMemoryIdentifier
    }
}

/// What the owner of a device does when a dialog asks for a finger, a face or the passcode.
public enum AuthenticationAnswer: String, Choice {
    /// A finger or face that matches; where biometry cannot help and the dialog takes the passcode, the passcode.
    case success
    /// One attempt that does not match; the dialog stays open until it gives up.
    case mismatch
    /// As many attempts that do not match as the dialog takes.
    case failure
    /// So many attempts that do not match that biometry is locked out.
    case lockout
    /// The cancel button.
    case cancel
    /// The fallback button.
    case fallback
    /// The passcode, where the dialog takes it; otherwise cancel.
    case passcode
    /// The system takes the dialog away, as for an incoming call.
    case systemCancel
}
