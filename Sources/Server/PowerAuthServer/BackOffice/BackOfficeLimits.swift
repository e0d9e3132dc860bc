// SPDX-License-Identifier: Apache-2.0

import LabCore

/// The limits of a request field beside its type, in JSON Schema.
struct FieldLimit: Sendable, ExpressibleByDictionaryLiteral {
    let members: [String: JSONValue]

    init(dictionaryLiteral elements: (String, JSONValue)...) { members = Dictionary(elements) { $1 } }

    /// A text that is not empty.
    static let notEmpty: FieldLimit = ["minLength": 1]

    /// A text with something to see.
    static let notBlank: FieldLimit = ["minLength": 1, "pattern": #"\S"#]

    /// A text with something to see, of 1 to `length` characters.
    static func notBlank(upTo length: Int64) -> FieldLimit {
        ["minLength": 1, "maxLength": .integer(length), "pattern": #"\S"#]
    }

    /// A text of at most `length` characters.
    static func upTo(_ length: Int64) -> FieldLimit { ["maxLength": .integer(length)] }

    /// A list with at least one element.
    static let someElements: FieldLimit = ["minItems": 1]

    /// A list with at least one element and no duplicates.
    static let distinctElements: FieldLimit = ["minItems": 1, "uniqueItems": true]

    /// Standard Base64.
    static let base64 = FieldLimit(Base64Field.schema)

    /// A number, or one as text, that is not negative.
    static let notNegative: FieldLimit = ["minimum": 0, "pattern": "^[0-9]{1,18}$"]

    /// A number, or one as text, of at least 1.
    static let positive: FieldLimit = ["minimum": 1, "pattern": "^[1-9][0-9]{0,17}$"]

    /// A number, or one as text, within a short range.
    static func among(_ range: ClosedRange<Int64>) -> FieldLimit {
        [
            "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            "pattern": .string("^(\(range.map(String.init).joined(separator: "|")))$"),
        ]
    }

    /// One of some texts.
    static func oneOf(_ texts: [String]) -> FieldLimit { ["enum": .array(texts.map(JSONValue.string))] }

    /// An object that has some fields.
    static func having(_ fields: Set<String>) -> FieldLimit {
        ["required": .array(fields.sorted().map(JSONValue.string))]
    }

    /// An object that has some fields while its `enabled` is true.
    static func havingWhileEnabled(_ fields: Set<String>) -> FieldLimit {
        [
            "if": ["properties": ["enabled": ["const": true]], "required": ["enabled"]],
            "then": [
                "required": .array(fields.sorted().map(JSONValue.string)),
                "properties": .object(
                    Dictionary(fields.map { ($0, ["type": "string", "minLength": 1, "pattern": #"\S"#]) }) { $1 }),
            ],
        ]
    }

    private init(_ schema: JSONValue) { members = schema.objectValue?.filter { $0.key != "type" } ?? [:] }

    /// The schema with the limit at a dotted path; `*` selects the elements of a list. The rest of the schema is
    /// unchanged.
    func applied(to schema: JSONValue, at path: String) -> JSONValue {
        applied(to: schema, at: path.split(separator: ".").map(String.init)[...])
    }

    private func applied(to schema: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard var object = schema.objectValue else { return schema }
        guard let step = path.first else { return .object(limited(object)) }
        if step == "*" {
            object["items"] = object["items"].map { applied(to: $0, at: path.dropFirst()) }
        } else if var properties = object["properties"]?.objectValue, let property = properties[step] {
            properties[step] = applied(to: property, at: path.dropFirst())
            object["properties"] = .object(properties)
        }
        return .object(object)
    }

    private func limited(_ schema: [String: JSONValue]) -> [String: JSONValue] {
        var limited = schema.merging(members) { $1 }
        // The pattern of the type applies together with that of the field.
        if let pattern = schema["pattern"], let own = members["pattern"], pattern != own {
            limited["allOf"] = [["pattern": pattern]]
        }
        if let most = schema["maxLength"]?.integerValue, let own = members["maxLength"]?.integerValue {
            limited["maxLength"] = .integer(min(most, own))
        }
        // If the type accepts null, null is one of the choices.
        if let choices = members["enum"]?.arrayValue, schema["type"]?.arrayValue?.contains("null") == true {
            limited["enum"] = .array(choices + [.null])
        }
        return limited
    }
}

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
        "applicationId": notBlank, "name": line, "callbackUrl": ["minLength": 1, "pattern": "^https?://[A-Za-z0-9]"],
        "maxAttempts": positive, "authentication.httpBasic": havingWhileEnabled(["username"]),
        "authentication.oauth2": havingWhileEnabled(["tokenUri", "clientId", "clientSecret"]),
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
            "data": transient, "nonce": base64, "proximityCheck": having(["seed", "stepLength"]),
            "proximityCheck.stepLength": positive, "proximityCheck.stepCount": stepCount,
        ],
        "/signature/offline/verify": [
            "data": transient, "componentLength": among(4...8),
            "proximityCheck": having(["seed", "stepLength", "stepCount"]),
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
        "/operation/approve": ["data": ["minLength": 1, "maxLength": .integer(Int64(TextLimit.produced.characters))]],
        "/operation/cancel": ["statusReason": upTo(32)],
    ]

    private static let stepCount = among(0...Int64(OfflineSignatureService.maximumStepCount))

    /// 3.0 is decimal; everything from 3.1 on is Base64.
    private static let signatureVersion: FieldLimit = ["pattern": #"^(3\.[0-9]|[4-9]\.[0-9])$"#]
}
