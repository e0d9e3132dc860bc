import Foundation
import PowerAuthProtocol

/// `/pa/v3/upgrade/start` and `commit` (rest-api.md, section 6.11).
struct DeviceUpgradeEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    var endpoints: [Endpoint] {
        [
            .device("/pa/v3/upgrade/start", failure: .upgrade, others: [.authentication], answer: start),
            .device(
                "/pa/v3/upgrade/commit", failure: .upgrade, others: [.authentication], readsJSON: false,
                answer: commit),
        ]
    }

    /// Encrypted and not signed: the device requests the counter that signatures need.
    @Sendable private func start(_ request: ServerRequest) throws -> ServerResponse {
        let sealed = try SealedRequest(deviceRequest: request, scope: .activation, acceptsUnknownKeys: true)
        try DeviceVaultEndpoint.requireFields(of: sealed.envelope, version: sealed.version)
        let response = try ProtocolUpgradeService(context: context).start(sealed)
        return ServerResponse(status: 200, body: try JSONBody.encode(response))
    }

    @Sendable private func commit(_ request: ServerRequest) throws -> ServerResponse {
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
