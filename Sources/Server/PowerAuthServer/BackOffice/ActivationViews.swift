import Foundation
import PowerAuthProtocol

/// The answer of `/activation/status` (server.md, section 7.7). All fields are always present.
struct ActivationStatusView: Codable {
    let activationId: Identifier
    let activationStatus: String
    let activationOtpValidation: String
    let commitPhase: String
    @ExplicitNull var blockedReason: String?
    @ExplicitNull var activationName: String?
    let userId: Identifier
    @ExplicitNull var extras: String?
    var `protocol` = "powerauth"
    @ExplicitNull var externalId: Identifier?
    @ExplicitNull var platform: String?
    @ExplicitNull var deviceInfo: String?
    @ExplicitNull var applicationId: Identifier?
    let failedAttempts: Int
    let maxFailedAttempts: Int
    let timestampCreated: BackOfficeDate
    let timestampLastUsed: BackOfficeDate
    @ExplicitNull var timestampLastChange: BackOfficeDate?
    let encryptedStatusBlob: String
    @ExplicitNull var encryptedStatusBlobNonce: String?
    @ExplicitNull var activationCode: String?
    @ExplicitNull var activationSignature: String?
    @ExplicitNull var devicePublicKeyFingerprint: String?
    let version: Int
    let activationFlags: [Identifier]
    let applicationRoles: [Identifier]

    /// - Parameters:
    ///   - id: the identifier asked for.
    ///   - detail: the server's record of it.
    ///   - maxFailedAttempts: reported for an unknown activation.
    init(id: Identifier, detail: StatusService.Detail, maxFailedAttempts: Int) {
        let activation = detail.activation
        activationId = id
        activationStatus = (activation?.status ?? .removed).name
        activationOtpValidation = (activation?.otp.mode ?? .none).name
        commitPhase = (activation?.otp.commitPhase ?? .onCommit).name
        blockedReason = activation?.lifecycle.blockedReason
        activationName = activation == nil ? "unknown" : activation?.name
        userId = activation?.userId ?? Identifier(known: "unknown")
        extras = activation?.extras
        externalId = activation?.externalId
        platform = activation?.platform
        deviceInfo = activation?.deviceInfo
        applicationId = activation?.application.id
        failedAttempts = activation?.failedAttempts ?? 0
        self.maxFailedAttempts = activation?.maxFailedAttempts ?? maxFailedAttempts
        let epoch = ServerTime(milliseconds: 0)
        timestampCreated = BackOfficeDate(activation?.created ?? epoch)
        timestampLastUsed = BackOfficeDate(activation?.lastUsed ?? epoch)
        timestampLastChange = activation?.lastChange.map(BackOfficeDate.init)
        encryptedStatusBlob = StrictBase64.encode(detail.encryptedBlob)
        encryptedStatusBlobNonce = detail.blobNonce.map { StrictBase64.encode($0) }
        activationCode = detail.code?.text
        activationSignature = detail.code.map { StrictBase64.encode($0.signature) }
        devicePublicKeyFingerprint = detail.fingerprint
        version = activation?.lifecycle.binding?.version ?? 0
        activationFlags = activation?.flags ?? []
        applicationRoles = activation?.application.roles ?? []
    }
}

/// One activation in a list (server.md, section 7.9).
struct ActivationView: Codable {
    let activationId: Identifier
    let activationStatus: String
    @ExplicitNull var blockedReason: String?
    @ExplicitNull var activationName: String?
    @ExplicitNull var externalId: Identifier?
    @ExplicitNull var extras: String?
    var `protocol` = "powerauth"
    @ExplicitNull var platform: String?
    @ExplicitNull var deviceInfo: String?
    let activationFlags: [Identifier]
    let timestampCreated: BackOfficeDate
    let timestampLastUsed: BackOfficeDate
    @ExplicitNull var timestampLastChange: BackOfficeDate?
    let userId: Identifier
    let applicationId: Identifier
    @ExplicitNull var applicationName: String?
    let failedAttempts: Int
    let maxFailedAttempts: Int
    @ExplicitNull var devicePublicKeyBase64: String?
    let version: Int

    init(_ activation: Activation) {
        activationId = activation.id
        activationStatus = activation.status.name
        blockedReason = activation.lifecycle.blockedReason
        activationName = activation.name
        externalId = activation.externalId
        extras = activation.extras
        platform = activation.platform
        deviceInfo = activation.deviceInfo
        activationFlags = activation.flags
        timestampCreated = BackOfficeDate(activation.created)
        timestampLastUsed = BackOfficeDate(activation.lastUsed)
        timestampLastChange = activation.lastChange.map(BackOfficeDate.init)
        userId = activation.userId
        applicationId = activation.application.id
        applicationName = nil
        failedAttempts = activation.failedAttempts
        maxFailedAttempts = activation.maxFailedAttempts
        devicePublicKeyBase64 = activation.lifecycle.binding.map { StrictBase64.encode($0.devicePublicKey) }
        version = activation.lifecycle.binding?.version ?? 0
    }
}
