// SPDX-License-Identifier: Apache-2.0

import LabCore

/// `/application/callback/**` (server.md, section 16.1), with the delivery log as a resource of its own.
struct CallbackEndpoints: Sendable {
    let service: CallbackService

    private struct CallbackRequest: Decodable {
        var applicationId: Identifier?
        var name: String?
        var type: EnumName<CallbackType>?
        var callbackUrl: String?
        var attributes: [String]?
        var authentication: CallbackAuthentication?
        var retentionPeriod: ISODuration?
        var initialBackoff: ISODuration?
        var maxAttempts: LenientInteger?

        func description() throws -> CallbackService.Description {
            try Violations.check(
                [("applicationId", applicationId?.text), ("callbackUrl", callbackUrl), ("name", name)],
                present: [("type", type != nil)])
            return .init(
                applicationId: applicationId, name: name, type: type?.value, url: callbackUrl,
                attributes: attributes ?? [], authentication: authentication, retention: retentionPeriod?.milliseconds,
                initialBackoff: initialBackoff?.milliseconds, maxAttempts: maxAttempts.map { Int($0.value) })
        }
    }

    private struct CallbackView: Codable {
        let id: Identifier
        let applicationId: Identifier
        let name: String
        let type: String
        let callbackUrl: String
        let attributes: [String]
        let authentication: CallbackAuthenticationView
        /// This and the next two are the policy's where the callback has none of its own.
        let retentionPeriod: ISODuration
        let initialBackoff: ISODuration
        let maxAttempts: Int
    }

    private struct ListView: Codable { let callbackUrlList: [CallbackView] }

    private struct DeliveryView: Codable {
        struct Attempt: Codable {
            let idempotencyKey: String
            let payload: JSONValue
            let status: String
            let attempt: Int
            @ExplicitNull var httpStatus: Int?
            @ExplicitNull var failure: String?
            let timestampCalled: BackOfficeDate
        }
        let attempts: [Attempt]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/application/callback/create") { (request: CallbackRequest) in
                view(try service.create(request.description()))
            },
            .backOffice("/application/callback/update") { (request: Identified<Identifier, CallbackRequest>) in
                view(try service.update(id: request.id, request.content.description()))
            },
            .backOffice("/application/callback/list") { (request: ApplicationField) in
                ListView(callbackUrlList: try service.list(applicationId: request.applicationId).map(view))
            },
            .backOffice("/application/callback/remove") { (request: IdentifierField) in
                let isRemoved = try service.remove(id: request.id)
                return RemovedView(id: request.id ?? Identifier.none, removed: isRemoved)
            },
            // Not in the original, which keeps no log.
            .backOffice("/application/callback/deliveries") { (request: IdentifierField) in
                DeliveryView(
                    attempts: try service.attempts(callbackId: request.id).map { attempt in
                        .init(
                            idempotencyKey: attempt.idempotencyKey, payload: try JSONValue.parse(attempt.payload),
                            status: attempt.status, attempt: attempt.number, httpStatus: attempt.httpStatus,
                            failure: attempt.failure, timestampCalled: BackOfficeDate(attempt.called))
                    })
            },
        ]
    }

    private func view(_ callback: Callback) -> CallbackView {
        let policy = service.context.policy.callbacks
        return CallbackView(
            id: callback.id, applicationId: callback.application.id, name: callback.name, type: callback.type.rawValue,
            callbackUrl: callback.url, attributes: callback.attributes,
            authentication: CallbackAuthenticationView(callback.authentication),
            retentionPeriod: ISODuration(milliseconds: callback.retention ?? policy.retention),
            initialBackoff: ISODuration(milliseconds: callback.initialBackoff ?? policy.initialBackoff),
            maxAttempts: callback.maxAttempts ?? policy.maxAttempts)
    }
}

extension CallbackType: NamedChoice { var name: String { rawValue } }

/// A duration as the API spells it: `PT2S`, `P30D`; out in hours, minutes and seconds (server.md, section 2.3).
struct ISODuration: Codable, Sendable, Equatable {
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let pattern = /P(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.(\d{1,3})\d*)?S)?)?/
        guard let match = try? pattern.wholeMatch(in: text), text.last?.isLetter == true, text.last != "T", text != "P"
        else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a duration such as PT2S")
        }
        func number(_ part: Substring?) -> Int64 { part.flatMap { Int64($0) } ?? 0 }
        let (_, days, hours, minutes, seconds, fraction) = match.output
        let fractionText = String(fraction ?? "")
        let thousandths = fractionText + String(repeating: "0", count: 3 - fractionText.count)
        milliseconds =
            number(days) * 86_400_000 + number(hours) * 3_600_000 + number(minutes) * 60_000 + number(seconds) * 1000
            + number(thousandths[...])
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private var text: String {
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (seconds, rest) = (milliseconds / 1000 % 60, milliseconds % 1000)
        var text = "PT"
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        if rest > 0 {
            var fraction = String(String(rest + 1000).dropFirst())
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += "\(seconds).\(fraction)S"
        } else if seconds > 0 || text == "PT" {
            text += "\(seconds)S"
        }
        return text
    }
}

/// The authentication of a callback as it is shown: of every secret only whether there is one (server.md, section 16.1).
struct CallbackAuthenticationView: Codable {
    struct Certificate: Codable {
        let enabled: Bool
        let useCustomKeyStore: Bool
        @ExplicitNull var keyStoreLocation: String?
        let keyStorePasswordSet: Bool
        @ExplicitNull var keyAlias: String?
        let keyPasswordSet: Bool
        let useCustomTrustStore: Bool
        @ExplicitNull var trustStoreLocation: String?
        let trustStorePasswordSet: Bool
    }

    struct Basic: Codable {
        let enabled: Bool
        @ExplicitNull var username: String?
        let passwordSet: Bool
    }

    struct OAuth2: Codable {
        let enabled: Bool
        @ExplicitNull var tokenUri: String?
        @ExplicitNull var clientId: String?
        let clientSecretSet: Bool
        @ExplicitNull var scope: String?
    }

    @ExplicitNull var certificate: Certificate?
    @ExplicitNull var httpBasic: Basic?
    @ExplicitNull var oauth2: OAuth2?

    init(_ authentication: CallbackAuthentication) {
        certificate = authentication.certificate.map {
            Certificate(
                enabled: $0.enabled, useCustomKeyStore: $0.useCustomKeyStore, keyStoreLocation: $0.keyStoreLocation,
                keyStorePasswordSet: $0.keyStorePassword != nil, keyAlias: $0.keyAlias,
                keyPasswordSet: $0.keyPassword != nil, useCustomTrustStore: $0.useCustomTrustStore,
                trustStoreLocation: $0.trustStoreLocation, trustStorePasswordSet: $0.trustStorePassword != nil)
        }
        httpBasic = authentication.httpBasic.map {
            Basic(enabled: $0.enabled, username: $0.username, passwordSet: $0.password != nil)
        }
        oauth2 = authentication.oauth2.map {
            OAuth2(
                enabled: $0.enabled, tokenUri: $0.tokenUri, clientId: $0.clientId,
                clientSecretSet: $0.clientSecret != nil, scope: $0.scope)
        }
    }
}
