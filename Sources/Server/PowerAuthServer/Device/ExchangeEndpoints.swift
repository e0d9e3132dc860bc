// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Endpoints of an imaginary application's backend that show every way to protect one (rest-api.md, section 12).
struct ExchangeEndpoints: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption

    private struct Message: Codable { var data: String? }
    private struct Wrapped<Content: Codable>: Codable { var requestObject: Content }

    var endpoints: [Endpoint] {
        [
            encrypted("/exchange/v3/application", scope: .application) { try Self.opened($0, "APPLICATION_SCOPE") },
            encrypted("/exchange/v3/activation", scope: .activation) { try Self.opened($0, "ACTIVATION_SCOPE") },
            // For networking libraries: an envelope inside the encryption, in either scope.
            encrypted("/exchange/v3/application/generics", scope: .application, Self.echo),
            encrypted("/exchange/v3/activation/generics", scope: .activation, Self.echo),
            signed("/exchange/v3/signed") { plaintext, userId in
                let text = try Self.message(plaintext).data ?? ""
                return try JSONBody.encode(Message(data: Self.verified(text, userId: userId)))
            },
            signed("/exchange/v3/signed/string") { plaintext, userId in
                let text = plaintext.isEmpty ? "" : try JSONBody.decode(String.self, from: plaintext)
                return try JSONBody.encode(Self.verified(text, userId: userId))
            },
            // Any bytes will do, so nothing is left to be refused once the signature is accepted.
            signed("/exchange/v3/signed/raw", failure: .authentication) { plaintext, _ in plaintext },
            signed("/exchange/v3/signed/generics") { plaintext, _ in try Self.echo(plaintext) },
            authorized("/exchange/v3/token") { plaintext, userId in
                let text = try Self.message(plaintext).data ?? ""
                return try JSONBody.encode(Message(data: Self.verified(text, userId: userId)))
            },
            authorized("/exchange/v3/token/generics") { plaintext, _ in try Self.echo(plaintext) },
            // Not encrypted.
            .device("/session/login", failure: .authentication, readsJSON: false) { request in
                let activation = try encryption.authentication.authenticateCaller(
                    request, uriId: "/session/login", allowed: .strong
                ).activation
                return try .object(["userId": activation.userId, "activationId": activation.id])
            },
            .device("/secured/account/{id}", failure: .authentication, readsJSON: false) { request in
                let uriId = try UriIdTemplate("/secured/account/${id}?filter=${filter}").filled(from: request)
                let activation = try encryption.authentication.authenticateCaller(
                    request, uriId: uriId, allowed: .strong
                ).activation
                return try .object(["accountId": request.parameters["id"] ?? "", "userId": activation.userId.text])
            },
            .device(
                "/secure/account/widget/balance", methods: ["GET", "POST"], failure: .authentication, readsJSON: false
            ) { request in
                _ = try encryption.authentication.authenticateToken(request, allowed: .withPossession)
                return try .object("CZK 1 234.50")
            },
        ]
    }

    private func encrypted(
        _ path: String, scope: EciesScope, _ answer: @escaping @Sendable (_ plaintext: Data) throws -> Data
    ) -> Endpoint {
        .device(path, failure: .encryption) { request in
            let exchange = try encryption.open(request, scope: scope)
            return try encryption.answer(exchange, with: answer(exchange.plaintext))
        }
    }

    private func signed(
        _ path: String, failure: ErrorResponse = .encryption,
        _ answer: @escaping @Sendable (_ plaintext: Data, _ userId: Identifier) throws -> Data
    ) -> Endpoint {
        .device(path, failure: failure, others: [.authentication]) { request in
            let (exchange, caller) = try encryption.openSigned(request, uriId: path)
            return try encryption.answer(exchange, with: try answer(exchange.plaintext, caller.activation.userId))
        }
    }

    /// A token of two factors authenticates, the envelope of its activation protects.
    private func authorized(
        _ path: String, _ answer: @escaping @Sendable (_ plaintext: Data, _ userId: Identifier) throws -> Data
    ) -> Endpoint {
        .device(path, failure: .encryption, others: [.authentication]) { request in
            let (exchange, activation) = try encryption.openAuthorized(request, allowed: .strong)
            return try encryption.answer(exchange, with: answer(exchange.plaintext, activation.userId))
        }
    }

    private static func opened(_ plaintext: Data, _ scope: String) throws -> Data {
        let text = try message(plaintext).data ?? ""
        return try JSONBody.encode(Message(data: "Server successfully decrypted signed data: \(text), scope: \(scope)"))
    }

    /// Puts what came in one envelope into the other.
    @Sendable private static func echo(_ plaintext: Data) throws -> Data {
        let content = try JSONBody.decode(Wrapped<Message>.self, from: plaintext).requestObject
        return try JSONBody.encode(ResponseEnvelope(responseObject: content))
    }

    private static func message(_ plaintext: Data) throws -> Message {
        plaintext.isEmpty ? Message(data: "") : try JSONBody.decode(Message.self, from: plaintext)
    }

    private static func verified(_ text: String, userId: Identifier) -> String {
        "Server successfully decrypted data and verified signature, request data: \(text), user ID: \(userId)"
    }
}

/// A URI identifier with placeholders `${name}`, filled from the request: query parameters first, then path parameters.
/// Unknown placeholders stay unchanged.
struct UriIdTemplate: Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// - Throws: a refusal for a query that cannot be read.
    func filled(from request: ServerRequest) throws -> String {
        let query = try QueryParameters(request.query)
        return text.replacing(/\$\{([A-Za-z0-9_]+)\}/) { match in
            let name = String(match.1)
            return query[name] ?? request.parameters[name] ?? String(match.0)
        }
    }
}
