import Foundation
import PowerAuthProtocol

/// `/pa/v3/activation/detail` and `rename` (rest-api.md, section 6.13, and section 14.1, items 6 and 7).
struct DeviceNameEndpoints: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    private struct NewName: Decodable {
        var activationName: String?
    }

    private struct NameView: Encodable {
        let activationId: Identifier
        @ExplicitNull var activationName: String?

        init(_ activation: Activation) {
            activationId = activation.id
            activationName = activation.name
        }
    }

    /// Names are changed with knowledge or biometry, but not with both.
    private static let factors: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry]

    var endpoints: [Endpoint] {
        [
            .device("/pa/v3/activation/detail", failure: .activation, others: [.authentication], answer: detail),
            .device("/pa/v3/activation/rename", failure: .activation, others: [.authentication], answer: rename),
        ]
    }

    @Sendable private func detail(_ request: ServerRequest) throws -> ServerResponse {
        let activation = try encryption.authentication.authenticateToken(request, allowed: Self.factors)
        let exchange = try encryption.open(request, scope: .activation)
        guard exchange.activation?.id == activation.id else {
            throw ServiceError(.decryptionFailed, "token and envelope belong to different activations")
        }
        return try encryption.answer(
            exchange, with: JSONBody.encode(ResponseEnvelope(responseObject: NameView(activation))))
    }

    @Sendable private func rename(_ request: ServerRequest) throws -> ServerResponse {
        let (exchange, authenticated) = try encryption.openSigned(
            request, uriId: "/pa/activation/rename", allowed: Self.factors)
        let name = try JSONBody.decode(NewName.self, from: exchange.plaintext).activationName
        let activation = try ActivationService(context: context).rename(
            activationId: authenticated.activation.id, name: name, externalUserId: authenticated.activation.userId)
        return try encryption.answer(
            exchange, with: JSONBody.encode(ResponseEnvelope(responseObject: NameView(activation))))
    }
}
