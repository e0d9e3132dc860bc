// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// `/pa/v4/**`: what devices of protocol 4 call (protocol-4.md, section 16). Where a request is encrypted and has a code,
/// the code covers the encrypted bytes and is verified first, but for the vault.
struct DeviceEndpointsV4: Sendable {
    let context: ServiceContext
    let identification: ActivationIdentification

    private var authentication: DeviceAuthenticationV4 { DeviceAuthenticationV4(context: context) }

    private struct TokenRequest: Decodable { var jwt: String? }
    private struct TokenAnswer: Encodable { let jwt: JWS }
    private struct TokenReference: Codable { var tokenId: Identifier? }

    private struct Confirmation: Decodable { var enableBiometry: Bool? }

    private struct StatusAnswer: Encodable {
        /// Base64 of 80 bytes.
        let activationStatus: String
        let customObject: JSONValue?
    }

    /// The outer layer of an activation (protocol-4.md, section 8).
    private struct ActivationRequest: Decodable {
        let type: String
        let identityAttributes: [String: String]?
        let customAttributes: JSONValue?
        let activationData: AeadRequest

        static let keys: Set<String> = ["type", "identityAttributes", "customAttributes", "activationData"]
    }

    private struct ActivationAnswer: Encodable {
        let activationData: AeadResponse
        let customAttributes: JSONValue
        @ExplicitNull var userInfo: JSONValue?
    }

    var endpoints: [Endpoint] {
        [
            .device("/pa/v4/keystore/create", failure: .temporaryKey) { request in
                guard let jwt = try request.object(TokenRequest.self).jwt.nonBlank else {
                    throw ServiceError(.invalidRequest, "jwt is missing")
                }
                let answer = try TemporaryKeyServiceV4(context: context).create(
                    jwt: jwt, address: request.remoteAddress)
                return try .object(TokenAnswer(jwt: answer))
            },
            .device("/pa/v4/activation/create", failure: .activation, answer: create),
            .device(
                "/pa/v4/activation/confirm", failure: .activation, others: [.authenticationCode], answer: confirm),
            .device("/pa/v4/activation/status", failure: .activation, answer: status),
            .device(
                "/pa/v4/activation/remove", failure: .activation, others: [.authenticationCode], readsJSON: false,
                answer: remove),
            .device(
                "/pa/v4/auth/validate", methods: ["POST", "GET", "PUT", "DELETE"], failure: .authenticationCode,
                readsJSON: false
            ) { request in
                _ = try authentication.authenticate(request, uriId: "/pa/auth/validate", allowed: .withPossession)
                return try .ok(EmptyEnvelope())
            },
            .device("/pa/v4/token/create", failure: .authenticationCode) { request in
                let header = try authentication.authenticate(
                    request, uriId: "/pa/token/create", allowed: .withPossession
                ).header
                return try .ok(
                    TokenService(context: context).create(
                        SealedRequestV4(header, body: request.body), signatureType: header.type))
            },
            .device("/pa/v4/token/remove", failure: .authenticationCode, answer: removeToken),
            .device("/pa/v4/vault/unlock", failure: .vault, others: [.authenticationCode], answer: unlockVault),
            factor("password/change", .passwordChange) { try $0.changePassword(activationId: $1, $2) },
            factor("biometry/add", .biometryAdd) { try $0.addBiometry(activationId: $1, $2) },
            .device("/pa/v4/biometry/remove", failure: .authenticationCode, readsJSON: false) { request in
                let authenticated = try authentication.authenticate(
                    request, uriId: "/pa/biometry/remove", allowed: .withPossession)
                try FactorServiceV4(context: context).removeBiometry(activationId: authenticated.activation.id)
                return try .ok(EmptyEnvelope())
            },
            .device(
                "/pa/v4/upgrade/start", failure: .upgrade, others: [.authentication], answer: startUpgrade),
            .device(
                "/pa/v4/upgrade/confirm", failure: .upgrade, others: [.authenticationCode], readsJSON: false
            ) { request in
                let authenticated = try authentication.authenticate(
                    request, uriId: "/pa/upgrade/confirm", allowed: [.possession], stage: .upgrade)
                try UpgradeServiceV4(context: context).confirm(authenticated.activation)
                return try .ok(EmptyEnvelope())
            },
            .device("/pa/v4/user/info", failure: .encryption, others: [.userInfo], answer: userInfo),
        ]
    }

    // MARK: Activation

    @Sendable private func create(_ request: ServerRequest) async throws -> ServerResponse {
        let sealed = try SealedRequestV4(deviceRequest: request, scope: .application)
        let outer = try EnvelopeOpenerV4(context: context).openApplication(sealed, as: .applicationGeneric)
        let creation = try StrictJSON.decode(
            ActivationRequest.self, from: outer.plaintext, keys: ActivationRequest.keys,
            nested: (member: "activationData", keys: SealedRequestV4.envelopeKeys))
        let customAttributes = creation.customAttributes ?? .object([:])
        guard customAttributes.objectValue != nil else {
            throw ServiceError(.invalidRequest, "customAttributes must be an object")
        }
        let created = try await identification.activate(
            ActivationIdentity(type: creation.type, attributes: creation.identityAttributes ?? [:]),
            customAttributes: customAttributes,
            sealed: SealedRequestV4(
                applicationKey: sealed.applicationKey, activationId: nil, envelope: creation.activationData))
        let answer = ActivationAnswer(
            activationData: created.exchanged.response, customAttributes: created.customAttributes,
            userInfo: try UserClaimsService(context: context).claimsAtActivation(
                userId: created.exchanged.activation.userId))
        return try .ok(outer.sealJSON(answer, at: context.clock.now()))
    }

    @Sendable private func confirm(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/activation/confirm", allowed: [.possessionKnowledge], stage: .confirmation)
        let confirmation = try request.object(Confirmation.self)
        try FactorServiceV4(context: context).confirm(
            activationId: authenticated.activation.id, enablesBiometry: confirmation.enableBiometry ?? false)
        return try .ok(EmptyEnvelope())
    }

    /// In every state of an activation whose device is known.
    @Sendable private func status(_ request: ServerRequest) throws -> ServerResponse {
        let sealed = try SealedRequestV4(deviceRequest: request, scope: .activation)
        let (opened, found) = try EnvelopeOpenerV4(context: context).openActivation(sealed, as: .activationGeneric) {
            activation, _ in
            if activation.status == .created { throw activation.stateRefusal }
        }
        let activation = try StatusService(context: context).removingIfExpired(found)
        let answer = StatusAnswer(
            activationStatus: StrictBase64.encode(try StatusServiceV4(context: context).status(of: activation)),
            customObject: try identification.provider.statusObject(
                ActivationProvider.StatusSubject(
                    activationId: activation.id.text, userId: activation.userId.text,
                    flags: activation.flags.map(\.text))))
        return try .ok(opened.sealJSON(answer, at: context.clock.now()))
    }

    @Sendable private func remove(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/activation/remove", allowed: .strong)
        // One that was upgraded may have recovery codes of version 3.
        let removed = try ActivationService(context: context).remove(
            activationId: authenticated.activation.id, externalUserId: nil,
            revokeRecoveryCodes: identification.provider.revokesRecoveryCodes)
        return try .object(["activationId": removed.id])
    }

    // MARK: Tokens, vault, factors and claims

    /// Removing an unknown token, or one of another activation, succeeds.
    @Sendable private func removeToken(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/token/remove", allowed: .withPossession)
        let token = try request.object(TokenReference.self)
        _ = try TokenService(context: context).remove(tokenId: token.tokenId, activationId: authenticated.activation.id)
        return try .object(token)
    }

    /// What does not decrypt moves no counter, as in version 3.
    @Sendable private func unlockVault(_ request: ServerRequest) throws -> ServerResponse {
        let vault = VaultServiceV4(context: context)
        let header = try authentication.header(of: request, allowed: VaultServiceV4.factors)
        let opened: VaultServiceV4.Opened
        do {
            opened = try vault.open(SealedRequestV4(header, body: request.body), type: header.type)
        } catch let error as ServiceError where VaultService.unauthenticated.contains(error.code) {
            throw DeviceAuthentication.Refusal(cause: error.description, answer: .authenticationCode)
        }
        _ = try authentication.authenticate(
            request, uriId: "/pa/vault/unlock", allowed: VaultServiceV4.factors,
            auditInfo: [.vaultUnlocked(reason: opened.wanted.reason.rawValue)])
        return try .ok(vault.answer(opened))
    }

    /// A change of a factor: a code of possession and knowledge, and an exchange whose secret is the new key.
    private func factor(
        _ path: String, _ purpose: AeadPurpose,
        _ change:
            @escaping @Sendable (FactorServiceV4, Identifier, SharedSecretRequest) throws -> SharedSecretResponse
    ) -> Endpoint {
        .device("/pa/v4/\(path)", failure: .encryption, others: [.authenticationCode]) { request in
            let authenticated = try authentication.authenticate(
                request, uriId: "/pa/\(path)", allowed: [.possessionKnowledge])
            let sealed = try SealedRequestV4(authenticated.header, body: request.body)
            let (opened, activation) = try EnvelopeOpenerV4(context: context).openActivation(sealed, as: purpose)
            let exchange = try JSONBody.decode(SharedSecretRequest.self, from: opened.plaintext)
            let answer = try change(FactorServiceV4(context: context), activation.id, exchange)
            return try .ok(opened.sealJSON(answer, at: context.clock.now()))
        }
    }

    @Sendable private func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let sealed = try SealedRequestV4(deviceRequest: request, scope: .activation)
        let (opened, activation) = try EnvelopeOpenerV4(context: context).openActivation(
            sealed, as: .activationGeneric)
        let claims: JSONValue
        do {
            claims = try UserClaimsService(context: context).claims(userId: activation.userId)
        } catch let error as ServiceError {
            // One error for every cause (rest-api.md, section 14.1, item 9).
            throw DeviceAuthentication.Refusal(cause: error.description, answer: .userInfo)
        }
        return try .ok(opened.sealJSON(claims, at: context.clock.now()))
    }

    // MARK: Upgrade

    /// A code of version 3.3 over a body that is encrypted as in version 4: both headers (protocol-4.md, section 14).
    @Sendable private func startUpgrade(_ request: ServerRequest) throws -> ServerResponse {
        let signatures = DeviceAuthentication(signatures: SignatureService(context: context))
        guard try signatures.header(of: request).version == .v3_3 else {
            throw DeviceAuthentication.Refusal(cause: "an upgrade is started with a code of version 3.3")
        }
        let authenticated = try signatures.authenticate(
            request, uriId: "/pa/upgrade/start", allowed: [.possessionKnowledge])
        let sealed = try SealedRequestV4(deviceRequest: request, scope: .application)
        guard sealed.applicationKey.text == authenticated.header.applicationKey else {
            throw ServiceError(.invalidRequest, "the headers name different applications")
        }
        let opened = try EnvelopeOpenerV4(context: context).openApplication(sealed, as: .upgradeStart)
        let started = try UpgradeServiceV4(context: context).start(
            JSONBody.decode(UpgradeServiceV4.Request.self, from: opened.plaintext),
            activationId: authenticated.activation.id)
        return try .ok(opened.sealJSON(started, at: context.clock.now()))
    }
}
