import PowerAuthProtocol

/// `/pa/v3/keystore/create` and `/pa/v3/status` (rest-api.md, sections 6.1 and 6.12).
struct DeviceSystemEndpoints: Sendable {
    let context: ServiceContext

    private struct Token: Codable {
        var jwt: String?
    }

    private struct Status: Encodable {
        struct Software: Encodable {
            let name = "lab-enrollment-server"
            let version = ServerVersion.reported

            private enum CodingKeys: CodingKey {
                case name, version
            }
        }
        /// Milliseconds of Unix time.
        let serverTime: Int64
        let application = Software()

        private enum CodingKeys: CodingKey {
            case serverTime, application
        }
    }

    var endpoints: [Endpoint] {
        [
            .device("/pa/v3/keystore/create", failure: .temporaryKey) { request in
                let token = try JSONBody.decode(RequestEnvelope<Token>.self, from: request.body).requestObject
                guard let jwt = token.jwt.nonBlank else { throw ServiceError(.invalidRequest, "jwt is missing") }
                let answer = try TemporaryKeyService(context: context).create(jwt: jwt, address: request.remoteAddress)
                return try .ok(ResponseEnvelope(responseObject: Token(jwt: answer)))
            },
            .device("/pa/v3/status", failure: .unexpected, readsJSON: false) { _ in
                try .ok(ResponseEnvelope(responseObject: Status(serverTime: context.clock.now().milliseconds)))
            },
        ]
    }
}
