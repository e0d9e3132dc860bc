import Foundation
import PowerAuthProtocol

/// One verification as the audit keeps it (server.md, section 8.7).
struct SignatureAudit: Sendable {
    /// One circumstance of a verification.
    struct Info: Codable, Sendable, Equatable {
        let key: String
        let value: String

        static func vaultUnlocked(reason: String) -> Info { Info(key: "VAULT_UNLOCKED_REASON", value: reason) }
        static let biometryAllowed = Info(key: "BIOMETRY_ALLOWED", value: "TRUE")
        static func blocked(reason: String) -> Info { Info(key: "BLOCKED_REASON", value: reason) }
    }

    /// The outcome of the verification.
    enum Note: String, Sendable {
        case ok = "signature_ok"
        case mismatch = "signature_does_not_match"
        case invalidApplication = "activation_invalid_application"
        case invalidState = "activation_invalid_state"
        case exhausted = "activation_invalid_state_ctr_mismatch"
    }

    let activationId: Identifier
    let application: Application
    let userId: Identifier
    /// Counter, counter data, status and version are those before the verification; nil without a device.
    let counter: UInt64?
    let counterData: Data?
    let status: ActivationState
    let activationVersion: Int?
    let info: [Info]
    /// The first of the authenticated bytes, with `***` in place of the application secret: as many as of any text.
    let data: Data
    /// Nil for an offline signature.
    let versionText: String?
    let type: SignatureType
    let signature: String
    let isValid: Bool
    let note: Note

    /// The record of an online verification.
    init(_ question: SignatureQuestion, _ verdict: SignatureVerdict, before: Activation) {
        self.init(
            verdict, before: before, info: question.auditInfo,
            data: question.data.bytes(applicationSecret: "***"),
            versionText: question.versionText ?? question.version.rawValue, type: question.type,
            signature: question.signature)
    }

    /// The record of any verification.
    init(
        _ verdict: SignatureVerdict, before: Activation, info: [Info], data: Data, versionText: String?,
        type: SignatureType, signature: String
    ) {
        activationId = before.id
        application = before.application
        userId = before.userId
        counter = before.lifecycle.binding?.counter
        counterData = before.lifecycle.binding?.counterData
        status = before.status
        activationVersion = before.lifecycle.binding?.version
        self.info = info + (before.lifecycle.blockedReason.map { [.blocked(reason: $0)] } ?? [])
        self.data = data.prefix(TextLimit.ordinary.characters)
        self.versionText = versionText
        self.type = type
        self.signature = String(signature.unicodeScalars.prefix(TextLimit.line.characters))
        isValid = verdict.isValid
        note =
            switch verdict {
            case .valid: .ok
            case .invalid: .mismatch
            case .unknownActivation: .invalidState
            case .refused where before.status != .active: .invalidState
            case .refused where before.failedAttempts >= before.maxFailedAttempts: .exhausted
            case .refused: .invalidApplication
            }
    }
}
