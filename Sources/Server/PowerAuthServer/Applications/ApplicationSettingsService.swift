// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol

/// Roles and configuration values of applications (server.md, sections 6.3 and 6.4).
struct ApplicationSettingsService: Sendable {
    let context: ServiceContext

    // MARK: Roles

    /// - Throws: `invalidRequest` without identifier, `invalidApplication` for an unknown application.
    func application(id: Identifier?) throws -> Application {
        try context.read { try ApplicationStore.required($0, id: id) }
    }

    /// Changes the roles.
    /// - Throws: `invalidRequest` without any role, `invalidApplication` for an unknown application.
    func changeRoles(
        applicationId: Identifier?, _ roles: [Identifier]?, _ kind: ActivationService.ListChange
    ) throws -> Application {
        guard let roles, !roles.isEmpty else { throw ServiceError(.invalidRequest, "applicationRoles is empty") }
        return try context.change { change in
            let application = try ApplicationStore.required(change.database, id: applicationId)
            let changed = Application(
                row: application.row, id: application.id, roles: try kind.applied(roles, to: application.roles),
                algorithms: application.algorithms)
            try change.database.execute(
                sql: "UPDATE application SET roles = ? WHERE id = ?",
                arguments: [TextList.encode(changed.roles), changed.row])
            change.noteApplicationChange()
            return changed
        }
    }

    // MARK: Configuration

    /// The keys that are accepted.
    static let keys = textKeys + [providersKey, algorithmsKey]
    private static let textKeys = ["fido2_attestation_fmt_allowed", "fido2_aaguids_allowed", "fido2_root_ca_certs"]
    private static let providersKey = "oauth2_providers"
    /// Read with every application, see ``ApplicationColumn``.
    private static let algorithmsKey = "cryptography_algorithms_supported"

    /// The suites of protocol 4, and that of version 3 (protocol-4.md, section 1).
    private static let algorithms = ["EC_P256"] + CryptographySuite.Name.allCases.map(\.rawValue)

    /// The required texts of an identity provider.
    private static let providerFields = ["providerId", "clientId", "clientSecret", "issuerUri", "redirectUri"]

    /// The JSON Schema of an identity provider.
    static var providerSchema: JSONValue {
        let text: JSONValue = ["type": "string", "minLength": 1, "pattern": #"\S"#]
        return [
            "type": "object", "properties": .object(Dictionary(providerFields.map { ($0, text) }) { $1 }),
            "required": .array(providerFields.map(JSONValue.string)), "additionalProperties": [:],
        ]
    }

    /// What each accepted key holds a list of.
    private enum ElementKind {
        case text
        case oauth2Provider
        case algorithm

        init?(key: String) {
            switch key {
            case providersKey: self = .oauth2Provider
            case algorithmsKey: self = .algorithm
            case _ where textKeys.contains(key): self = .text
            default: return nil
            }
        }

        func accepts(_ value: JSONValue) -> Bool {
            switch self {
            case .text: value.stringValue != nil
            case .algorithm: value.stringValue.map { algorithms.contains($0) } ?? false
            case .oauth2Provider:
                providerFields.allSatisfy { value[$0]?.stringValue.nonBlank != nil }
                    && (try? value.decode() as IdentityProvider) != nil
            }
        }
    }

    /// The values of an application by key; empty for an unknown application.
    /// - Throws: `invalidRequest` without identifier.
    func configuration(applicationId: Identifier?) throws -> [(key: String, values: [JSONValue])] {
        guard let applicationId else { throw ServiceError(.invalidRequest, "applicationId is missing") }
        return try context.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT key, "values" FROM application_config
                    JOIN application ON application.id = application_config.application
                    WHERE app_id = ? ORDER BY key
                    """, arguments: [applicationId]
            ).map { row in
                (row["key"], try JSONDecoder().decode([JSONValue].self, from: Data((row["values"] as String).utf8)))
            }
        }
    }

    /// The OpenID Connect providers of an application, as they were configured.
    func identityProviders(applicationId: Identifier) throws -> [IdentityProvider] {
        try configuration(applicationId: applicationId).filter { $0.key == Self.providersKey }
            .flatMap(\.values).map { try $0.decode() }
    }

    /// Stores the values of a key, in place of those it had.
    /// - Throws: `invalidRequest` for an unknown key or values of another kind, `invalidApplication` for an unknown
    ///   application.
    func configure(applicationId: Identifier?, key: String?, values: [JSONValue]?) throws -> String {
        guard let key, let kind = ElementKind(key: key) else {
            throw ServiceError(.invalidRequest, "key \(key ?? "is missing")")
        }
        guard let values, values.allSatisfy(kind.accepts) else {
            throw ServiceError(.invalidRequest, "the values do not fit the key \(key)")
        }
        let text = try JSONBody.text(of: values)
        try TextLimit.json.check(text, "values")
        try context.change { change in
            let application = try ApplicationStore.required(change.database, id: applicationId)
            try change.database.execute(
                sql: "INSERT OR REPLACE INTO application_config (application, key, \"values\") VALUES (?, ?, ?)",
                arguments: [application.row, key, text])
            if kind == .algorithm { change.noteApplicationChange() }
        }
        return key
    }

    /// Forgets the values of a key.
    /// - Throws: `invalidRequest` without key, `invalidApplication` for an unknown application.
    func removeConfiguration(applicationId: Identifier?, key: String?) throws {
        guard let key else { throw ServiceError(.invalidRequest, "key is missing") }
        try context.change { change in
            let application = try ApplicationStore.required(change.database, id: applicationId)
            try change.database.execute(
                sql: "DELETE FROM application_config WHERE application = ? AND key = ?",
                arguments: [application.row, key])
            if key == Self.algorithmsKey { change.noteApplicationChange() }
        }
    }
}
