// SPDX-License-Identifier: Apache-2.0

/// The version string of a V3 protocol header (protocol.md, section 1).
///
/// Not to be confused with the version of an activation (2 or 3) in the status blob.
public enum ProtocolVersion: String, CaseIterable, Comparable, Codable, Sendable {
    /// ECIES without nonce, decimal signatures (SDK 1.0 – 1.2).
    case v3_0 = "3.0"
    /// ECIES with a request nonce, Base64 signatures, status challenge (SDK 1.3 – 1.7).
    case v3_1 = "3.1"
    /// ECIES with timestamp and associated data, token digest covers the version (SDK 1.8).
    case v3_2 = "3.2"
    /// Temporary encryption keys (SDK 1.9).
    case v3_3 = "3.3"

    /// Reads the version of a header.
    /// - Throws: ``ProtocolError/unsupportedVersion(_:)`` for anything but the four known strings.
    public init(header: String) throws {
        guard let version = Self(rawValue: header) else { throw ProtocolError.unsupportedVersion(header) }
        self = version
    }

    /// Older versions come first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The request carries a nonce and the initialisation vector is derived from it.
    public var usesRequestNonce: Bool { self >= .v3_1 }
    /// Requests and responses carry a timestamp, and the authentication code covers associated data.
    public var usesTimestamp: Bool { self >= .v3_2 }
    /// The response has a nonce of its own.
    public var usesResponseNonce: Bool { self >= .v3_2 }
    /// Requests are encrypted for a temporary key and name it.
    public var usesTemporaryKey: Bool { self >= .v3_3 }
    /// The status blob has an initialisation vector derived from challenge and nonce, and carries counter data.
    public var usesStatusChallenge: Bool { self >= .v3_1 }
}
