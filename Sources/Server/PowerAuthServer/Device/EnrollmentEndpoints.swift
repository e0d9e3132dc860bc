// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// `/api/config/oidc` and `/api/activation/code`: called by apps before an activation, their own or that of another app
/// (rest-api.md, section 12).
struct EnrollmentEndpoints: Sendable {
    let context: ServiceContext
    let encryption: DeviceEncryption
    let identityProviders: IdentityProviders

    private struct ProviderRequest: Decodable { var providerId: String? }

    /// The provider settings that a device needs to send its user there; without the client secret.
    private struct ProviderView: Encodable {
        let providerId: String
        let clientId: String
        let scopes: String
        @ExplicitNull var authorizeUri: String?
        let redirectUri: String
        let pkceEnabled: Bool
    }

    /// The application of the other app, and the one-time password that its key exchange must show.
    private struct CodeRequest: Decodable {
        var applicationId: Identifier?
        var otp: String?
    }

    private struct CodeView: Encodable {
        let activationId: Identifier
        let activationCode: String
        /// Base64 of a DER signature by the master key.
        let activationSignature: String
    }

    private static let codeURI = "/api/activation/code"

    /// The fewest characters of the one-time password of a code.
    static let shortestOtp = 16

    var endpoints: [Endpoint] {
        [
            .device("/api/config/oidc", failure: .encryption, others: [.applicationConfiguration], answer: provider),
            .device(Self.codeURI, failure: .activationCode, others: [.authentication], answer: code),
        ]
    }

    @Sendable private func provider(_ request: ServerRequest) throws -> ServerResponse {
        let exchange = try encryption.open(request, scope: .application)
        let found: IdentityProvider
        do {
            let wanted = try JSONBody.decode(ProviderRequest.self, from: exchange.plaintext)
            guard let id = wanted.providerId.nonBlank else {
                throw ServiceError(.invalidRequest, "providerId is missing")
            }
            found = try identityProviders.provider(
                id, applicationKey: exchange.applicationVersion.applicationKey)
        } catch let error as ServiceError {
            throw DeviceAuthentication.Refusal(cause: error.description, answer: .applicationConfiguration)
        } catch let error as DecodingError {
            throw DeviceAuthentication.Refusal(cause: error.sentence, answer: .applicationConfiguration)
        }
        let view = ProviderView(
            providerId: found.providerId, clientId: found.clientId, scopes: found.scopes ?? "openid",
            authorizeUri: found.authorizeUri, redirectUri: found.redirectUri, pkceEnabled: found.pkceEnabled ?? false)
        return try encryption.answer(exchange, with: JSONBody.encode(ResponseEnvelope(responseObject: view)))
    }

    /// Makes a code for the same user in another app. The password, which this app hands over beside the code, proves in
    /// the key exchange that the other app is on the same device; the activation then needs no commit.
    @Sendable private func code(_ request: ServerRequest) throws -> ServerResponse {
        let (exchange, caller) = try encryption.openSigned(
            request, uriId: Self.codeURI, allowed: [.possessionKnowledge, .possessionBiometry])
        let wanted = try JSONBody.decode(RequestEnvelope<CodeRequest>.self, from: exchange.plaintext).requestObject
        guard let otp = wanted.otp.nonBlank, otp.unicodeScalars.count >= Self.shortestOtp else {
            throw ServiceError(.invalidRequest, "otp must have at least \(Self.shortestOtp) characters")
        }
        try TextLimit.ordinary.check(otp, "otp")
        var new = ActivationService.NewActivation()
        new.userId = caller.activation.userId
        new.applicationId = wanted.applicationId
        new.otpValidation = .onKeyExchange
        new.otp = otp
        let initiated = try ActivationService(context: context).initiate(new)
        let view = CodeView(
            activationId: initiated.activation.id, activationCode: initiated.activation.code,
            activationSignature: StrictBase64.encode(initiated.codeSignature))
        return try encryption.answer(exchange, with: JSONBody.encode(ResponseEnvelope(responseObject: view)))
    }
}
