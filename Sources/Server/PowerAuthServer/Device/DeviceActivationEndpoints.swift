// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// `/pa/v3/activation/**` (rest-api.md, sections 6.2 to 6.4 and 6.13, and section 14.1, items 6 and 7).
struct DeviceActivationEndpoints: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption
    let identification: ActivationIdentification

    private struct StatusRequest: Decodable {
        var activationId: Identifier?
        var challenge: String?
    }

    private struct StatusAnswer: Encodable {
        let activationId: Identifier
        let encryptedStatusBlob: String
        let nonce: String?
        let customObject: JSONValue?
    }

    private struct NewName: Decodable { var activationName: String? }

    private struct NameView: Encodable {
        let activationId: Identifier
        @ExplicitNull var activationName: String?
    }

    /// Names are changed with knowledge or biometry, but not with both.
    private static let namingFactors: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry]

    var endpoints: [Endpoint] {
        [
            .device(
                "/pa/v3/activation/create", failure: .activation, others: [.recovery(expectedPukIndex: 1)],
                answer: create),
            .device("/pa/v3/activation/status", failure: .activation, answer: status),
            .device(
                "/pa/v3/activation/remove", failure: .activation, others: [.authentication], readsJSON: false,
                answer: remove),
            .device("/pa/v3/activation/detail", failure: .activation, others: [.authentication], answer: detail),
            .device("/pa/v3/activation/rename", failure: .activation, others: [.authentication], answer: rename),
        ]
    }

    @Sendable private func create(_ request: ServerRequest) async throws -> ServerResponse {
        let sealed = try SealedRequest(annotatedRequest: request, scope: .application)
        let outer = try EnvelopeOpener(context: context).openApplication(
            sealed, as: .applicationGeneric, failures: .decryptor)
        let creation = try StrictJSON.decode(
            ActivationRequest<JSONValue>.self, from: outer.plaintext,
            keys: ["type", "identityAttributes", "customAttributes", "activationData"],
            nested: (member: "activationData", keys: StrictJSON.envelopeKeys))
        let customAttributes = creation.customAttributes ?? .object([:])
        guard customAttributes.objectValue != nil else {
            throw ServiceError(.invalidRequest, "customAttributes must be an object")
        }
        let created = try await identification.activate(
            creation.identity, customAttributes: customAttributes,
            sealed: SealedRequest(
                version: sealed.version, applicationKey: sealed.applicationKey, activationId: nil,
                envelope: creation.activationData))
        let answer = ActivationResponse(
            activationData: created.exchanged.response, customAttributes: created.customAttributes,
            userInfo: try UserClaimsService(context: context).claimsAtActivation(
                userId: created.exchanged.activation.userId))
        return try .ok(outer.sealJSON(answer, at: context.clock.now()))
    }

    @Sendable private func status(_ request: ServerRequest) throws -> ServerResponse {
        let query = try request.object(StatusRequest.self)
        let id = try ActivationService.required(query.activationId)
        let detail = try StatusService(context: context).detail(activationId: id, challenge: query.challenge)
        return try .object(
            StatusAnswer(
                activationId: id, encryptedStatusBlob: StrictBase64.encode(detail.encryptedBlob),
                nonce: detail.blobNonce.map { StrictBase64.encode($0) },
                customObject: identification.provider.statusObject(
                    detail.activation.map {
                        .init(activationId: $0.id.text, userId: $0.userId.text, flags: $0.flags.map(\.text))
                    })))
    }

    @Sendable private func remove(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try encryption.authentication.authenticate(
            request, uriId: "/pa/activation/remove", allowed: .strong)
        let removed = try ActivationService(context: context).remove(
            activationId: authenticated.activation.id, externalUserId: nil,
            revokeRecoveryCodes: identification.provider.revokesRecoveryCodes)
        return try .object(["activationId": removed.id])
    }

    @Sendable private func detail(_ request: ServerRequest) throws -> ServerResponse {
        let (exchange, activation) = try encryption.openAuthorized(request, allowed: Self.namingFactors)
        return try name(of: activation, in: exchange)
    }

    @Sendable private func rename(_ request: ServerRequest) throws -> ServerResponse {
        let (exchange, caller) = try encryption.openSigned(
            request, uriId: "/pa/activation/rename", allowed: Self.namingFactors)
        let name = try JSONBody.decode(NewName.self, from: exchange.plaintext).activationName
        let activation = try ActivationService(context: context).rename(
            activationId: caller.activation.id, name: name, externalUserId: caller.activation.userId)
        return try self.name(of: activation, in: exchange)
    }

    private func name(of activation: Activation, in exchange: DeviceEncryption.Exchange) throws -> ServerResponse {
        let view = NameView(activationId: activation.id, activationName: activation.name)
        return try encryption.answer(exchange, with: JSONBody.encode(ResponseEnvelope(responseObject: view)))
    }
}

extension SealedRequest {
    /// Reads the encryption header and the envelope of a device request.
    /// - Parameter acceptsUnknownKeys: whether the envelope may have keys that the protocol does not define
    ///   (rest-api.md, section 2.3).
    /// - Throws: `decryptionFailed` for a bad header or body; the caller's code hides it.
    init(deviceRequest request: ServerRequest, scope: EciesScope, acceptsUnknownKeys: Bool = false) throws {
        let header: EncryptionHeader
        do {
            header = try EncryptionHeader(parsing: request.header(EncryptionHeader.name), scope: scope)
        } catch {
            throw ServiceError(.decryptionFailed, error.rawValue)
        }
        let envelope =
            try acceptsUnknownKeys
            ? JSONBody.decode(EciesRequest.self, from: request.body)
            : StrictJSON.decode(EciesRequest.self, from: request.body, keys: StrictJSON.envelopeKeys)
        try self.init(
            version: header.version, applicationKey: header.applicationKey, activationId: header.activationId,
            envelope: envelope)
    }
}

/// Identifies the user of an activation from the device's credentials, and creates it (rest-api.md, section 6.2).
///
/// Thread rule: worker threads only; it blocks. While an identity provider is asked it keeps no thread.
struct ActivationIdentification: Sendable {
    let context: ServiceContext
    let provider: ActivationProvider
    let identityProviders: IdentityProviders

    /// A new activation and the content of its answer's outer layer.
    struct Created<Response: Sendable>: Sendable {
        let exchanged: KeyExchangeService.Exchanged<Response>
        let customAttributes: JSONValue
    }

    /// Creates or completes the activation of a device.
    /// - Parameter customAttributes: an object.
    /// - Throws: ServiceError with the cause; the device sees one code for nearly all causes.
    func activate<Sealed: SealedInnerLayer>(
        _ identity: ActivationIdentity, customAttributes: JSONValue, sealed: Sealed
    ) async throws -> Created<Sealed.Layer.Answer> {
        let exchanged: KeyExchangeService.Exchanged<Sealed.Layer.Answer>
        switch identity {
        case .code(let code):
            exchanged = try KeyExchangeService(context: context).exchange(
                activationCode: Identifier(known: code.text), generatesRecoveryCode: Sealed.hasRecovery, sealed: sealed)
            try commit(exchanged, if: provider.commits(identity.type))
        case .custom(let attributes), .direct(let attributes):
            exchanged = try create(
                for: try provider.userId(attributes).map { try Identifier($0, field: "userId") }, sealed)
            try commit(exchanged, if: provider.commits("CUSTOM"))
        case .openIDConnect(let grant):
            let identityProvider = try identityProviders.provider(of: grant, applicationKey: sealed.applicationKey)
            exchanged = try create(for: try await identityProviders.subject(of: grant, at: identityProvider), sealed)
            try commit(exchanged, if: true)
            return Created(exchanged: exchanged, customAttributes: customAttributes)
        case .recovery(let recovery):
            exchanged = try RecoveryActivationService(context: context).recover(
                .init(code: Identifier(known: recovery.code.text), puk: recovery.puk.text), sealed: sealed)
            try commit(exchanged, if: provider.commits(identity.type))
        }
        return Created(exchanged: exchanged, customAttributes: try provider.customAttributes(customAttributes))
    }

    private func create<Sealed: SealedInnerLayer>(
        for userId: Identifier?, _ sealed: Sealed
    ) throws -> KeyExchangeService.Exchanged<Sealed.Layer.Answer> {
        try ActivationCreationService(context: context).create(
            .init(userId: userId), generatesRecoveryCode: Sealed.hasRecovery, sealed: sealed)
    }

    /// A code whose phase is the key exchange is active already.
    private func commit(_ exchanged: KeyExchangeService.Exchanged<some Sendable>, if isWanted: Bool) throws {
        guard isWanted, exchanged.activation.status == .pendingCommit else { return }
        _ = try ActivationService(context: context).commit(
            activationId: exchanged.activation.id, otp: nil, externalUserId: nil)
    }
}
