/// The names that the `code` of a failed command can have, as scenarios write them after `fails`.
///
/// A number is always possible as well.
public enum ErrorNames {
    /// Every name, in the order of the listings.
    public static let all = powerAuth + lab + device + server + watchConnectivity

    /// Codes of `PowerAuthErrorDomain`, with the one of an app whose configuration was refused.
    static let powerAuth = [
        "NA", "networkError", "signatureError", "invalidActivationState", "invalidActivationCode",
        "invalidActivationData", "missingActivation", "activationPending", "biometryNotAvailable", "biometryCancel",
        "biometryFailed", "operationCancelled", "encryption", "wrongParameter", "invalidToken", "watchConnectivity",
        "protocolUpgrade", "pendingProtocolUpgrade", "externalPendingOperation", "biometryFallback",
        "timeSynchronization", "invalidConfiguration", "emptyCompletion",
    ]

    /// Codes of `WCErrorDomain`.
    static let watchConnectivity = [
        "genericError", "sessionNotSupported", "sessionMissingDelegate", "sessionNotActivated", "deviceNotPaired",
        "watchAppNotInstalled", "notReachable", "invalidParameter", "payloadTooLarge", "payloadUnsupportedTypes",
        "messageReplyFailed", "messageReplyTimedOut", "fileAccessDenied", "deliveryFailed", "insufficientSpace",
        "sessionInactive", "transferTimedOut", "companionAppNotInstalled", "watchOnlyApp",
    ]

    /// Errors of the lab itself.
    static let lab = [
        "badArgument", "badRequest", "failed", "interrupted", "notRunning", "peerDied", "suspended", "timedOut",
        "unknownCommand",
    ]

    /// Errors of a device.
    static let device = ["internal", "launchFailed", "unknownDeviceToken", "wrongState"]

    /// Codes of the server's back office.
    static let server = (0...45).map { number in "ERR00\(number < 10 ? "0" : "")\(number)" }
}
