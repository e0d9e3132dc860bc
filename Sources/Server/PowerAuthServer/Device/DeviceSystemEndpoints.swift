// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// `/pa/v3/keystore/create`, `/pa/v3/status` with `/pa/v4/status`, and `/pa/v3/user/info` (rest-api.md, sections 6.1, 6.12
/// and 6.10).
struct DeviceSystemEndpoints: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    private struct Token: Codable { var jwt: String? }

    private struct Status: Encodable {
        struct Software: Encodable {
            let name = "lab-enrollment-server"
            let version = ServerVersion.reported
        }
        /// Milliseconds of Unix time.
        let serverTime: Int64
        let application = Software()
    }

    var endpoints: [Endpoint] {
        [
            .device("/pa/v3/keystore/create", failure: .temporaryKey) { request in
                let token = try request.object(Token.self)
                guard let jwt = token.jwt.nonBlank else { throw ServiceError(.invalidRequest, "jwt is missing") }
                let answer = try TemporaryKeyService(context: context).create(jwt: jwt, address: request.remoteAddress)
                return try .object(Token(jwt: answer))
            },
            status("/pa/v3/status"),
            status("/pa/v4/status"),
            .device("/pa/v3/user/info", failure: .encryption, others: [.userInfo], answer: userInfo),
        ]
    }

    /// The same in both generations of the protocol.
    private func status(_ path: String) -> Endpoint {
        .device(path, failure: .unexpected, readsJSON: false) { _ in
            try .object(Status(serverTime: context.clock.now().milliseconds))
        }
    }

    /// Everything that is known about the user.
    @Sendable private func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let exchange = try encryption.open(request, scope: .activation)
        guard let activation = exchange.activation else {
            throw ServiceError(.invalidRequest, "user info needs an activation")
        }
        let claims: JSONValue
        do {
            claims = try UserClaimsService(context: context).claims(userId: activation.userId)
        } catch let error as ServiceError {
            // One error for every cause (rest-api.md, section 14.1, item 9).
            throw DeviceAuthentication.Refusal(cause: error.description, answer: .userInfo)
        }
        return try encryption.answer(exchange, with: JSONBody.encode(claims))
    }
}
