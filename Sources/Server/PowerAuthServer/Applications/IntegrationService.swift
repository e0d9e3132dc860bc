// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// A system that may call the back office when it is restricted.
struct Integration: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let name: String
    /// The user name of HTTP Basic.
    let token: String
    /// The password of HTTP Basic.
    let secret: String
}

/// Integrations and their right to call the back office (server.md, sections 2.5 and 15).
struct IntegrationService: Sendable {
    let context: ServiceContext

    /// - Throws: `invalidRequest` without name. Names may repeat.
    func create(name: String?) throws -> Integration {
        guard let name = name.nonBlank else { throw ServiceError(.invalidRequest, "name is missing") }
        try TextLimit.line.check(name, "name")
        let integration = Integration(
            id: Identifiers.uuid(), name: name, token: Identifiers.uuid().text, secret: Identifiers.uuid().text)
        try context.change { change in
            try change.database.execute(
                sql: "INSERT INTO integration (id, name, token, secret) VALUES (?, ?, ?, ?)",
                arguments: [integration.id, integration.name, integration.token, integration.secret])
        }
        return integration
    }

    func list() throws -> [Integration] {
        try context.read { database in
            try Row.fetchAll(database, sql: "SELECT id, name, token, secret FROM integration ORDER BY rowid").map {
                Integration(id: $0["id"], name: $0["name"], token: $0["token"], secret: $0["secret"])
            }
        }
    }

    /// - Returns: false for an unknown identifier.
    /// - Throws: `invalidRequest` without identifier.
    func remove(id: Identifier?) throws -> Bool {
        guard let id else { throw ServiceError(.invalidRequest, "id is missing") }
        return try context.change { change in
            try change.database.execute(sql: "DELETE FROM integration WHERE id = ?", arguments: [id])
            return change.database.changesCount > 0
        }
    }

    /// Whether a request may enter: the back office is open, or the credentials are those of an integration.
    /// - Parameter authorization: the header's value.
    func admits(authorization: String?) throws -> Bool {
        guard context.policy.isBackOfficeRestricted else { return true }
        let parts = (authorization ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = StrictBase64.decode(String(parts[1])),
            let credentials = String(data: bytes, encoding: .utf8), let colon = credentials.firstIndex(of: ":")
        else { return false }
        let token = String(credentials[..<colon])
        let secret = try context.read {
            try String.fetchOne($0, sql: "SELECT secret FROM integration WHERE token = ?", arguments: [token])
        }
        // An unknown token costs the same comparison.
        return constantTimeEquals(
            secret ?? Identifiers.uuid().text, String(credentials[credentials.index(after: colon)...])) && secret != nil
    }
}
