// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// `/pa/v3/signature`, `token`, `vault`, `upgrade` and `recovery`: what devices sign (rest-api.md, sections 6.5 to 6.9 and
/// 6.11). Where a request is encrypted, the signature covers the encrypted bytes.
struct DeviceSignatureEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    private struct TokenReference: Codable { var tokenId: Identifier? }

    var endpoints: [Endpoint] {
        [
            .device(
                "/pa/v3/signature/validate", methods: ["POST", "GET", "PUT", "DELETE"], failure: .authentication,
                readsJSON: false
            ) { request in
                _ = try authentication.authenticate(request, uriId: "/pa/signature/validate", allowed: .withPossession)
                return try .ok(EmptyEnvelope())
            },
            .device("/pa/v3/token/create", failure: .authentication, answer: createToken),
            .device("/pa/v3/token/remove", failure: .authentication, answer: removeToken),
            .device("/pa/v3/vault/unlock", failure: .vault, others: [.authentication], answer: unlockVault),
            .device("/pa/v3/upgrade/start", failure: .upgrade, others: [.authentication], answer: startUpgrade),
            .device(
                "/pa/v3/upgrade/commit", failure: .upgrade, others: [.authentication], readsJSON: false,
                answer: commitUpgrade),
            // Every failure looks like a wrong signature; only a wrong signature is counted as one.
            .device("/pa/v3/recovery/confirm", failure: .authentication, answer: confirmRecovery),
        ]
    }

    /// The signature is checked before the envelope is opened.
    @Sendable private func createToken(_ request: ServerRequest) throws -> ServerResponse {
        let header = try authentication.authenticate(request, uriId: "/pa/token/create", allowed: .withPossession)
            .header
        return try .ok(
            TokenService(context: context).create(
                SealedRequest(header, envelope: JSONBody.decode(EciesRequest.self, from: request.body)),
                signatureType: header.signatureType))
    }

    /// Removing an unknown token, or one of another activation, succeeds.
    @Sendable private func removeToken(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/token/remove", allowed: .withPossession)
        let token = try request.object(TokenReference.self)
        _ = try TokenService(context: context).remove(tokenId: token.tokenId, activationId: authenticated.activation.id)
        return try .object(token)
    }

    @Sendable private func confirmRecovery(_ request: ServerRequest) throws -> ServerResponse {
        let header = try authentication.authenticate(
            request, uriId: "/pa/recovery/confirm", allowed: [.possessionKnowledge]
        ).header
        return try .ok(
            RecoveryService(context: context).confirm(
                SealedRequest(header, envelope: JSONBody.decode(EciesRequest.self, from: request.body))
            ).response)
    }

    // MARK: Vault

    @Sendable private func unlockVault(_ request: ServerRequest) throws -> ServerResponse {
        let header = try authentication.header(of: request)
        let envelope = try JSONBody.decode(EciesRequest.self, from: request.body)
        try Self.requireFields(of: envelope, version: header.version)
        let sealed = try SealedRequest(header, envelope: envelope)
        let outcome: VaultService.Outcome
        do {
            outcome = try VaultService(context: context).unlock(
                sealed, signed: try authentication.question(header, of: request, uriId: "/pa/vault/unlock"))
        } catch let error as ServiceError where VaultService.unauthenticated.contains(error.code) {
            throw DeviceAuthentication.Refusal(cause: error.description)
        }
        switch outcome {
        case .unlocked(let response): return try .ok(response)
        case .invalidSignature(let verdict, _):
            _ = try authentication.accepted(verdict)
            throw ErrorResponse.authentication
        }
    }

    /// A field that the version requires is missed with 401, one that it forbids is found later with 400.
    private static func requireFields(of envelope: EciesRequest, version: ProtocolVersion) throws {
        guard envelope.nonce != nil || !version.usesRequestNonce, envelope.timestamp != nil || !version.usesTimestamp,
            envelope.temporaryKeyId != nil || !version.usesTemporaryKey
        else { throw DeviceAuthentication.Refusal(cause: "nonce, timestamp or temporaryKeyId is missing") }
    }

    // MARK: Upgrade

    /// Encrypted and not signed: the device requests the counter that signatures need.
    @Sendable private func startUpgrade(_ request: ServerRequest) throws -> ServerResponse {
        let sealed = try SealedRequest(deviceRequest: request, scope: .activation, acceptsUnknownKeys: true)
        try Self.requireFields(of: sealed.envelope, version: sealed.version)
        return try .ok(ProtocolUpgradeService(context: context).start(sealed))
    }

    @Sendable private func commitUpgrade(_ request: ServerRequest) throws -> ServerResponse {
        let header: SignatureHeader
        do {
            header = try SignatureHeader(parsing: request.header(SignatureHeader.name))
        } catch {
            throw ServiceError(.invalidRequest, error.rawValue)
        }
        guard header.signatureType == .possession, !request.body.isEmpty else {
            throw DeviceAuthentication.Refusal(cause: "an upgrade is signed with possession, over a body")
        }
        let verdict = try authentication.signatures.verify(
            authentication.question(header, of: request, uriId: "/pa/upgrade/commit", commitsUpgrade: true))
        let activation = try authentication.accepted(verdict)
        try ProtocolUpgradeService(context: context).commit(
            activationId: activation.id, applicationKey: Identifier(header.applicationKey, field: "application_key"))
        return try .ok(EmptyEnvelope())
    }
}
