// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// `/api/inbox/**` (mobile-token.md, section 13.2).
struct InboxEndpoints: Sendable {
    let service: InboxService
    let authentication: DeviceAuthentication

    private struct PageRequest: Decodable {
        var page: Int?
        var size: Int?
        var onlyUnread: Bool?
    }

    private struct MessageView: Encodable {
        let id: Identifier
        let type: InboxMessage.Format
        let subject: String
        let summary: String
        /// Only the detail has it.
        var body: String?
        let read: Bool
        let timestampCreated: MobileTokenDate
    }

    /// The default page size.
    static let pageSize = 100

    var endpoints: [Endpoint] {
        [
            endpoint("/api/inbox/count") { _, activation in
                try .object(["countUnread": service.unreadCount(activation)])
            },
            endpoint("/api/inbox/message/list") { request, activation in
                let wanted: PageRequest = try object(of: request)
                let (page, size) = (wanted.page ?? 0, wanted.size ?? Self.pageSize)
                let messages = try service.list(
                    activation, page: page, size: size, isUnreadOnly: wanted.onlyUnread ?? false)
                return try .ok(PageEnvelope(page: page, size: size, responseObject: messages.map(Self.view)))
            },
            endpoint("/api/inbox/message/detail") { request, activation in
                let reference: MobileTokenReference = try object(of: request)
                let message = try service.detail(activation, id: reference.id)
                return try .object(Self.view(message))
            },
            endpoint("/api/inbox/message/read") { request, activation in
                let reference: MobileTokenReference = try object(of: request)
                try service.markRead(activation, id: reference.id)
                return try .ok(EmptyEnvelope())
            },
            endpoint("/api/inbox/message/read-all") { _, activation in
                try service.markAllRead(activation)
                return try .ok(EmptyEnvelope())
            },
        ]
    }

    private static func view(_ message: InboxMessage) -> MessageView {
        MessageView(
            id: message.id, type: message.format, subject: message.subject, summary: message.summary,
            body: message.body, read: message.read != nil, timestampCreated: MobileTokenDate(message.created))
    }

    /// - Throws: ``MobileTokenFailure/inboxFailed`` without request object.
    private func object<Content: Decodable>(of request: ServerRequest) throws -> Content {
        guard let object = try request.content(OptionalRequest<Content>.self).requestObject else {
            throw MobileTokenFailure.inboxFailed
        }
        return object
    }

    /// A resource for the owner of a token; all its refusals have one code.
    private func endpoint(
        _ path: String, _ answer: @escaping @Sendable (ServerRequest, Activation) throws -> ServerResponse
    ) -> Endpoint {
        .mobileToken(
            path, failures: [.inboxFailed],
            refusal: service.context.policy.hasLibraryAuthenticationCode ? .libraryAuthentication : .authentication
        ) { request in
            let activation = try authentication.authenticateToken(request, allowed: .withPossession)
            do {
                return try answer(request, activation)
            } catch is ServiceError {
                throw MobileTokenFailure.inboxFailed
            }
        }
    }
}
