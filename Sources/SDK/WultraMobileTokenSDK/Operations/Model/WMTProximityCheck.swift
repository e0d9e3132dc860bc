public import Foundation

/// How the proof of proximity came into the app.
public enum WMTProximityCheckType: String, Codable, Sendable {
    /// In a QR code that the user scanned.
    case qrCode = "QR_CODE"
    /// In a link that opened the app.
    case deeplink = "DEEPLINK"
}

/// The proof that the user is near the second channel, which shows a one-time password (mobile-token.md, section 10.1).
/// Thread rule: any thread.
public final class WMTProximityCheck: Decodable, Sendable {
    private enum Key: String, CodingKey {
        case totp, type, timestampReceived
    }

    /// The one-time password.
    public let totp: String
    /// How it came into the app.
    public let type: WMTProximityCheckType
    /// When it came into the app, by the device's clock unless the app sets another time.
    public let timestampReceived: Date
    /// Whether the device's clock made the timestamp; then it is corrected by the server's time when it is sent
    /// (mobile-token.md, section 24, item 18).
    let isDeviceTime: Bool

    /// - Parameters:
    ///   - totp: the one-time password.
    ///   - type: how it came into the app.
    ///   - timestampReceived: when; nil means now.
    public init(totp: String, type: WMTProximityCheckType, timestampReceived: Date? = nil) {
        self.totp = totp
        self.type = type
        self.timestampReceived = timestampReceived ?? DeviceTime.current.now()
        isDeviceTime = timestampReceived == nil
    }

    /// Reads a check.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        totp = try container.decode(String.self, forKey: .totp)
        type = try container.decode(WMTProximityCheckType.self, forKey: .type)
        timestampReceived = try container.decode(Date.self, forKey: .timestampReceived)
        isDeviceTime = false
    }
}
