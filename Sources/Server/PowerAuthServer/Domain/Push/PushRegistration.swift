/// Where a push token comes from.
enum PushPlatform: String, Sendable {
    case apns, fcm, hms

    /// Reads the present names and the ones of older clients (mobile-token.md, section 12.2).
    init?(named name: String) {
        switch name {
        case "apns", "ios": self = .apns
        case "fcm", "android": self = .fcm
        case "hms", "huawei": self = .hms
        default: return nil
        }
    }
}

/// Which of Apple's environments a token is for.
enum PushEnvironment: String, Codable, Sendable {
    case development, production
}

/// A device registered for pushes: one for each activation (mobile-token.md, section 20.1).
struct PushRegistration: Equatable, Sendable {
    /// The key of the row; nil before it is stored.
    var id: Int64?
    /// The row of the application.
    var application: Int64
    var token: String
    var platform: PushPlatform
    var environment: PushEnvironment?
    var activationId: Identifier
    var userId: Identifier
    /// Whether the activation can be used.
    var isActive: Bool
    var lastRegistered: ServerTime
}
