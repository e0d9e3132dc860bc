import Foundation
import PowerAuthProtocol

/// `/pa/v3/signature/validate`, `token/create` and `token/remove` (rest-api.md, sections 6.5, 6.7 and 6.8).
struct DeviceSignatureEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    private struct TokenReference: Codable {
        var tokenId: Identifier?
    }

    var endpoints: [Endpoint] {
        [
            .device(
                "/pa/v3/signature/validate", methods: ["POST", "GET", "PUT", "DELETE"], failure: .authentication,
                readsJSON: false
            ) { request in
                _ = try authentication.authenticate(
                    request, uriId: "/pa/signature/validate", allowed: .withPossession)
                return try .ok(EmptyEnvelope())
            },
            .device("/pa/v3/token/create", failure: .authentication, answer: createToken),
            .device("/pa/v3/token/remove", failure: .authentication, answer: removeToken),
        ]
    }

    /// The signature covers the encrypted bytes and is checked before they are opened.
    @Sendable private func createToken(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/token/create", allowed: .withPossession)
        let header = authenticated.header
        let response = try TokenService(context: context).create(
            SealedRequest(
                version: header.version, applicationKey: header.applicationKey, activationId: header.activationId,
                envelope: try JSONBody.decode(EciesRequest.self, from: request.body)),
            signatureType: header.signatureType)
        return ServerResponse(status: 200, body: try JSONBody.encode(response))
    }

    /// Removing an unknown token, or one of another activation, succeeds.
    @Sendable private func removeToken(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = try authentication.authenticate(
            request, uriId: "/pa/token/remove", allowed: .withPossession)
        let token = try JSONBody.decode(RequestEnvelope<TokenReference>.self, from: request.body).requestObject
        _ = try TokenService(context: context).remove(
            tokenId: token.tokenId, activationId: authenticated.activation.id)
        return try .ok(ResponseEnvelope(responseObject: token))
    }
}
