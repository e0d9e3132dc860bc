import LabKit

extension FieldLimit {
    /// The limits of the fields of a back-office resource by dotted path; `*` goes into the elements of a list.
    static func of(_ path: String) -> [String: FieldLimit] {
        // Encrypted fields are Base64 everywhere.
        let sealed = ["encryptedData", "mac", "nonce", "ephemeralPublicKey"].map { ($0, base64) }
        return Dictionary(sealed) { $1 }.merging(own(path)) { $1 }
    }

    /// Those that only this resource has.
    static func own(_ path: String) -> [String: FieldLimit] { resources[path] ?? [:] }

    /// The product of both must not overflow.
    private static let page: [String: FieldLimit] = [
        "pageNumber": ["minimum": 0, "maximum": 2_147_483_647, "pattern": "^[0-9]{1,9}$"],
        "pageSize": ["minimum": 1, "maximum": 2_147_483_647, "pattern": "^[1-9][0-9]{0,8}$"],
    ]

    private static let callback: [String: FieldLimit] = [
        "applicationId": notBlank, "name": line,
        "callbackUrl": ["minLength": 1, "pattern": "^https?://[A-Za-z0-9]"],
        "maxAttempts": positive, "authentication.httpBasic": havingWhileEnabled("username"),
        "authentication.oauth2": havingWhileEnabled("tokenUri", "clientId", "clientSecret"),
    ]

    /// Texts that are checked and not stored.
    private static let transient = upTo(Int64(TextLimit.transient.characters))
    /// A name of at most one line.
    private static let line = notBlank(upTo: Int64(TextLimit.line.characters))

    private static let template: [String: FieldLimit] = [
        "operationType": notEmpty, "dataTemplate": notEmpty, "riskFlags": upTo(Int64(TextLimit.line.characters)),
        "signatureType": distinctElements, "maxFailureCount": positive, "expiration": positive,
    ]

    /// Protocol versions as a caller may name them.
    private static let versions = oneOf(["3.0", "3.1", "3.2", "3.3"])

    private static let resources: [String: [String: FieldLimit]] = [
        "/telemetry/report": ["name": notBlank],
        "/application/create": ["applicationId": notBlank],
        "/application/version/create": ["applicationVersionId": notBlank],
        "/application/version/support": ["applicationVersionId": notBlank],
        "/application/version/unsupport": ["applicationVersionId": notBlank],
        "/application/roles/create": ["applicationRoles": someElements],
        "/application/roles/update": ["applicationRoles": someElements],
        "/application/roles/remove": ["applicationRoles": someElements],
        "/application/config/create": [
            "key": oneOf(ApplicationSettingsService.keys),
            "values.*": [
                "anyOf": [
                    ["type": "string", "maxLength": .integer(Int64(TextLimit.produced.characters))],
                    ApplicationSettingsService.providerSchema,
                ]
            ],
        ],
        "/activation/init": [
            "userId": notBlank(upTo: 255), "applicationId": notBlank, "protocol": oneOf(["powerauth"]),
            "maxFailureCount": positive,
        ],
        "/activation/create": [
            "userId": notBlank(upTo: 255), "maxFailureCount": positive, "protocolVersion": versions,
        ],
        "/activation/recovery/create": ["maxFailureCount": positive, "protocolVersion": versions],
        "/activation/prepare": ["protocolVersion": versions],
        "/activation/otp/update": ["activationOtp": notEmpty],
        "/activation/name/update": [
            "activationId": notBlank, "activationName": line, "externalUserId": notBlank,
        ],
        "/activation/status": ["challenge": base64],
        "/activation/status/update": ["activationIds": someElements],
        "/activation/lookup": ["userIds": someElements],
        "/activation/list": page,
        "/activation/flags/create": ["activationFlags": someElements],
        "/activation/flags/update": ["activationFlags": someElements],
        "/activation/flags/remove": ["activationFlags": someElements],
        "/activation/block": ["reason": upTo(Int64(TextLimit.line.characters))],
        "/signature/verify": ["signatureVersion": signatureVersion, "data": transient],
        "/signature/offline/non-personalized/create": ["data": transient],
        "/signature/offline/personalized/create": [
            "data": transient, "nonce": base64, "proximityCheck": having("seed", "stepLength"),
            "proximityCheck.stepLength": positive,
            "proximityCheck.stepCount": stepCount,
        ],
        "/signature/offline/verify": [
            "data": transient, "componentLength": among(4...8),
            "proximityCheck": having("seed", "stepLength", "stepCount"),
            "proximityCheck.stepLength": positive, "proximityCheck.stepCount": stepCount,
        ],
        "/token/create": ["protocolVersion": versions],
        "/token/validate": ["tokenDigest": base64, "protocolVersion": versions],
        "/vault/unlock": ["signatureVersion": versions],
        "/ecies/decryptor": ["protocolVersion": versions],
        "/upgrade/start": ["protocolVersion": versions],
        "/recovery/confirm": ["protocolVersion": versions],
        "/recovery/create": ["userId": notBlank(upTo: 255), "pukCount": among(1...100)],
        "/recovery/config/update": ["remotePostcardPublicKey": base64],
        "/recovery/revoke": ["recoveryCodeIds": someElements, "recoveryCodeIds.*": notNegative],
        "/integration/create": ["name": line],
        "/application/callback/create": callback,
        "/application/callback/update": callback,
        "/operation/template/create": template.merging(["templateName": notEmpty]) { $1 },
        "/operation/template/update": template,
        "/operation/create": [
            "applications": distinctElements, "templateName": notBlank, "userId": notEmpty, "activationId": upTo(37),
            "parameters": [
                "additionalProperties": [
                    "type": "string", "pattern": #"^[^\u0000-\u0009\u000B-\u001F]*$"#,
                    "maxLength": .integer(Int64(TextLimit.parameter.characters)),
                ],
                "propertyNames": ["maxLength": .integer(Int64(TextLimit.line.characters))],
                "maxProperties": .integer(Int64(OperationService.mostParameters)),
            ],
        ],
        "/operation/claim": ["userId": notBlank],
        "/operation/list": page.merging(["userId": notBlank, "applications": distinctElements]) { $1 },
        "/operation/list/pending": page.merging(["userId": notBlank, "applications": distinctElements]) { $1 },
        "/operation/list/external": page.merging(["externalId": notBlank, "applications": distinctElements]) { $1 },
        "/operation/approve": [
            "data": ["minLength": 1, "maxLength": .integer(Int64(TextLimit.produced.characters))]
        ],
        "/operation/cancel": ["statusReason": upTo(32)],
    ]

    private static let stepCount = among(0...Int64(OfflineSignatureService.maximumStepCount))

    /// 3.0 is decimal; everything from 3.1 on is Base64.
    private static let signatureVersion: FieldLimit = ["pattern": #"^(3\.[0-9]|[4-9]\.[0-9])$"#]
}
