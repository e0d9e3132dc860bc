import LabKit
import PowerAuthProtocol

/// `/pa/v3/user/info` with everything that is known about the user (rest-api.md, section 6.10).
struct DeviceUserInfoEndpoint: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    var endpoints: [Endpoint] {
        [.device("/pa/v3/user/info", failure: .encryption, others: [.userInfo], answer: userInfo)]
    }

    @Sendable private func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let exchange = try encryption.open(request, scope: .activation)
        guard let activation = exchange.activation else {
            throw ServiceError(.invalidRequest, "user info needs an activation")
        }
        let claims: JSONValue
        do {
            claims = try UserClaimsService(context: context).claims(userId: activation.userId)
        } catch let error as ServiceError {
            throw Failure(cause: error.description)
        }
        return try encryption.answer(exchange, with: JSONBody.encode(claims))
    }

    /// Why no user information is returned. The device sees the same error for every cause (rest-api.md, section 14.1,
    /// item 9).
    struct Failure: Error, CustomStringConvertible {
        let cause: String
        var description: String { cause }
    }
}
