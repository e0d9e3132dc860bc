import Foundation
import PowerAuthProtocol

/// MAC tokens: creation for a device, validation for an application's backend (server.md, section 9).
///
/// Thread rule: worker threads only; all methods block.
struct TokenService: Sendable {
    let context: ServiceContext

    /// What the device learns about its new token.
    private struct CreatedToken: Encodable {
        let tokenId: String
        let tokenSecret: String
    }

    /// What a token header is worth.
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
        let token = Token(
            id: Identifiers.uuid(), activationId: activation.id, secret: TokenSecret.random().rawData,
            signatureType: signatureType.name, created: context.clock.now())
        try context.change { change in
            guard try TokenStore.find(change.database, id: token.id) == nil else {
                throw ServiceError(.unableToGenerateToken, "token identifier collision")
            }
            guard try change.activation(activation.id).status == .active else {
                throw ServiceError(.activationIncorrectState, "activation \(activation.id) is not active any more")
            }
            try TokenStore.insert(change.database, token)
        }
        return try opened.sealJSON(
            CreatedToken(tokenId: token.id, tokenSecret: StrictBase64.encode(token.secret)), at: context.clock.now())
    }

    /// Checks a token header (server.md, section 9.2).
    /// - Throws: `tokenTimestampTooOld` or `tokenTimestampTooFarInFuture` outside the time window, `invalidRequest` for
    ///   a digest that was used before.
    func validate(_ header: TokenHeader) throws -> Verdict {
        let sent = ServerTime(milliseconds: Int64(clamping: header.timestamp))
        let now = context.clock.now()
        guard sent >= now.advanced(by: -context.policy.tokenValidity) else {
            throw ServiceError(.tokenTimestampTooOld, "timestamp \(header.timestamp), now \(now.milliseconds)")
        }
        guard sent <= now.advanced(by: context.policy.tokenForwardValidity) else {
            throw ServiceError(.tokenTimestampTooFarInFuture, "timestamp \(header.timestamp), now \(now.milliseconds)")
        }
        return try context.change { change in
            guard let token = try TokenStore.find(change.database, id: header.tokenId) else {
                return .unknownToken
            }
            let activation = try change.activation(token.activationId)
            guard activation.status == .active else { return .invalid(token, activation) }
            try ReplayGuard(policy: context.policy).admit(header, sent: sent, in: change)
            let isAuthentic = header.isAuthentic(secret: try TokenSecret(token.secret))
            return isAuthentic ? .valid(token, activation) : .invalid(token, activation)
        }
    }

    /// Deletes a token if it belongs to the activation (server.md, section 9.3).
    /// - Returns: whether it did.
    /// - Throws: `invalidRequest` without the token's identifier. A token belongs to no missing activation.
    func remove(tokenId: String?, activationId: String?) throws -> Bool {
        guard let tokenId else { throw ServiceError(.invalidRequest, "tokenId is missing") }
        guard let activationId else { return false }
        return try context.change { try TokenStore.delete($0.database, id: tokenId, activationId: activationId) }
    }
}
