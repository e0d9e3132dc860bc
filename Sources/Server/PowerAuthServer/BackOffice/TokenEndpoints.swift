// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// `/token/validate` and `/token/remove` (server.md, section 9).
struct TokenEndpoints: Sendable {
    let service: TokenService
    let api: BackOfficeAPI

    private struct ValidateRequest: Decodable {
        var tokenId: Identifier?
        var tokenDigest: String?
        var nonce: String?
        var timestamp: LenientInteger?
        var protocolVersion: String?
    }

    private struct ValidateView: Codable {
        let tokenValid: Bool
        @ExplicitNull var activationId: Identifier?
        @ExplicitNull var activationStatus: String?
        @ExplicitNull var blockedReason: String?
        @ExplicitNull var userId: Identifier?
        @ExplicitNull var applicationId: Identifier?
        @ExplicitNull var signatureType: String?
        let applicationRoles: [Identifier]
        let activationFlags: [Identifier]
    }

    private struct RemoveRequest: Decodable {
        var tokenId: Identifier?
        var activationId: Identifier?
    }

    private struct RemoveView: Codable { let removed: Bool }

    var endpoints: [Endpoint] {
        [
            .backOffice(
                "/token/validate",
                quickly: { (request: ValidateRequest) in
                    try await isOfVersion4(request) ? nil : service.validateCached(header(request)).map(Self.view)
                }
            ) { (request: ValidateRequest) in
                Self.view(
                    try isOfVersion4(request)
                        ? service.validate(headerV4(request)) : service.validate(header(request)))
            },
            .backOffice("/token/remove") { (request: RemoveRequest) in
                RemoveView(removed: try service.remove(tokenId: request.tokenId, activationId: request.activationId))
            },
        ]
    }

    private static func view(_ verdict: TokenService.Verdict) -> ValidateView {
        let (isValid, token, activation): (Bool, Token?, Activation?) =
            switch verdict {
            case .unknownToken: (false, nil, nil)
            case .invalid(let token, let activation): (false, token, activation)
            case .valid(let token, let activation): (true, token, activation)
            }
        return ValidateView(
            tokenValid: isValid, activationId: activation?.id, activationStatus: activation?.status.name,
            blockedReason: activation?.lifecycle.blockedReason, userId: activation?.userId,
            applicationId: activation?.application.id, signatureType: token?.signatureType,
            applicationRoles: activation?.application.roles ?? [], activationFlags: activation?.flags ?? [])
    }

    private func isOfVersion4(_ request: ValidateRequest) -> Bool {
        api == .v4 && request.protocolVersion == CodeVersion.v4.text
    }

    /// The header that a device of protocol 4 has shown.
    private func headerV4(_ request: ValidateRequest) throws -> TokenHeaderV4 {
        guard let tokenId = request.tokenId, let nonce = request.nonce, let digest = request.tokenDigest,
            let timestamp = request.timestamp
        else { throw ServiceError(.invalidRequest, "tokenId, nonce, tokenDigest and timestamp are required") }
        do {
            return try TokenHeaderV4(
                parsing: PowerAuthHeader.format([
                    ("version", CodeVersion.v4.text), ("token_id", tokenId.text), ("token_digest", digest),
                    ("nonce", nonce), ("timestamp", String(timestamp.value)),
                ]))
        } catch {
            throw ServiceError(.invalidRequest, "\(error)")
        }
    }

    @Sendable private func header(_ request: ValidateRequest) throws -> TokenHeader {
        guard let tokenId = request.tokenId, let nonce = request.nonce, let digest = request.tokenDigest else {
            throw ServiceError(.invalidRequest, "tokenId, nonce and tokenDigest are required")
        }
        // Clients of servers before 1.5 send no version; their digests do not cover one (server.md, section 26.1).
        let versionText = request.protocolVersion ?? ProtocolVersion.v3_1.rawValue
        guard let version = ProtocolVersion(rawValue: versionText) else {
            throw ServiceError(.genericCryptographyError, "protocolVersion \(versionText) is unknown")
        }
        guard let digest = StrictBase64.decode(digest), let nonce = StrictBase64.decode(nonce), nonce.count == 16 else {
            throw ServiceError(.invalidRequest, "tokenDigest and nonce must be Base64, the nonce of 16 bytes")
        }
        // A missing timestamp counts as 1970 and is too old.
        return TokenHeader(
            version: version, tokenId: tokenId.text, tokenDigest: digest, nonce: nonce,
            timestamp: UInt64(clamping: request.timestamp?.value ?? 0))
    }
}
