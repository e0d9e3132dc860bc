public import Foundation

/// An operation that waits for its user, or waited for one (mobile-token.md, section 7.1).
///
/// An app that needs more keys makes a subclass, decodes them in `init(from:)`, calls super, and gives the type to the
/// factory of the service. Thread rule: one thread at a time, usually the main thread.
open class WMTUserOperation: WMTOperation, Decodable {
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

    private enum Key: String, CodingKey {
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
        let container = try decoder.container(keyedBy: Key.self)
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
