// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An operation that came in a QR code and is approved without a connection (mobile-token.md, section 9). It has the
/// content of the code: verify ``signedData`` with ``signature`` before showing any of it.
public struct WMTQROperation: Equatable, Sendable {
    /// Identifier of the operation.
    public let operationId: String
    /// Title for the user; may be empty.
    public let title: String
    /// Message for the user; may be empty.
    public let message: String
    /// The data to approve.
    public let operationData: WMTQROperationData
    /// Base64 of the 16 bytes that the code is computed with.
    public let nonce: String
    /// How the operation may be approved and shown.
    public let flags: QROperationFlags
    /// The proximity code; nil without one.
    public let totp: String?
    /// The bytes that the server has signed.
    public let signedData: Data
    /// The server's signature.
    public let signature: WMTQROperationSignature
    /// Whether the code has lines that this version does not know.
    public let isNewerFormat: Bool

    /// The data that the code for the user is computed from.
    public var dataForOfflineSigning: Data {
        let parts = [operationId, operationData.sourceString] + (totp.map { [$0] } ?? [])
        return Data(parts.joined(separator: "&").utf8)
    }

    /// The nonce that the code for the user is computed with.
    public var nonceForOfflineSigning: String { nonce }
}

/// The data of an operation in a QR code (mobile-token.md, section 9.3).
public struct WMTQROperationData: Equatable, Sendable {
    /// Version of the format.
    public enum Version: Character, Sendable {
        /// The one that this version knows.
        case v1 = "A"
        /// A newer one.
        case vX = "*"
    }

    /// One part of the data.
    public enum Field: Equatable, Sendable {
        /// An amount of money; the currency in capital letters.
        case amount(amount: Decimal, currency: String)
        /// An account by its IBAN, and the code of its bank.
        case account(iban: String, bic: String?)
        /// An account in another form.
        case anyAccount(account: String)
        /// A day: its first moment where the device is. See ``plainDate``.
        case date(date: Date)
        /// A reference.
        case reference(text: String)
        /// A note.
        case note(text: String)
        /// Any text.
        case text(text: String)
        /// A kind of field that this version does not know.
        case fallback(text: String, fieldType: Character)
        /// A field that is left out.
        case empty

        /// Year, month and day of a date, independent of the user's calendar; nil for other fields.
        public var plainDate: DateComponents? {
            if case .date(let date) = self {
                QRFieldReader.calendar.dateComponents([.year, .month, .day], from: date)
            } else {
                nil
            }
        }
    }

    /// Version of the format.
    public let version: Version
    /// Number of the form: 0 for any operation, 1 for a payment, 2 for a login.
    public let templateId: Int
    /// The parts, in order; at most six.
    public let fields: [Field]
    /// The data as they are signed.
    public let sourceString: String
}

/// How an operation in a QR code may be approved and shown (mobile-token.md, section 9.2).
public struct QROperationFlags: Equatable, Sendable {
    /// Whether biometry may stand for the password.
    public let allowBiometryFactor: Bool
    /// Whether the buttons to approve and to reject change places.
    public let flipButtons: Bool
    /// Whether the user is to be warned of a fraud.
    public let fraudWarning: Bool
    /// Whether the operation must not be approved during a phone call.
    public let blockWhenOnCall: Bool

    /// - Parameter text: one character a flag; unknown ones do not count.
    init(_ text: String) {
        allowBiometryFactor = text.contains("B")
        flipButtons = text.contains("X")
        fraudWarning = text.contains("F")
        blockWhenOnCall = text.contains("C")
    }
}

/// The server's signature of a QR code.
public struct WMTQROperationSignature: Equatable, Sendable {
    /// Whose key signed.
    public enum SigningKey: Character, Sendable {
        /// The application's: the code is for any device.
        case master = "0"
        /// The activation's: the code is for one device.
        case personalized = "1"
    }

    /// Whose key signed.
    public let signingKey: SigningKey
    /// Base64 of the signature (DER).
    public let signature: String
}
