import PowerAuthProtocol

/// `/pa/v3/user/info` with everything that is known about the user (rest-api.md, section 6.10).
struct DeviceUserInfoEndpoint: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    var endpoints: [Endpoint] {
        [.device("/pa/v3/user/info", failure: .encryption, answer: userInfo)]
    }

    @Sendable private func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let exchange = try encryption.open(request, scope: .activation)
        guard let activation = exchange.activation else {
            throw ServiceError(.invalidRequest, "user info needs an activation")
        }
        let claims = try UserClaimsService(context: context).claims(userId: activation.userId)
        return try encryption.answer(exchange, with: JSONBody.encode(claims))
    }
}
