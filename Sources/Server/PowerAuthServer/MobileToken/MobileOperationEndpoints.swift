// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// `/api/auth/token/app/operation/**` (mobile-token.md, section 3).
struct MobileOperationEndpoints: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    private struct ApprovalRequest: Decodable {
        var id: Identifier?
        var data: String?
        var proximityCheck: ProximityCheck?

        /// The moments that belong to it are for logs only.
        struct ProximityCheck: Decodable { var otp: String? }
    }

    private struct RejectionRequest: Decodable {
        var id: Identifier?
        var reason: String?
    }

    private static let strong: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry]

    private var service: MobileOperationService { MobileOperationService(context: context) }

    var endpoints: [Endpoint] {
        let root = "/api/auth/token/app/operation"
        let final = [OperationStatus.canceled, .approved, .failed, .expired].compactMap(MobileTokenFailure.init)
        let single = final + [.operationNotFound, .foreignOperation, .templateNotFound, .brokenTemplate]
        let decision = final + [.operationUnexpected, .missingFlag("F"), .invalidActivation]
        return [
            .mobileToken("\(root)/list", failures: [.brokenTemplate, .invalidActivation]) { request in
                try list(request, caller(tokenOf: request))
            },
            .mobileToken("\(root)/list/signature", failures: [.brokenTemplate, .invalidActivation]) { request in
                try list(request, caller(signatureOf: request, "/operation/list/signature", [.possession]).caller)
            },
            .mobileToken("\(root)/history", failures: [.brokenTemplate]) { request in
                let caller = try caller(signatureOf: request, "/operation/history", Self.strong).caller
                return try .object(service.list(caller, isPendingOnly: false))
            },
            .mobileToken("\(root)/detail", failures: single) { request in
                let caller = try caller(tokenOf: request)
                return try answer(with: service.detail(caller, id: reference(in: request)))
            },
            .mobileToken("\(root)/detail/claim", failures: single + [.missingFlag("F")]) { request in
                let caller = try caller(tokenOf: request)
                return try answer(with: service.claim(caller, id: reference(in: request)))
            },
            .mobileToken("\(root)/authorize", failures: decision + [.approvalFailed], answer: authorize),
            .mobileToken("\(root)/cancel", failures: decision + [.rejectionFailed], answer: cancel),
        ]
    }

    private func list(_ request: ServerRequest, _ caller: MobileOperationService.Caller) throws -> ServerResponse {
        try service.checkNewest(caller)
        return try answer(with: service.list(caller, isPendingOnly: true))
    }

    private func answer(with content: some Encodable) throws -> ServerResponse {
        try .ok(TimedEnvelope(responseObject: content, currentTimestamp: MobileTokenDate(context.clock.now())))
    }

    /// A request without operation cannot be answered (mobile-token.md, section 25).
    private func reference(in request: ServerRequest) throws -> Identifier? {
        try request.object(MobileTokenReference.self).id
    }

    /// A wrong signature also counts as an attempt to approve (mobile-token.md, section 16.5).
    @Sendable private func authorize(_ request: ServerRequest) throws -> ServerResponse {
        let authenticated = Result {
            try caller(signatureOf: request, "/operation/authorize", Self.strong.union([.possession]))
        }
        let body = Result { try request.content(OptionalRequest<ApprovalRequest>.self) }
        // Without a valid signature, errors of the body are not reported.
        if case .failure = body { _ = try authenticated.get() }
        let approval = try body.get().requestObject
        guard let approval, let id = approval.id else { throw MobileTokenFailure.authentication }
        switch authenticated {
        case .success(let (caller, type)):
            guard let data = approval.data else { throw ErrorResponse.unexpected }
            try service.checkNewest(caller)
            try service.approve(.init(id: id, data: data, otp: approval.proximityCheck?.otp), caller, type)
            return try .ok(EmptyEnvelope())
        case .failure(let refusal as DeviceAuthentication.Refusal):
            try service.failApproval(
                id: id,
                activationId: authentication.claimedActivation(of: request),
                ipAddress: request.remoteAddress, userAgent: Self.userAgent(of: request))
            throw refusal
        case .failure(let error): throw error
        }
    }

    @Sendable private func cancel(_ request: ServerRequest) throws -> ServerResponse {
        let caller = try caller(signatureOf: request, "/operation/cancel", [.possession]).caller
        let rejection = try request.content(OptionalRequest<RejectionRequest>.self).requestObject
        guard let rejection else { throw MobileTokenFailure.authentication }
        try service.checkNewest(caller)
        try service.reject(id: rejection.id, reason: rejection.reason, caller)
        return try .ok(EmptyEnvelope())
    }

    // MARK: Callers

    private func caller(tokenOf request: ServerRequest) throws -> MobileOperationService.Caller {
        caller(of: request, try authentication.authenticateToken(request, allowed: .withPossession))
    }

    private func caller(
        signatureOf request: ServerRequest, _ uriId: String, _ allowed: Set<SignatureType>
    ) throws -> (caller: MobileOperationService.Caller, type: SignatureType) {
        let authenticated = try authentication.authenticateCaller(request, uriId: uriId, allowed: allowed)
        return (caller(of: request, authenticated.activation), authenticated.type)
    }

    private func caller(of request: ServerRequest, _ activation: Activation) -> MobileOperationService.Caller {
        MobileOperationService.Caller(
            activation: activation, language: AcceptedLanguage(header: request.header("Accept-Language")),
            ipAddress: request.remoteAddress, userAgent: Self.userAgent(of: request))
    }

    /// The app's user agent, stored with the operation and truncated.
    private static func userAgent(of request: ServerRequest) -> String? {
        request.header("User-Agent").map { String($0.unicodeScalars.prefix(TextLimit.line.characters)) }
    }
}

/// `{"requestObject": …}` of a request whose object may be missing.
struct OptionalRequest<Content: Decodable>: Decodable { let requestObject: Content? }

/// A reference to an operation or a message.
struct MobileTokenReference: Decodable { var id: Identifier? }

/// An answer with the server's time.
struct TimedEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let responseObject: Content
    let currentTimestamp: MobileTokenDate
}

/// A page of a list.
struct PageEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let page: Int
    let size: Int
    let responseObject: Content
}
