// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// `/api/push/device/**` (mobile-token.md, section 12.2).
struct PushEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    private struct RegistrationRequest: Decodable {
        var platform: PlatformName?
        var token: String?
        var environment: PushEnvironment?
    }

    /// A platform under its present or an older name.
    private struct PlatformName: Decodable {
        let platform: PushPlatform

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let platform = PushPlatform(named: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown platform")
            }
            self.platform = platform
        }
    }

    private static let factors: Set<SignatureType> = [.possession, .possessionBiometry, .possessionKnowledge]

    var endpoints: [Endpoint] {
        let byToken: Endpoint.Handler = { request in
            try register(request, authentication.authenticateToken(request, allowed: Self.factors))
        }
        return [
            endpoint("/api/push/device/register", byToken), endpoint("/api/push/device/register/token", byToken),
            endpoint("/api/push/device/register/signature") { request in
                let activation = try authentication.authenticateCaller(
                    request, uriId: "/device/register/signature", allowed: [.possession]
                ).activation
                return try register(request, activation)
            },
        ]
    }

    private func endpoint(_ path: String, _ answer: @escaping Endpoint.Handler) -> Endpoint {
        .mobileToken(
            path, failures: [.invalidObject, .pushRegistrationFailed],
            refusal: context.policy.hasLibraryAuthenticationCode ? .libraryAuthentication : .pushAuthentication,
            answer: answer)
    }

    private func register(_ request: ServerRequest, _ activation: Activation) throws -> ServerResponse {
        let wanted = try request.content(OptionalRequest<RegistrationRequest>.self).requestObject
        guard let wanted, let platform = wanted.platform?.platform, let token = wanted.token.nonBlank else {
            throw MobileTokenFailure.invalidObject
        }
        do {
            try PushRegistrationService(context: context).register(
                .init(
                    applicationId: activation.application.id, token: token, platform: platform,
                    environment: wanted.environment, activationId: activation.id))
        } catch is ServiceError {
            throw MobileTokenFailure.pushRegistrationFailed
        }
        return try .ok(EmptyEnvelope())
    }
}
