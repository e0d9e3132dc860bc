import Foundation
import PowerAuthProtocol

/// `/pa/v3/vault/unlock` (rest-api.md, section 6.6).
struct DeviceVaultEndpoint: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    var endpoints: [Endpoint] {
        [.device("/pa/v3/vault/unlock", failure: .vault, others: [.authentication], answer: unlock)]
    }

    @Sendable private func unlock(_ request: ServerRequest) throws -> ServerResponse {
        let header = try authentication.header(of: request)
        let envelope = try JSONBody.decode(EciesRequest.self, from: request.body)
        try Self.requireFields(of: envelope, version: header.version)
        let sealed = try SealedRequest(
            version: header.version, applicationKey: header.applicationKey, activationId: header.activationId,
            envelope: envelope)
        let outcome: VaultService.Outcome
        do {
            outcome = try VaultService(context: context).unlock(
                sealed, signed: try authentication.question(header, of: request, uriId: "/pa/vault/unlock"))
        } catch let error as ServiceError where Self.unauthenticated.contains(error.code) {
            throw DeviceAuthentication.Refusal(cause: error.description)
        }
        switch outcome {
        case .unlocked(let response):
            return ServerResponse(status: 200, body: try JSONBody.encode(response))
        case .invalidSignature(let verdict, _):
            _ = try authentication.accepted(verdict)
            throw ErrorResponse.authentication
        }
    }

    /// Errors about the caller, rather than the request, look like a wrong signature.
    private static let unauthenticated: Set<ServiceErrorCode> = [
        .activationNotFound, .activationIncorrectState, .invalidApplication,
    ]

    /// A field that the version requires is missed with 401, one that it forbids is found later with 400.
    static func requireFields(of envelope: EciesRequest, version: ProtocolVersion) throws {
        guard envelope.nonce != nil || !version.usesRequestNonce,
            envelope.timestamp != nil || !version.usesTimestamp,
            envelope.temporaryKeyId != nil || !version.usesTemporaryKey
        else { throw DeviceAuthentication.Refusal(cause: "nonce, timestamp or temporaryKeyId is missing") }
    }
}
