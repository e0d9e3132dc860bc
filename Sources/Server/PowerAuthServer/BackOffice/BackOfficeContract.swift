// SPDX-License-Identifier: Apache-2.0

/// The contract of a back-office resource beside the shapes of its bodies: the required fields, and the business errors
/// it returns.
struct BackOfficeContract: Sendable {
    /// The fields of the request object without which the resource refuses.
    let required: [String]
    /// The codes of its refusals, in the order of the checks.
    let errors: [ServiceErrorCode]
    /// Errors whose code is not in the table of business errors.
    var others: [ErrorResponse] = []

    /// The contracts by the path below `/rest/v3` (server.md, sections 5 to 18).
    static let all: [String: BackOfficeContract] = [
        "/status": .init([]),
        "/error/list": .init([]),
        "/telemetry/report": .init(["name"], .invalidRequest, others: [.telemetry("")]),
    ].merging(applications) { $1 }.merging(activations) { $1 }.merging(signatures) { $1 }
        .merging(encrypted) { $1 }.merging(recovery) { $1 }.merging(integrations) { $1 }.merging(operations) { $1 }

    private init(_ required: [String], _ errors: ServiceErrorCode..., others: [ErrorResponse] = []) {
        self.required = required
        self.errors = errors
        self.others = others
    }

    private static let applications: [String: BackOfficeContract] = [
        "/application/list": .init([]),
        "/application/create": .init(["applicationId"], .invalidRequest, .duplicateApplication),
        "/application/detail": .init(["applicationId"], .invalidRequest, .invalidApplication, .noMasterServerKeyPair),
        "/application/detail/version": .init(["applicationKey"], .invalidRequest, .invalidApplication),
        "/application/version/create": .init(
            ["applicationId", "applicationVersionId"], .invalidRequest, .invalidApplication, .duplicateApplication,
            .noMasterServerKeyPair),
        "/application/version/support": .init(["applicationVersionId"], .invalidRequest, .invalidApplication),
        "/application/version/unsupport": .init(["applicationVersionId"], .invalidRequest, .invalidApplication),
        "/application/roles/list": .init(["applicationId"], .invalidRequest, .invalidApplication),
        "/application/roles/create": .init(
            ["applicationId", "applicationRoles"], .invalidRequest, .invalidApplication),
        "/application/roles/update": .init(
            ["applicationId", "applicationRoles"], .invalidRequest, .invalidApplication),
        "/application/roles/remove": .init(
            ["applicationId", "applicationRoles"], .invalidRequest, .invalidApplication),
        "/application/config/detail": .init(["applicationId"], .invalidRequest),
        "/application/config/create": .init(["applicationId", "key", "values"], .invalidRequest, .invalidApplication),
        "/application/config/remove": .init(["applicationId", "key"], .invalidRequest, .invalidApplication),
    ]

    private static let activations: [String: BackOfficeContract] = [
        "/activation/init": .init(
            ["userId", "applicationId"], .invalidRequest, .noApplicationId, .invalidApplication,
            .activationCreateFailure, .noMasterServerKeyPair, .incorrectMasterServerKeyPair,
            .unableToGenerateActivationId, .unableToGenerateActivationCode),
        "/activation/prepare": .init(
            ["activationCode", "applicationKey"] + envelope, .decryptionFailed, .invalidRequest, .activationExpired,
            .missingTemporaryKey, .noMasterServerKeyPair, .invalidInputFormat, .activationNotFound,
            .invalidActivationOtp),
        "/activation/create": .init(
            ["userId", "applicationKey", "protocolVersion"] + envelope, .decryptionFailed, .invalidRequest,
            .invalidApplication, .missingTemporaryKey, .noMasterServerKeyPair, .invalidInputFormat,
            .activationExpired, .activationCreateFailure, .incorrectMasterServerKeyPair,
            .unableToGenerateActivationId, .unableToGenerateActivationCode, .invalidActivationOtp),
        "/activation/recovery/create": .init(
            ["recoveryCode", "puk", "applicationKey", "protocolVersion"] + envelope, .decryptionFailed, .invalidRequest,
            .missingTemporaryKey, .noMasterServerKeyPair, .invalidInputFormat, .activationExpired, .invalidRecoveryCode,
            .activationCreateFailure, .incorrectMasterServerKeyPair, .unableToGenerateActivationId,
            .unableToGenerateActivationCode, .invalidActivationOtp, others: [.recovery(expectedPukIndex: 1)]),
        "/activation/otp/update": .init(
            ["activationId", "activationOtp"], .invalidRequest, .activationNotFound, .activationIncorrectState,
            .invalidActivationOtpMode),
        "/activation/commit": .init(
            ["activationId"], .invalidRequest, .activationNotFound, .activationExpired, .activationIncorrectState,
            .invalidActivationOtp),
        "/activation/status": .init(
            ["activationId"], .invalidRequest, .genericCryptographyError, .noMasterServerKeyPair,
            .incorrectMasterServerKeyPair),
        "/activation/block": .init(["activationId"], .invalidRequest, .activationNotFound, .activationIncorrectState),
        "/activation/unblock": .init(["activationId"], .invalidRequest, .activationNotFound, .activationIncorrectState),
        "/activation/remove": .init(["activationId"], .invalidRequest, .activationNotFound),
        "/activation/list": .init(["userId"], .invalidRequest),
        "/activation/lookup": .init(["userIds"], .invalidRequest),
        "/activation/status/update": .init(
            ["activationIds", "activationStatus"], .invalidRequest, .activationNotFound, .activationIncorrectState),
        "/activation/name/update": .init(
            ["activationId", "activationName", "externalUserId"], .invalidRequest, .activationNotFound,
            .activationIncorrectState),
        "/activation/history": .init(["activationId"], .invalidRequest),
        "/activation/flags/list": .init(["activationId"], .invalidRequest, .activationNotFound),
        "/activation/flags/create": .init(["activationId", "activationFlags"], .invalidRequest, .activationNotFound),
        "/activation/flags/update": .init(["activationId", "activationFlags"], .invalidRequest, .activationNotFound),
        "/activation/flags/remove": .init(["activationId", "activationFlags"], .invalidRequest, .activationNotFound),
    ]

    private static let signatures: [String: BackOfficeContract] = [
        "/signature/verify": .init(
            ["activationId", "applicationKey", "data", "signature", "signatureType", "signatureVersion"],
            .invalidRequest, .unableToComputeSignature),
        "/signature/offline/personalized/create": .init(
            ["activationId", "data"], .invalidRequest, .activationNotFound),
        "/signature/offline/non-personalized/create": .init(
            ["applicationId", "data"], .invalidRequest, .invalidApplication, .noMasterServerKeyPair),
        "/signature/offline/verify": .init(
            ["activationId", "data", "signature"], .invalidRequest, .invalidCryptographyProvider),
        "/signature/ecdsa/verify": .init(["activationId", "data", "signature"], .invalidRequest, .invalidKeyFormat),
        "/signature/ecdsa/sign": .init(
            ["activationId", "data"], .invalidRequest, .activationNotFound, .activationIncorrectState,
            .invalidKeyFormat),
        "/signature/list": .init(["userId"], .invalidRequest),
    ]

    /// The members of an encrypted message that every protocol version has.
    private static let envelope = ["ephemeralPublicKey", "encryptedData", "mac"]

    private static let encrypted: [String: BackOfficeContract] = [
        "/token/create": .init(
            ["activationId", "applicationKey", "signatureType", "protocolVersion"] + envelope, .invalidRequest,
            .activationNotFound, .activationIncorrectState, .invalidApplication, .missingTemporaryKey,
            .decryptionFailed),
        "/token/validate": .init(
            ["tokenId", "tokenDigest", "nonce", "timestamp"], .invalidRequest, .tokenTimestampTooOld,
            .tokenTimestampTooFarInFuture, .genericCryptographyError),
        "/token/remove": .init(["tokenId"], .invalidRequest),
        "/vault/unlock": .init(
            ["activationId", "applicationKey", "signedData", "signature", "signatureType", "signatureVersion"]
                + envelope, .invalidRequest, .invalidSignature, .decryptionFailed, .missingTemporaryKey,
            .invalidInputFormat),
        "/ecies/decryptor": .init(
            ["applicationKey", "ephemeralPublicKey", "protocolVersion"], .invalidRequest, .decryptionFailed,
            .invalidApplication, .activationNotFound, .activationIncorrectState, .missingTemporaryKey,
            .noMasterServerKeyPair),
        "/keystore/create": .init(
            ["jwt"], .invalidRequest, .invalidApplication, .activationNotFound, .noMasterServerKeyPair,
            .incorrectMasterServerKeyPair),
        "/keystore/remove": .init(["id"], .invalidRequest),
        "/upgrade/start": .init(
            ["activationId", "applicationKey", "protocolVersion"] + envelope, .invalidRequest, .decryptionFailed,
            .activationNotFound, .activationIncorrectState, .invalidApplication, .missingTemporaryKey),
        "/upgrade/commit": .init(
            ["activationId", "applicationKey"], .decryptionFailed, .activationNotFound, .activationIncorrectState,
            .invalidApplication),
    ]

    private static let recovery: [String: BackOfficeContract] = [
        "/recovery/config/detail": .init(["applicationId"], .invalidRequest),
        "/recovery/config/update": .init(["applicationId"], .invalidRequest, .invalidKeyFormat),
        "/recovery/create": .init(
            ["applicationId", "userId", "pukCount"], .invalidRequest, .invalidRecoveryConfiguration,
            .invalidKeyFormat, .recoveryCodeAlreadyExists, .unableToGenerateRecoveryCode),
        "/recovery/confirm": .init(
            ["activationId", "applicationKey", "protocolVersion"] + envelope, .invalidRequest, .activationNotFound,
            .activationIncorrectState, .invalidApplication, .missingTemporaryKey, .decryptionFailed,
            .recoveryCodeNotFound),
        "/recovery/lookup": .init([], .invalidRequest),
        "/recovery/revoke": .init(["recoveryCodeIds"], .invalidRequest),
    ]

    private static let integrations: [String: BackOfficeContract] = [
        "/integration/create": .init(["name"], .invalidRequest),
        "/integration/list": .init([]),
        "/integration/remove": .init(["id"], .invalidRequest),
        "/application/callback/create": .init(
            ["applicationId", "name", "type", "callbackUrl"], .invalidRequest, .invalidApplication, .invalidURLFormat),
        "/application/callback/update": .init(
            ["id", "applicationId", "name", "type", "callbackUrl"], .invalidRequest, .invalidURLFormat),
        "/application/callback/list": .init(["applicationId"], .invalidRequest, .invalidApplication),
        "/application/callback/remove": .init(["id"], .invalidRequest),
        "/application/callback/deliveries": .init(["id"], .invalidRequest),
    ]

    private static let operations: [String: BackOfficeContract] = [
        "/operation/template/list": .init([]),
        "/operation/template/detail": .init(["id"], .invalidRequest, .operationTemplateNotFound),
        "/operation/template/create": .init(
            ["templateName", "operationType", "dataTemplate", "signatureType", "maxFailureCount", "expiration"],
            .invalidRequest, .operationTemplateAlreadyExists),
        "/operation/template/update": .init(
            ["id", "operationType", "dataTemplate", "signatureType", "maxFailureCount", "expiration"],
            .invalidRequest, .operationTemplateNotFound),
        "/operation/template/remove": .init(["id"], .invalidRequest, .operationTemplateNotFound),
        "/operation/create": .init(
            ["applications", "templateName"], .invalidRequest, .operationTemplateNotFound, .invalidApplication,
            .unableToGenerateToken),
        "/operation/detail": .init(["operationId"], .invalidRequest, .operationNotFound),
        "/operation/claim": .init(["operationId", "userId"], .invalidRequest, .operationNotFound),
        "/operation/list": .init(["userId", "applications"], .noUserId, .invalidRequest, .invalidApplication),
        "/operation/list/pending": .init(["userId", "applications"], .noUserId, .invalidRequest, .invalidApplication),
        "/operation/list/external": .init(["externalId", "applications"], .invalidRequest, .invalidApplication),
        "/operation/approve": .init(
            ["operationId", "userId", "applicationId", "data", "signatureType"], .invalidRequest,
            .operationApproveFailure, .invalidApplication),
        "/operation/approve/fail": .init(["operationId"], .invalidRequest, .operationNotFound, .operationInvalidState),
        "/operation/reject": .init(
            ["operationId", "userId", "applicationId"], .invalidRequest, .operationRejectFailure, .invalidApplication),
        "/operation/cancel": .init(["operationId"], .invalidRequest, .operationNotFound, .operationInvalidState),
    ]
}
