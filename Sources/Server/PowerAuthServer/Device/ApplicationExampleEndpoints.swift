import Foundation
import PowerAuthProtocol

/// Endpoints of an imaginary application that are signed or token-authorised and not encrypted
/// (rest-api.md, section 12).
struct ApplicationExampleEndpoints: Sendable {
    let authentication: DeviceAuthentication

    private struct Session: Encodable {
        let userId: Identifier
        let activationId: Identifier
    }

    private struct Account: Encodable {
        let accountId: String
        let userId: Identifier
    }

    var endpoints: [Endpoint] {
        [
            .device("/session/login", failure: .authentication, readsJSON: false) { request in
                let activation = try authentication.authenticate(
                    request, uriId: "/session/login", allowed: .strong
                ).activation
                return try .ok(
                    ResponseEnvelope(responseObject: Session(userId: activation.userId, activationId: activation.id)))
            },
            .device("/secured/account/{id}", failure: .authentication, readsJSON: false) { request in
                let uriId = try UriIdTemplate("/secured/account/${id}?filter=${filter}").filled(from: request)
                let activation = try authentication.authenticate(request, uriId: uriId, allowed: .strong).activation
                return try .ok(
                    ResponseEnvelope(
                        responseObject: Account(accountId: request.parameters["id"] ?? "", userId: activation.userId)))
            },
            .device(
                "/secure/account/widget/balance", methods: ["GET", "POST"], failure: .authentication, readsJSON: false
            ) { request in
                _ = try authentication.authenticateToken(request, allowed: .withPossession)
                return try .ok(ResponseEnvelope(responseObject: "CZK 1 234.50"))
            },
        ]
    }
}

/// A URI identifier with placeholders `${name}`, filled from the request: query parameters first, then path parameters.
/// Unknown placeholders stay unchanged.
struct UriIdTemplate: Sendable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// - Throws: a refusal for a query that cannot be read.
    func filled(from request: ServerRequest) throws -> String {
        let query = try QueryParameters(request.query)
        return text.replacing(/\$\{([A-Za-z0-9_]+)\}/) { match in
            let name = String(match.1)
            return query[name] ?? request.parameters[name] ?? String(match.0)
        }
    }
}

/// The parameters of a query, split first and decoded once (rest-api.md, section 14.1, item 11).
struct QueryParameters: Sendable {
    private var values: [String: String] = [:]

    /// - Parameter rawQuery: without `?`; nil without a query.
    /// - Throws: a refusal for an escape that is not UTF-8 text.
    init(_ rawQuery: String?) throws {
        for pair in (rawQuery ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
                throw DeviceAuthentication.Refusal(cause: "the query is not percent-encoded UTF-8")
            }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// The identifier in a parameter.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    func identifier(_ name: String) throws -> Identifier? { try .named(values[name], field: name) }
}
