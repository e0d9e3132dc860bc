import Foundation
import GRDB

/// A MAC token: proves an earlier signature repeatedly without moving a counter.
struct Token: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let activationId: Identifier
    /// TOKEN_SECRET, 16 bytes.
    let secret: Data
    /// The upper-case name of the factors that signed the creation.
    let signatureType: String
    let created: ServerTime
}

/// The rows of tokens.
enum TokenStore {
    private enum Column: String, QueryColumn {
        case id = "token_id"
        case activationId = "activation"
        case secret
        case signatureType = "signature_type"
        case created = "t_created"
    }

    /// Built once, because every request with a token uses it.
    private static let findSQL = "SELECT \(Column.list) FROM token WHERE token_id = ?"

    static func find(_ database: Database, id: Identifier) throws -> Token? {
        try QueryRow<Column>.first(database.cachedStatement(sql: findSQL), arguments: [id]) { row in
            Token(
                id: row[.id], activationId: row[.activationId], secret: row[.secret],
                signatureType: row[.signatureType], created: ServerTime(milliseconds: row[.created]))
        }
    }

    static func insert(_ database: Database, _ token: Token) throws {
        try database.cachedStatement(
            sql: "INSERT INTO token (token_id, activation, secret, signature_type, t_created) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            token.id, token.activationId, token.secret, token.signatureType, token.created.milliseconds,
        ])
    }

    /// Deletes a token if it belongs to the activation.
    /// - Returns: whether it did.
    static func delete(_ database: Database, id: Identifier, activationId: Identifier) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM token WHERE token_id = ? AND activation = ?")
            .execute(arguments: [id, activationId])
        return database.changesCount > 0
    }

    static func count(_ database: Database, activationId: Identifier) throws -> Int {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT COUNT(*) FROM token WHERE activation = ?"), arguments: [activationId]
        ) ?? 0
    }
}
