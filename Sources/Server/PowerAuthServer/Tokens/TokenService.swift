// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// MAC tokens: creation for a device, validation for an application's backend (server.md, section 9).
///
/// Thread rule: worker threads only, but for ``validateCached(_:)``; all other methods block.
struct TokenService: Sendable {
    let context: ServiceContext

    private struct CreatedToken: Encodable {
        let tokenId: Identifier
        let tokenSecret: String
    }

    enum Verdict: Sendable {
        case unknownToken
        case invalid(Token, Activation)
        case valid(Token, Activation)
    }

    /// Creates a token for the device of a request whose signature was verified with factors `signatureType`.
    /// - Throws: `activationNotFound`, `activationIncorrectState`, `invalidApplication`, `invalidRequest`,
    ///   `missingTemporaryKey`, `decryptionFailed` as ``EnvelopeOpener`` says.
    func create(_ sealed: SealedRequest, signatureType: SignatureType) throws -> EciesResponse {
        let (opened, activation) = try EnvelopeOpener(context: context).openActivation(
            sealed, as: .createToken, failures: .token)
        return try opened.sealJSON(
            insert(secret: TokenSecret.random().rawData, activation, signatureType), at: context.clock.now())
    }

    /// Creates a token of protocol 4 for the device of a request whose code was verified (protocol-4.md, section 11).
    /// - Throws: `activationIncorrectState`; as ``EnvelopeOpenerV4``.
    func create(_ sealed: SealedRequestV4, signatureType: SignatureType) throws -> AeadResponse {
        let (opened, activation) = try EnvelopeOpenerV4(context: context).openActivation(sealed, as: .tokenCreate)
        return try opened.sealJSON(
            insert(secret: TokenSecret256.random().rawData, activation, signatureType), at: context.clock.now())
    }

    private func insert(
        secret: Data, _ activation: Activation, _ signatureType: SignatureType
    ) throws -> CreatedToken {
        let token = Token(
            id: Identifiers.uuid(), activationId: activation.id, secret: secret, signatureType: signatureType.name,
            created: context.clock.now())
        try context.change { change in
            guard try change.findToken(token.id) == nil else {
                throw ServiceError(.unableToGenerateToken, "token identifier collision")
            }
            guard try change.activation(activation.id).status == .active else {
                throw ServiceError(.activationIncorrectState, "activation \(activation.id) is no longer active")
            }
            try TokenStore.insert(change.database, token)
        }
        return CreatedToken(tokenId: token.id, tokenSecret: StrictBase64.encode(token.secret))
    }

    /// Checks a token header (server.md, section 9.2).
    /// - Throws: `tokenTimestampTooOld` or `tokenTimestampTooFarInFuture` outside the time window, `invalidRequest` for
    ///   a digest that was used before.
    func validate(_ header: some TokenProof) throws -> Verdict {
        let sent = try sendingTime(header)
        let trial = try trial(header, context.token(header.rowId))
        return try context.change { try decide(header, sent, trial, in: $0) }
    }

    /// Checks a token header without blocking.
    /// - Returns: nil, and nothing has happened, where the token or its activation is not cached.
    /// - Throws: as ``validate(_:)``.
    func validateCached(_ header: some TokenProof) async throws -> Verdict? {
        let sent = try sendingTime(header)
        let cache = context.database.cache
        guard let token = try cache.token(header.rowId), cache.activation(token.activationId) != nil else { return nil }
        let trial = try trial(header, token)
        return try await context.changeWithoutBlocking { try decide(header, sent, trial, in: $0) }
    }

    private func sendingTime(_ header: some TokenProof) throws -> ServerTime {
        let sent = ServerTime(milliseconds: Int64(clamping: header.timestamp))
        let now = context.clock.now()
        guard sent >= now.advanced(by: -context.policy.tokenValidity) else {
            throw ServiceError(.tokenTimestampTooOld, "timestamp \(header.timestamp), now \(now.milliseconds)")
        }
        guard sent <= now.advanced(by: context.policy.tokenForwardValidity) else {
            throw ServiceError(.tokenTimestampTooFarInFuture, "timestamp \(header.timestamp), now \(now.milliseconds)")
        }
        return sent
    }

    /// A comparison made before the change, so as not to delay it: whether the digest was made with this secret.
    private struct Trial: Sendable {
        let secret: Data
        let isAuthentic: Bool
    }

    private func trial(_ header: some TokenProof, _ token: Token?) throws -> Trial? {
        try token.map { Trial(secret: $0.secret, isAuthentic: try header.isMade(with: $0.secret)) }
    }

    private func decide(
        _ header: some TokenProof, _ sent: ServerTime, _ trial: Trial?, in change: WriteTransaction
    ) throws -> Verdict {
        guard let token = try change.findToken(header.rowId) else { return .unknownToken }
        let activation = try change.activation(token.activationId)
        // A header of protocol 3 proves nothing about an activation of protocol 4, and the other way round.
        guard activation.status == .active, header.isOfVersion4 == (activation.lifecycle.binding?.version == 4) else {
            return .invalid(token, activation)
        }
        try ReplayGuard(policy: context.policy).admit(header, sent: sent, in: change)
        let isValid =
            if let trial, trial.secret == token.secret { trial.isAuthentic } else {
                try header.isMade(with: token.secret)
            }
        return isValid ? .valid(token, activation) : .invalid(token, activation)
    }

    /// Deletes a token if it belongs to the activation (server.md, section 9.3).
    /// - Returns: whether it did.
    /// - Throws: `invalidRequest` without the token's identifier. A token belongs to no missing activation.
    func remove(tokenId: Identifier?, activationId: Identifier?) throws -> Bool {
        guard let tokenId else { throw ServiceError(.invalidRequest, "tokenId is missing") }
        guard let activationId else { return false }
        return try context.change { try $0.deleteToken(tokenId, activationId: activationId) }
    }
}

/// A token header of either generation of the protocol.
protocol TokenProof: Sendable {
    /// Id of the token as sent.
    var tokenId: String { get }
    /// Milliseconds since 1970.
    var timestamp: UInt64 { get }
    /// The value that is remembered to refuse a second arrival of the same header.
    var replayValue: String { get }
    /// Whether the header is for activations of protocol 4.
    var isOfVersion4: Bool { get }

    /// Whether the digest was made with a secret; false for a secret of the other generation.
    func isMade(with secret: Data) throws -> Bool

    /// How far ahead the timestamp may be, in milliseconds.
    func forwardWindow(_ policy: ServerPolicy) -> Int64
}

extension TokenHeader: TokenProof {
    var isOfVersion4: Bool { false }

    func isMade(with secret: Data) throws -> Bool {
        try secret.count == 16 && isAuthentic(secret: TokenSecret(secret))
    }

    func forwardWindow(_ policy: ServerPolicy) -> Int64 {
        version.usesTimestamp ? policy.requestWindow : policy.extendedRequestWindow
    }
}

extension TokenHeaderV4: TokenProof {
    var isOfVersion4: Bool { true }

    func isMade(with secret: Data) throws -> Bool {
        try secret.count == 32 && isAuthentic(secret: TokenSecret256(secret))
    }

    func forwardWindow(_ policy: ServerPolicy) -> Int64 { policy.requestWindow }
}

extension TokenProof {
    /// The identifier of the token.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    fileprivate var rowId: Identifier { get throws { try Identifier(tokenId, field: "tokenId") } }
}

/// A MAC token: proves an earlier signature repeatedly without moving a counter.
struct Token: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let activationId: Identifier
    /// TOKEN_SECRET, 16 bytes, or 32 in protocol 4.
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
