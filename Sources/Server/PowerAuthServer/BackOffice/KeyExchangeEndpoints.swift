import PowerAuthProtocol

/// The key exchanges that a mobile-facing server passes on: `/activation/prepare`, `/activation/create` and
/// `/activation/recovery/create` (server.md, sections 7.2 to 7.4).
struct KeyExchangeEndpoints: Sendable {
    let context: ServiceContext

    private struct PrepareFields: Decodable, Sendable {
        var activationCode: Identifier?
        var generateRecoveryCodes: Bool?
    }

    private struct CreateFields: Decodable, Sendable {
        var userId: Identifier?
        var timestampActivationExpire: RequestedDate?
        var maxFailureCount: LenientInteger?
        var activationOtp: String?
        var generateRecoveryCodes: Bool?
    }

    private struct RecoveryFields: Decodable, Sendable {
        var recoveryCode: Identifier?
        var puk: String?
        var maxFailureCount: LenientInteger?
        var activationOtp: String?
        var generateRecoveryCodes: Bool?
    }

    private struct ExchangedView: Codable {
        let activationId: Identifier
        let userId: Identifier
        let applicationId: Identifier
        let encryptedData: String
        let mac: String
        @ExplicitNull var nonce: String?
        @ExplicitNull var timestamp: UInt64?
        let activationStatus: String

        init(_ exchanged: KeyExchangeService.Exchanged) {
            let sealed = SealedView(exchanged.response)
            activationId = exchanged.activation.id
            userId = exchanged.activation.userId
            applicationId = exchanged.activation.application.id
            encryptedData = sealed.encryptedData
            mac = sealed.mac
            nonce = sealed.nonce
            timestamp = sealed.timestamp
            activationStatus = exchanged.activation.status.name
        }
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/activation/prepare") { (request: BackOfficeEnvelope<PrepareFields>) in
                ExchangedView(
                    try KeyExchangeService(context: context).exchange(
                        activationCode: request.fields.activationCode,
                        generatesRecoveryCode: request.fields.generateRecoveryCodes ?? false,
                        sealed: request.application(infersVersion: true)))
            },
            .backOffice("/activation/create") { (request: BackOfficeEnvelope<CreateFields>) in
                let fields = request.fields
                return ExchangedView(
                    try ActivationCreationService(context: context).create(
                        .init(
                            userId: fields.userId, expires: fields.timestampActivationExpire?.time,
                            maxFailureCount: fields.maxFailureCount.map { Int($0.value) }, otp: fields.activationOtp),
                        generatesRecoveryCode: fields.generateRecoveryCodes ?? true, sealed: request.application()))
            },
            .backOffice("/activation/recovery/create") { (request: BackOfficeEnvelope<RecoveryFields>) in
                let fields = request.fields
                return ExchangedView(
                    try RecoveryActivationService(context: context).recover(
                        .init(
                            code: fields.recoveryCode, puk: fields.puk,
                            maxFailureCount: fields.maxFailureCount.map { Int($0.value) }, otp: fields.activationOtp,
                            generatesRecoveryCode: fields.generateRecoveryCodes ?? true),
                        sealed: request.application()))
            },
        ]
    }
}
