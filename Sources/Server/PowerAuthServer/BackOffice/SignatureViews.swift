import PowerAuthProtocol

/// The answer of both verifications (server.md, section 8.1). All fields are always present.
struct SignatureVerdictView: Codable {
    let signatureValid: Bool
    let activationStatus: String
    @ExplicitNull var blockedReason: String?
    let activationId: Identifier
    @ExplicitNull var userId: Identifier?
    @ExplicitNull var applicationId: Identifier?
    @ExplicitNull var signatureType: String?
    @ExplicitNull var remainingAttempts: Int?
    let applicationRoles: [Identifier]
    let activationFlags: [Identifier]

    /// A signature that was not looked at reveals the state only.
    init(activationId: Identifier, type: SignatureType, verdict: SignatureVerdict) {
        self.activationId = activationId
        signatureValid = verdict.isValid
        activationStatus = (verdict.activation?.status ?? .removed).name
        switch verdict {
        case .unknownActivation, .refused:
            applicationRoles = []
            activationFlags = []
            blockedReason = nil
            userId = nil
            applicationId = nil
            signatureType = nil
            remainingAttempts = nil
        case .valid(let activation), .invalid(let activation):
            blockedReason = activation.lifecycle.blockedReason
            userId = activation.userId
            applicationId = activation.application.id
            signatureType = type.name
            remainingAttempts =
                activation.maxFailedAttempts - (verdict.isValid ? 0 : activation.failedAttempts)
            applicationRoles = activation.application.roles
            activationFlags = activation.flags
        }
    }
}

/// The answer of `/signature/list` (server.md, section 8.7).
struct SignatureAuditView: Codable {
    struct Item: Codable {
        let id: Int64
        let timestampCreated: BackOfficeDate
        let userId: Identifier
        let applicationId: Identifier
        let activationId: Identifier
        @ExplicitNull var activationCounter: Int64?
        @ExplicitNull var activationCtrData: String?
        let activationStatus: String
        let additionalInfo: [SignatureAudit.Info]
        let dataBase64: String
        @ExplicitNull var signatureVersion: String?
        let signatureType: String
        let signature: String
        let valid: Bool
        let note: String
        @ExplicitNull var version: Int?

        init(_ item: SignatureAuditStore.Item) {
            id = item.id
            timestampCreated = BackOfficeDate(item.created)
            userId = item.userId
            applicationId = item.applicationId
            activationId = item.activationId
            activationCounter = item.counter
            activationCtrData = item.counterData.map { StrictBase64.encode($0) }
            activationStatus = item.status.name
            additionalInfo = item.info
            dataBase64 = StrictBase64.encode(item.data)
            signatureVersion = item.versionText
            signatureType = item.type
            signature = item.signature
            valid = item.isValid
            note = item.note
            version = item.activationVersion
        }
    }
    let items: [Item]
}
