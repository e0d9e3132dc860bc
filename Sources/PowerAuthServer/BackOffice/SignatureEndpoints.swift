import PowerAuthProtocol

/// `/signature/verify` (server.md, section 8.1).
struct SignatureEndpoints: Sendable {
    let service: SignatureService

    private struct VerifyRequest: Decodable {
        var activationId: String?
        var applicationKey: String?
        var data: String?
        var signature: String?
        var signatureType: EnumName<SignatureType>?
        var signatureVersion: String?
    }

    private struct VerifyView: Encodable {
        let signatureValid: Bool
        let activationStatus: String
        @ExplicitNull var blockedReason: String?
        let activationId: String
        @ExplicitNull var userId: String?
        @ExplicitNull var applicationId: String?
        @ExplicitNull var signatureType: String?
        @ExplicitNull var remainingAttempts: Int?
        let applicationRoles: [String]
        let activationFlags: [String]

        /// A signature that was not looked at reveals the state only.
        init(activationId: String, type: SignatureType, verdict: SignatureVerdict) {
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
                remainingAttempts = activation.maxFailedAttempts - activation.failedAttempts
                applicationRoles = activation.application.roles
                activationFlags = activation.flags
            }
        }
    }

    var endpoints: [Endpoint] {
        [.backOffice("/signature/verify", verify)]
    }

    @Sendable private func verify(_ request: VerifyRequest) throws -> VerifyView {
        guard let activationId = request.activationId, let applicationKey = request.applicationKey,
            let data = request.data, let signature = request.signature, let type = request.signatureType?.value,
            let version = request.signatureVersion
        else {
            throw ServiceError(
                .invalidRequest,
                "activationId, applicationKey, data, signature, signatureType and signatureVersion are required")
        }
        let verdict = try service.verify(
            SignatureQuestion(
                activationId: activationId, applicationKey: applicationKey, data: .normalized(data),
                signature: signature, type: type, version: try Self.format(ofVersion: version)))
        return VerifyView(activationId: activationId, type: type, verdict: verdict)
    }

    /// The version decides the format only: decimal in 3.0, Base64 in 3.1 and everything later.
    private static func format(ofVersion text: String) throws -> ProtocolVersion {
        if text == ProtocolVersion.v3_0.rawValue { return .v3_0 }
        guard let number = Double(text), number >= 3.1 else {
            throw ServiceError(.unableToComputeSignature, "signatureVersion \(text) is unknown")
        }
        return ProtocolVersion(rawValue: text) ?? .v3_3
    }
}
