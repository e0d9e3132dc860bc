// SPDX-License-Identifier: Apache-2.0

/// `/integration/**` (server.md, section 15), and the restriction of the whole back office to integrations.
struct IntegrationEndpoints: Sendable {
    let service: IntegrationService

    private struct CreateRequest: Decodable { var name: String? }

    private struct IntegrationView: Codable {
        let id: Identifier
        let name: String
        let clientToken: String
        let clientSecret: String

        init(_ integration: Integration) {
            (id, name) = (integration.id, integration.name)
            (clientToken, clientSecret) = (integration.token, integration.secret)
        }
    }

    private struct ListView: Codable {
        let restrictedAccess: Bool
        let items: [IntegrationView]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/integration/create") { (request: CreateRequest) in
                IntegrationView(try service.create(name: request.name))
            },
            .backOffice("/integration/list") {
                ListView(
                    restrictedAccess: service.context.policy.isBackOfficeRestricted,
                    items: try service.list().map(IntegrationView.init))
            },
            .backOffice("/integration/remove") { (request: IdentifierField) in
                let isRemoved = try service.remove(id: request.id)
                return RemovedView(id: request.id ?? Identifier.none, removed: isRemoved)
            },
        ]
    }

    /// The same resource for integrations only, when the back office is restricted.
    func restricted(_ endpoint: Endpoint) -> Endpoint {
        guard service.context.policy.isBackOfficeRestricted else { return endpoint }
        return endpoint.admitting { request in
            guard try service.admits(authorization: request.header("Authorization")) else {
                throw ErrorResponse.authentication
            }
        }
    }
}
