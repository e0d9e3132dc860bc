// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An operation that waits for its user, or waited for one (mobile-token.md, section 7.1).
///
/// An app that needs more keys makes a subclass, decodes them in `init(from:)`, calls super, and gives the type to the
/// factory of the service. An app may keep operations: they are written in the server's format, and read again as they
/// were (mobile-token.md, section 7.10). Thread rule: one thread at a time, usually the main thread.
open class WMTUserOperation: WMTOperation, Codable {
    /// What became of an operation.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// The user approved it.
        case approved = "APPROVED"
        /// The user rejected it.
        case rejected = "REJECTED"
        /// It waits for the user.
        case pending = "PENDING"
        /// The back end cancelled it.
        case canceled = "CANCELED"
        /// Its time was over before the user decided.
        case expired = "EXPIRED"
        /// The user failed to approve it too often.
        case failed = "FAILED"
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, data, status, statusReason, operationCreated, operationExpires, allowedSignatureType, formData,
            ui
        case proximityCheck
    }

    /// Identifier of the operation.
    public let id: String
    /// Type of the operation, such as `login`; lets an app adapt its screen.
    public let name: String
    /// The data that are signed.
    public let data: String
    /// What became of the operation.
    public let status: Status
    /// Why it has its status: a code of the back end, at most 32 characters.
    public let statusReason: String?
    /// When the operation was created.
    public let operationCreated: Date
    /// When the operation expires.
    public let operationExpires: Date
    /// How the operation can be signed.
    public let allowedSignatureType: WMTAllowedOperationSignature
    /// What is shown to the user.
    public let formData: WMTOperationFormData
    /// How the screen shall look; nil when the server does not say.
    public let ui: WMTOperationUIData?
    /// The proof that the user is near the second channel. The app sets it before it authorises the operation.
    public var proximityCheck: WMTProximityCheck?

    /// Reads an operation; the decoder's strategy defines the date format.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        data = try container.decode(String.self, forKey: .data)
        status = try container.decode(Status.self, forKey: .status)
        statusReason = container.lenient(String.self, forKey: .statusReason)
        operationCreated = try container.decode(Date.self, forKey: .operationCreated)
        operationExpires = try container.decode(Date.self, forKey: .operationExpires)
        allowedSignatureType = try container.decode(WMTAllowedOperationSignature.self, forKey: .allowedSignatureType)
        formData = try container.decode(WMTOperationFormData.self, forKey: .formData)
        ui = try container.decodeIfPresent(WMTOperationUIData.self, forKey: .ui)
        proximityCheck = container.lenient(WMTProximityCheck.self, forKey: .proximityCheck)
    }
}

/// What can be authorised or rejected (mobile-token.md, section 5.3).
public protocol WMTOperation {
    /// Identifier of the operation.
    var id: String { get }
    /// The data that are signed.
    var data: String { get }
    /// The proof that the user is near the second channel; nil without one.
    var proximityCheck: WMTProximityCheck? { get }
}

extension WMTOperation {
    /// Nil: an operation has no proof of its own.
    public var proximityCheck: WMTProximityCheck? { nil }
}

/// An operation that the app knows by other means than the list. Thread rule: any thread.
public final class WMTLocalOperation: WMTOperation, Sendable {
    /// Identifier of the operation.
    public let id: String
    /// The data that are signed.
    public let data: String

    /// - Parameters:
    ///   - id: identifier of the operation.
    ///   - data: the data that are signed.
    public init(id: String, data: String) {
        self.id = id
        self.data = data
    }
}

/// What an operation shows to the user (mobile-token.md, section 7.3).
open class WMTOperationFormData: Codable {
    private enum CodingKeys: String, CodingKey { case title, message, attributes, resultTexts }

    /// Title of the operation.
    public let title: String
    /// Message for the user.
    public let message: String
    /// One line of the screen each, in the server's order. Attributes that cannot be read are left out.
    public let attributes: [WMTOperationAttribute]
    /// What to tell the user afterwards; nil when the server does not say.
    public let resultTexts: WMTResultTexts?

    /// - Parameters:
    ///   - title: title of the operation.
    ///   - message: message for the user.
    ///   - attributes: one line of the screen each.
    ///   - resultTexts: texts for the user after the operation.
    public init(
        title: String, message: String, attributes: [WMTOperationAttribute], resultTexts: WMTResultTexts? = nil
    ) {
        self.title = title
        self.message = message
        self.attributes = attributes
        self.resultTexts = resultTexts
    }

    /// Reads the data.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        message = try container.decode(String.self, forKey: .message)
        attributes = container.lenientElements(AnyAttribute.self, forKey: .attributes)?.map(\.attribute) ?? []
        resultTexts = container.lenient(WMTResultTexts.self, forKey: .resultTexts)
    }
}

/// What to tell the user after an operation (mobile-token.md, section 7.3).
open class WMTResultTexts: Codable {
    private enum CodingKeys: String, CodingKey { case success, reject, failure }

    /// After the operation was approved.
    public let success: String?
    /// After the operation was rejected.
    public let reject: String?
    /// After the operation failed.
    public let failure: String?

    /// - Parameters:
    ///   - success: after the operation was approved.
    ///   - failure: after the operation failed.
    ///   - reject: after the operation was rejected.
    public init(success: String?, failure: String?, reject: String?) {
        self.success = success
        self.failure = failure
        self.reject = reject
    }

    /// Reads the texts.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        success = container.lenient(String.self, forKey: .success)
        reject = container.lenient(String.self, forKey: .reject)
        failure = container.lenient(String.self, forKey: .failure)
    }
}

/// How an operation can be signed (mobile-token.md, section 7.2).
open class WMTAllowedOperationSignature: Codable {
    /// How many factors the signature needs.
    public enum SignatureType: String, Codable, Sendable {
        /// Possession is enough.
        case singleFactor = "1FA"
        /// Possession, and the password or biometry.
        case twoFactors = "2FA"
    }

    /// Factors that together make an acceptable signature.
    public enum SignatureFactors: String, Codable, Sendable {
        /// The device alone.
        case possession = "possession"
        /// The device and the password.
        case possessionKnowledge = "possession_knowledge"
        /// The device and biometry.
        case possessionBiometry = "possession_biometry"
    }

    private enum CodingKeys: String, CodingKey {
        case signatureType = "type"
        case signatureFactors = "variants"
    }

    /// How many factors the signature needs.
    public let signatureType: SignatureType
    /// The combinations that the server accepts; empty for one factor.
    public let signatureFactors: [SignatureFactors]

    /// Whether the user may use biometry instead of the password.
    public var isBiometryAllowed: Bool { signatureFactors.contains(.possessionBiometry) }

    /// - Parameters:
    ///   - signatureType: how many factors the signature needs.
    ///   - signatureFactors: the combinations that the server accepts.
    public init(signatureType: SignatureType, signatureFactors: [SignatureFactors]) {
        self.signatureType = signatureType
        self.signatureFactors = signatureFactors
    }
}

/// How the proof of proximity came into the app.
public enum WMTProximityCheckType: String, Codable, Sendable {
    /// In a QR code that the user scanned.
    case qrCode = "QR_CODE"
    /// In a link that opened the app.
    case deeplink = "DEEPLINK"
}

/// The proof that the user is near the second channel, which shows a one-time password (mobile-token.md, section 10.1).
/// Thread rule: any thread; a check never changes.
open class WMTProximityCheck: Codable {
    private enum Key: String, CodingKey { case totp, type, timestampReceived, isDeviceTime }

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
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        totp = try container.decode(String.self, forKey: .totp)
        type = try container.decode(WMTProximityCheckType.self, forKey: .type)
        timestampReceived = try container.decode(Date.self, forKey: .timestampReceived)
        isDeviceTime = container.lenient(Bool.self, forKey: .isDeviceTime) ?? false
    }

    /// Writes a check. For a time by the device's clock there is one key more than in the server's format: without it,
    /// the time of a check that an app has kept would be sent uncorrected.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(totp, forKey: .totp)
        try container.encode(type, forKey: .type)
        try container.encode(timestampReceived, forKey: .timestampReceived)
        if isDeviceTime { try container.encode(true, forKey: .isDeviceTime) }
    }
}

/// Why the user rejects an operation (mobile-token.md, section 5.3).
public enum WMTRejectionReason: Equatable, Sendable {
    /// The user does not say.
    case unknown
    /// The data of the operation are wrong.
    case incorrectData
    /// The user did not start the operation.
    case unexpectedOperation
    /// A code of the app's own, sent as it is. The server may refuse one of more than 32 characters.
    case custom(String)

    /// What is sent to the server.
    public var serialized: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .incorrectData: "INCORRECT_DATA"
        case .unexpectedOperation: "UNEXPECTED_OPERATION"
        case .custom(let reason): reason
        }
    }
}
