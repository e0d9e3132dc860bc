// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore

/// Claims about users, in the terms of OpenID Connect (rest-api.md, section 6.10).
struct UserClaimsService: Sendable {
    let context: ServiceContext

    /// All claims of a user; always with `sub`, `jti` and `iat`.
    /// - Throws: `unknownError` if the stored claims cannot be read.
    func claims(userId: Identifier) throws -> JSONValue {
        var claims = try stored(userId)?.objectValue ?? [:]
        claims["sub"] = .string(userId.text)
        claims["jti"] = .string(Identifiers.uuid().text)
        claims["iat"] = .integer(context.clock.now().seconds)
        return .object(claims)
    }

    /// The claims of the user that an activation returns to its device; nil if no claims are stored.
    /// - Throws: as ``claims(userId:)``.
    func claimsAtActivation(userId: Identifier) throws -> JSONValue? {
        try stored(userId) == nil ? nil : claims(userId: userId)
    }

    /// Replaces what is known about a user.
    /// - Throws: `invalidRequest` for claims that are no object, or without user.
    func save(_ claims: JSONValue, userId: Identifier) throws {
        guard claims.objectValue != nil, let userId = Optional(userId).nonBlank else {
            throw ServiceError(.invalidRequest, "claims must be an object and belong to a user")
        }
        let text = String(decoding: claims.encoded(), as: UTF8.self)
        try TextLimit.json.check(text, "claims")
        try context.change { try UserClaimsStore.save($0.database, userId: userId, claims: text) }
    }

    private func stored(_ userId: Identifier) throws -> JSONValue? {
        guard let text = try context.read({ try UserClaimsStore.claims($0, userId: userId) }) else { return nil }
        do {
            return try JSONValue.parse(text)
        } catch {
            throw ServiceError(.unknownError, "the claims stored for \(userId) cannot be read: \(error)")
        }
    }
}

/// The rows of claims that are known about users.
enum UserClaimsStore {
    /// A JSON object; nil for a user nothing is known about.
    static func claims(_ database: Database, userId: Identifier) throws -> String? {
        try String.fetchOne(database, sql: "SELECT claims FROM user_claims WHERE user_id = ?", arguments: [userId])
    }

    static func save(_ database: Database, userId: Identifier, claims: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO user_claims (user_id, claims) VALUES (?, ?)", arguments: [userId, claims])
    }
}
