// SPDX-License-Identifier: Apache-2.0

import LabCore

/// The description of the server's resources in OpenAPI 3.1, derived from the routes themselves.
struct OpenAPIDocument: Sendable {
    let endpoints: [Endpoint]
    /// The context path below which they are called; empty for the root.
    var mountPoint = ""

    var json: JSONValue {
        var paths: [String: JSONValue] = [:]
        for endpoint in endpoints {
            var operations = paths[endpoint.path]?.objectValue ?? [:]
            for method in endpoint.methods { operations[method.lowercased()] = operation(endpoint, method) }
            paths[endpoint.path] = .object(operations)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "PowerAuth Lab server", "version": .string(ServerVersion.reported(at: mountPoint)),
                "description": """
                The mobile API (/pa/v3, /pa/v4) and the Mobile Token API (/api) are also served below /enrollment-server, the back-office API \
                (/rest/v3, /rest/v4) also below /powerauth-java-server.
                """,
            ],
            "servers": [["url": .string(mountPoint.isEmpty ? "/" : mountPoint)]],
            "paths": .object(paths),
            "components": ["schemas": schemas],
        ]
    }

    private func operation(_ endpoint: Endpoint, _ method: String) -> JSONValue {
        var operation: [String: JSONValue] = [
            "tags": [.string(endpoint.face.title)],
            "operationId": .string(method.lowercased() + endpoint.path.replacing(/[^A-Za-z0-9]+/, with: "_")),
            "responses": responses(endpoint),
        ]
        let parameters = endpoint.path.matches(of: /\{([A-Za-z]+)\}/).map { match -> JSONValue in
            ["name": .string(String(match.1)), "in": "path", "required": true, "schema": Identifier.schema]
        }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let schema = requestSchema(endpoint, method) {
            operation["requestBody"] = [
                "required": .bool(endpoint.bodies?.request != nil),
                "content": .object([endpoint.bodyType.rawValue: ["schema": schema]]),
            ]
        }
        return .object(operation)
    }

    private func requestSchema(_ endpoint: Endpoint, _ method: String) -> JSONValue? {
        guard method == "POST" || method == "PUT" else { return nil }
        switch endpoint.face {
        case .backOffice: return endpoint.requestSchema
        case .device:
            return endpoint.bodyType == .json
                ? ["anyOf": [reference("ObjectRequest"), reference("\(envelope(endpoint))Request")]] : nil
        case .mobileToken: return reference("ObjectRequest")
        case .lab: return endpoint.requestSchema ?? ["type": "object"]
        }
    }

    /// `{"status":"OK","responseObject": …}` with the fields that the resource encodes.
    private func backOfficeResponse(_ endpoint: Endpoint) -> JSONValue {
        let status: JSONValue = ["const": "OK"]
        guard let type = endpoint.bodies?.response else {
            return JSONSchema.object(["status": status], required: ["status"])
        }
        return JSONSchema.object(
            ["status": status, "responseObject": endpoint.described(JSONSchema.of(type))],
            required: ["status", "responseObject"])
    }

    private func responses(_ endpoint: Endpoint) -> JSONValue {
        func body(_ schema: JSONValue, _ description: String, _ type: String = "application/json") -> JSONValue {
            ["description": .string(description), "content": .object([type: ["schema": schema]])]
        }
        let success: JSONValue =
            switch endpoint.face {
            case .backOffice: backOfficeResponse(endpoint)
            case .device: ["anyOf": [reference("ObjectResponse"), reference("\(envelope(endpoint))Response")]]
            case .mobileToken: reference("ObjectResponse")
            case .lab: ["type": endpoint.answerType == "application/json" ? "object" : "string"]
            }
        var responses: [String: JSONValue] = ["200": body(success, "Success", endpoint.answerType)]
        var failures: [ErrorResponse] = [.methodNotAllowed, .bodyTooLarge, .overloaded, .unexpected]
        switch endpoint.face {
        case .device, .mobileToken: failures += [endpoint.fallback] + endpoint.otherFailures
        case .backOffice:
            failures.append(.authentication)
            if endpoint.bodies?.request != nil { failures.append(.malformedRequest("")) }
            if let contract = endpoint.contract {
                let codes = endpoint.original == nil ? contract.errors : BackOfficeV4.errors(of: contract)
                failures += codes.map(ErrorResponse.service) + contract.others
            }
        case .lab: failures += [.malformedRequest(""), .authentication] + endpoint.otherFailures
        }
        if endpoint.bodyType != .unread { failures.append(.unsupportedMediaType(endpoint.bodyType)) }
        if endpoint.face.isForTools { failures += [.misdirected, .foreignOrigin] }
        for failure in failures {
            let codes = failures.filter { $0.status == failure.status }.map { $0.code(on: endpoint.face) }
            responses["\(failure.status)"] = body(
                reference("ErrorResponse"), Set(codes).sorted().joined(separator: ", "))
        }
        var methods = responses["405"]?.objectValue ?? [:]
        methods["headers"] = ["Allow": ["required": true, "schema": ["type": "string"]]]
        responses["405"] = .object(methods)
        return .object(responses)
    }

    /// How the schemas of a device resource's envelopes begin.
    private func envelope(_ endpoint: Endpoint) -> String {
        endpoint.path.hasPrefix("/pa/v4/") ? "Aead" : "Encrypted"
    }

    private func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/" + schema)] }

    private var schemas: JSONValue {
        func object(_ properties: [String: JSONValue], required: [JSONValue]) -> JSONValue {
            ["type": "object", "properties": .object(properties), "required": .array(required)]
        }
        let text: JSONValue = ["type": "string"]
        let base64 = Base64Field.schema
        let time: JSONValue = ["type": "integer", "description": "Milliseconds of Unix time"]
        return [
            "ObjectRequest": object(["requestObject": ["type": "object"]], required: ["requestObject"]),
            "ObjectResponse": object(
                ["status": ["const": "OK"], "responseObject": ["type": "object"]], required: ["status"]),
            "ErrorResponse": object(
                [
                    "status": ["const": "ERROR"],
                    "responseObject": object(
                        [
                            "code": text, "message": text, "localizedMessage": text,
                            "currentRecoveryPukIndex": ["type": "integer"],
                        ], required: ["code", "message"]),
                ], required: ["status", "responseObject"]),
            "EncryptedRequest": object(
                [
                    "temporaryKeyId": Identifier.schema, "ephemeralPublicKey": base64, "encryptedData": base64,
                    "mac": base64, "nonce": base64, "timestamp": time,
                ], required: ["ephemeralPublicKey", "encryptedData", "mac"]),
            "EncryptedResponse": object(
                ["encryptedData": base64, "mac": base64, "nonce": base64, "timestamp": time],
                required: ["encryptedData", "mac"]),
            "AeadRequest": object(
                [
                    "temporaryKeyId": Identifier.schema, "encryptedData": base64, "nonce": base64, "timestamp": time,
                ], required: ["temporaryKeyId", "encryptedData", "nonce", "timestamp"]),
            "AeadResponse": object(
                ["encryptedData": base64, "timestamp": time], required: ["encryptedData", "timestamp"]),
        ]
    }
}

extension Endpoint {
    /// The contract of a back-office resource; nil for other API surfaces.
    var contract: BackOfficeContract? { face == .backOffice ? BackOfficeContract.all[backOfficePath] : nil }

    /// The path of a back-office resource below `/rest/v3`, also for one that has another name below `/rest/v4`.
    var backOfficePath: String { String((original ?? path).dropFirst("/rest/v3".count)) }
}

extension APISurface {
    /// How the document calls the API.
    fileprivate var title: String {
        switch self {
        case .device: "Mobile API"
        case .mobileToken: "Mobile Token API"
        case .backOffice: "Back office"
        case .lab: "Lab and operations"
        }
    }
}
