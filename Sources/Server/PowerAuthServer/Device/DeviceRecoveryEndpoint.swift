import Foundation
import PowerAuthProtocol

/// `/pa/v3/recovery/confirm` (rest-api.md, section 6.9).
struct DeviceRecoveryEndpoint: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    var endpoints: [Endpoint] {
        // Every failure looks like a wrong signature; only a wrong signature is counted as one.
        [.device("/pa/v3/recovery/confirm", failure: .authentication, answer: confirm)]
    }

    /// The signature covers the encrypted bytes.
    @Sendable private func confirm(_ request: ServerRequest) throws -> ServerResponse {
        let header = try authentication.authenticate(
            request, uriId: "/pa/recovery/confirm", allowed: [.possessionKnowledge]
        ).header
        let confirmed = try RecoveryService(context: context).confirm(
            SealedRequest(
                version: header.version, applicationKey: header.applicationKey, activationId: header.activationId,
                envelope: try JSONBody.decode(EciesRequest.self, from: request.body)))
        return ServerResponse(status: 200, body: try JSONBody.encode(confirmed.response))
    }
}
