// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// The generations of the back-office API: below `/rest/v3` and below `/rest/v4`.
enum BackOfficeAPI: Sendable {
    case v3
    case v4
}

/// The names of `/rest/v4`: the resources are those of `/rest/v3`, over the same services (protocol-4.md, section 16).
enum BackOfficeV4 {
    /// The beginnings of paths that changed.
    private static let paths: [(v3: String, v4: String)] = [
        ("/signature/verify", "/auth/verify"), ("/signature/offline/", "/auth/offline/"),
        ("/signature/list", "/audit/list"), ("/signature/ecdsa/", "/dsa/"),
    ]

    /// The beginnings of paths that are gone.
    private static let gone = ["/recovery/", "/activation/recovery/"]

    /// The members of request and response objects that changed, also of the objects in their lists.
    private static let fields = [
        "signature": "authenticationCode", "signatureType": "authenticationCodeType",
        "signatureVersion": "authenticationVersion", "signatureValid": "authenticationValid",
    ]

    /// The codes that are gone; ERR0024 takes their place.
    private static let goneCodes: Set<ServiceErrorCode> = [
        .recoveryCodeAlreadyExists, .unableToGenerateRecoveryCode, .recoveryCodeNotFound, .invalidRecoveryCode,
        .invalidRecoveryConfiguration, .tokenTimestampTooOld, .tokenTimestampTooFarInFuture,
    ]

    /// The codes that are new.
    private static let newCodes: Set<ServiceErrorCode> = [.unsupportedAlgorithm, .unsupportedVersion]

    /// The resources that read messages of protocol 4 themselves; the others carry those of protocol 3 alone.
    private static let version4: Set<String> = ["/signature/verify", "/token/validate"]

    /// The error codes of an API.
    static func codes(of api: BackOfficeAPI) -> [ServiceErrorCode] {
        let hidden = api == .v3 ? newCodes : goneCodes
        return ServiceErrorCode.allCases.filter { !hidden.contains($0) }
    }

    /// The refusals of a resource, by its contract below `/rest/v3`.
    static func errors(of contract: BackOfficeContract) -> [ServiceErrorCode] {
        let hasVersion = contract.required.contains { $0 == "protocolVersion" || $0 == "signatureVersion" }
        return contract.errors.map(code) + (hasVersion ? [.unsupportedVersion] : [])
    }

    private static func code(_ code: ServiceErrorCode) -> ServiceErrorCode {
        goneCodes.contains(code) ? .invalidRequest : code
    }

    /// The changed members of a resource of `/rest/v3`. Where a key pair signs, a signature stays one.
    private static func changes(of path: String) -> [String: String] {
        path.hasPrefix("/signature/ecdsa/") ? [:] : fields
    }

    /// A resource of `/rest/v3` under its new names; nil for one that is gone.
    static func renamed(_ endpoint: Endpoint) -> Endpoint? {
        let path = endpoint.backOfficePath
        guard !gone.contains(where: { path.hasPrefix($0) }) else { return nil }
        let change = paths.first { path.hasPrefix($0.v3) }
        var renamed = endpoint
        renamed.original = endpoint.path
        renamed.path = "/rest/v4" + (change.map { $0.v4 + String(path.dropFirst($0.v3.count)) } ?? path)
        renamed.quickAnswer = nil
        let fields = changes(of: path)
        renamed.answer = { [answer = endpoint.answer] request in
            do {
                let body = try former(request.body, fields, mayBeOfVersion4: version4.contains(path))
                let response = try await answer(request.with(body: body))
                return response.with(body: current(response.body, fields))
            } catch let error as ServiceError where goneCodes.contains(error.code) {
                throw ServiceError(code(error.code), error.cause)
            }
        }
        return renamed
    }

    /// The schema of a request or response object of a resource of `/rest/v3`, with the new names.
    static func renamed(_ schema: JSONValue, of path: String) -> JSONValue { renamed(schema, changes(of: path)) }

    private static func renamed(_ schema: JSONValue, _ fields: [String: String], isOuter: Bool = true) -> JSONValue {
        guard var members = schema.objectValue else { return schema }
        if let properties = members["properties"]?.objectValue {
            let named = properties.map { name, property in
                (fields[name] ?? name, isOuter ? items(of: property, fields) : property)
            }
            members["properties"] = .object(Dictionary(named) { $1 })
        }
        if let required = members["required"]?.arrayValue {
            let names = required.compactMap(\.stringValue).map { fields[$0] ?? $0 }
            members["required"] = .array(names.sorted().map(JSONValue.string))
        }
        return .object(members)
    }

    /// The schema of a list with the new names in its elements; any other schema as it is.
    private static func items(of schema: JSONValue, _ fields: [String: String]) -> JSONValue {
        guard var members = schema.objectValue, let items = members["items"] else { return schema }
        members["items"] = renamed(items, fields, isOuter: false)
        return .object(members)
    }

    // MARK: Bodies

    /// The body of a request with the former names. A former name of the caller's own has no meaning.
    /// - Throws: `unsupportedVersion` for a message of protocol 4 that the resource cannot read.
    private static func former(
        _ body: Data, _ fields: [String: String], mayBeOfVersion4: Bool
    ) throws -> Data {
        // What cannot be read is for the resource to refuse.
        guard case .object(var envelope)? = WrittenJSON(body), case .object(let object)? = envelope["requestObject"]
        else { return body }
        if !mayBeOfVersion4, object["protocolVersion"]?.value == .string(CodeVersion.v4.text) {
            throw ServiceError(.unsupportedVersion, "this resource reads messages of protocol 3")
        }
        guard !fields.isEmpty else { return body }
        let names = Dictionary(fields.map { ($1, $0) }) { $1 }
        var renamed = WrittenJSON.Members()
        for name in object.names where fields[name] == nil { renamed[names[name] ?? name] = object[name] }
        envelope["requestObject"] = .object(renamed)
        return WrittenJSON.object(envelope).encoded()
    }

    /// The body of a response with the new names.
    private static func current(_ body: Data, _ fields: [String: String]) -> Data {
        guard !fields.isEmpty, case .object(var envelope)? = WrittenJSON(body),
            let object = envelope["responseObject"]
        else { return body }
        envelope["responseObject"] = renamed(object, fields, isOuter: true)
        return WrittenJSON.object(envelope).encoded()
    }

    private static func renamed(_ value: WrittenJSON, _ fields: [String: String], isOuter: Bool) -> WrittenJSON {
        guard case .object(let members) = value else { return value }
        var renamed = WrittenJSON.Members()
        for name in members.names {
            guard let member = members[name] else { continue }
            if isOuter, case .list(let elements) = member {
                renamed[fields[name] ?? name] = .list(elements.map { self.renamed($0, fields, isOuter: false) })
            } else {
                renamed[fields[name] ?? name] = member
            }
        }
        return .object(renamed)
    }
}
