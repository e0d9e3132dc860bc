import PowerAuthProtocol

/// `/pa/v3/user/info` with the claims a minimal provider knows (rest-api.md, section 6.10).
struct DeviceUserInfoEndpoint: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    private struct Claims: Encodable {
        let sub: String
        let jti: String
        /// Seconds of Unix time.
        let iat: Int64
    }

    var endpoints: [Endpoint] {
        [.device("/pa/v3/user/info", failure: .encryption, answer: userInfo)]
    }

    @Sendable private func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let exchange = try encryption.open(request, scope: .activation)
        guard let activation = exchange.activation else {
            throw ServiceError(.invalidRequest, "user info needs an activation")
        }
        let claims = Claims(sub: activation.userId, jti: Identifiers.uuid(), iat: context.clock.now().seconds)
        return try encryption.answer(exchange, with: JSONBody.encode(claims))
    }
}
