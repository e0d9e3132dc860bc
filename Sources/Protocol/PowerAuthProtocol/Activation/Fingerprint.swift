import Foundation

/// Eight digits by which a user compares both sides of an activation (protocol.md, section 6.4).
public enum Fingerprint {
    /// The fingerprint of a V3 activation, and of every activation that is not complete yet.
    public static func v3(device: PublicKey, activationId: String, server: PublicKey) -> String {
        digits(of: device.normalizedX + Data(activationId.utf8) + server.normalizedX)
    }

    /// The fingerprint of a V2 activation.
    public static func v2(device: PublicKey) -> String { digits(of: device.normalizedX) }

    private static func digits(of data: Data) -> String {
        // A hash always has the four bytes and eight is a valid length, so neither error can occur.
        (try? Decimalization.decimal(Digest.sha256(data), length: 8)) ?? ""
    }
}
