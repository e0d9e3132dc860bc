import Foundation
import LabKit
import PowerAuthProtocol

/// `/pa/v3/activation/create`, `status` and `remove` (rest-api.md, sections 6.2 to 6.4).
struct DeviceActivationEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication
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

    private struct ActivationAnswer: Encodable {
        let activationId: Identifier
    }

    var endpoints: [Endpoint] {
        [
            .asking(
                "/pa/v3/activation/create", failure: .activation, others: [.recovery(expectedPukIndex: 1)],
                reply: create),
            .device("/pa/v3/activation/status", failure: .activation, answer: status),
            .device(
                "/pa/v3/activation/remove", failure: .activation, others: [.authentication], readsJSON: false,
                answer: remove),
        ]
    }

    @Sendable private func create(_ request: ServerRequest) throws -> Reply {
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
        let outcome = try identification.activate(
            creation.identity, customAttributes: customAttributes,
            sealed: SealedRequest(
                version: sealed.version, applicationKey: sealed.applicationKey, activationId: nil,
                envelope: creation.activationData))
        switch outcome {
        case .created(let created):
            return .answer(try answer(created, to: outer))
        case .afterwards(let ask):
            return .afterwards {
                let create = try await ask()
                return { try answer(create(), to: outer) }
            }
        }
    }

    private func answer(_ created: ActivationIdentification.Created, to outer: OpenedRequest) throws -> ServerResponse {
        let answer = ActivationResponse(
            activationData: created.exchanged.response, customAttributes: created.customAttributes,
            userInfo: try UserClaimsService(context: context).claimsAtActivation(
                userId: created.exchanged.activation.userId))
        let response = try outer.sealJSON(answer, at: context.clock.now())
        return ServerResponse(status: 200, body: try JSONBody.encode(response))
    }

    @Sendable private func status(_ request: ServerRequest) throws -> ServerResponse {
        let query = try JSONBody.decode(RequestEnvelope<StatusRequest>.self, from: request.body).requestObject
        let id = try ActivationService.required(query.activationId)
        let detail = try StatusService(context: context).detail(activationId: id, challenge: query.challenge)
        return try .ok(
            ResponseEnvelope(
                responseObject: StatusAnswer(
                    activationId: id, encryptedStatusBlob: StrictBase64.encode(detail.encryptedBlob),
                    nonce: detail.blobNonce.map { StrictBase64.encode($0) },
                    customObject: try identification.provider.statusObject(
                        detail.activation.map {
                            .init(
                                activationId: $0.id.text, userId: $0.userId.text, flags: $0.flags.map(\.text))
                        }))))
    }

    @Sendable private func remove(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/activation/remove", allowed: .strong)
        let removed = try ActivationService(context: context).remove(
            activationId: authenticated.activation.id, externalUserId: nil,
            revokeRecoveryCodes: identification.provider.revokesRecoveryCodes)
        return try .ok(ResponseEnvelope(responseObject: ActivationAnswer(activationId: removed.id)))
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
