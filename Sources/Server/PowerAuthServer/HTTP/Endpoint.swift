import Foundation

/// The types of a back-office resource's request and response objects.
struct EndpointBodies: Sendable {
    /// Nil for a resource that takes nothing.
    let request: (any (Decodable & SendableMetatype).Type)?
    /// Nil for one that answers with its success alone.
    let response: (any (Decodable & SendableMetatype).Type)?
}

/// One resource of the server: where it is, and the function that answers.
///
/// The function blocks and therefore runs on a worker thread; what it cannot say yet it leaves to a ``Reply/afterwards``.
/// ``quickAnswer`` does not block, and runs on an event loop. ``RequestDispatcher`` leads a request through them.
struct Endpoint: Sendable {
    let face: APISurface
    /// The path below the face's mount points, with a leading slash.
    let path: String
    let methods: Set<String>
    /// The device's error for any error of the domain; the back office receives the error itself.
    let fallback: ErrorResponse
    /// Further errors for a device, beside the fallback and the answers independent of the endpoint: 405, 413, 415 and
    /// 500.
    var otherFailures: [ErrorResponse] = []
    /// The media type of the body.
    var bodyType = BodyType.json
    /// The bodies of a resource, for its description; nil if the API surface describes them completely.
    var bodies: EndpointBodies?
    /// What fields of the request are like beside their types; those of the back office stand in ``FieldLimit``.
    var limits: [String: FieldLimit] = [:]
    /// How long the texts of a request may be; nil where nothing is said about them.
    var lengths: RequestLengths?
    /// The media type of the answer.
    var answerType = "application/json"
    /// Answers without blocking, so that no worker is needed; nil, and nothing has happened, leaves the request to one.
    var quickAnswer: (@Sendable (ServerRequest) async throws -> ServerResponse?)?
    let reply: @Sendable (ServerRequest) throws -> Reply

    /// A device resource.
    /// - Parameters:
    ///   - failure: the device's error unless one of `others` applies.
    ///   - others: further failures, listed in the description of the API.
    ///   - readsJSON: false where the body is only signed, not read.
    static func device(
        _ path: String, methods: Set<String> = ["POST"], failure: ErrorResponse, others: [ErrorResponse] = [],
        readsJSON: Bool = true, answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .device, path: path, methods: methods, fallback: failure, otherFailures: others,
            bodyType: readsJSON ? .json : .unread, reply: { try .answer(answer($0)) })
    }

    /// A device resource that calls external services for some requests.
    static func asking(
        _ path: String, failure: ErrorResponse, others: [ErrorResponse] = [],
        reply: @escaping @Sendable (ServerRequest) throws -> Reply
    ) -> Endpoint {
        Endpoint(
            face: .device, path: path, methods: ["POST"], fallback: failure, otherFailures: others, reply: reply)
    }

    /// A resource of the Mobile Token API.
    /// - Parameters:
    ///   - failures: the possible errors.
    ///   - refusal: the error for a device without a valid signature or token.
    static func mobileToken(
        _ path: String, failures: [MobileTokenFailure] = [], refusal: MobileTokenFailure = .authentication,
        answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .mobileToken, path: path, methods: ["POST"], fallback: .mobileToken(refusal),
            otherFailures: failures.map(ErrorResponse.mobileToken), reply: { try .answer(answer($0)) })
    }

    /// A resource that is not part of PowerAuth.
    /// - Parameters:
    ///   - request: the type of a POST body, for the description; nil for any body.
    ///   - limits: limits of its fields beside their types.
    ///   - bodyType: the media type of a POST.
    ///   - others: possible failures beside an invalid request.
    static func lab(
        _ path: String, methods: Set<String>, takes request: (any (Decodable & SendableMetatype).Type)? = nil,
        limits: [String: FieldLimit] = [:], bodyType: BodyType = .json, others: [ErrorResponse] = [],
        answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: methods, fallback: .unexpected, otherFailures: others, bodyType: bodyType,
            bodies: request.map { EndpointBodies(request: $0, response: nil) }, limits: limits,
            reply: { try .answer(answer($0)) })
    }

    /// A page for operators that is no JSON.
    static func page(
        _ path: String, type: String, answer: @escaping @Sendable () throws -> String
    ) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: ["GET"], fallback: .unexpected, bodyType: .unread, answerType: type
        ) { _ in
            try .answer(ServerResponse(status: 200, body: Data(answer().utf8), contentType: type))
        }
    }

    /// A back-office resource: takes a request object, gives a response object.
    /// - Parameter quickly: see ``quickAnswer``.
    static func backOffice<Request: Decodable & SendableMetatype, Response: Codable & SendableMetatype>(
        _ path: String, quickly: (@Sendable (Request) async throws -> Response?)? = nil,
        _ answer: @escaping @Sendable (Request) throws -> Response
    ) -> Endpoint {
        var endpoint = backOffice(path, EndpointBodies(request: Request.self, response: Response.self)) { request in
            let envelope = try JSONBody.decode(RequestEnvelope<Request>.self, from: request.body)
            return try .ok(ResponseEnvelope(responseObject: answer(envelope.requestObject)))
        }
        if let quickly {
            endpoint.quickAnswer = { request in
                let envelope = try JSONBody.decode(RequestEnvelope<Request>.self, from: request.body)
                guard let response = try await quickly(envelope.requestObject) else { return nil }
                return try .ok(ResponseEnvelope(responseObject: response))
            }
        }
        return endpoint
    }

    /// A back-office resource that takes nothing; a body is not looked at.
    static func backOffice<Response: Codable & SendableMetatype>(
        _ path: String, _ answer: @escaping @Sendable () throws -> Response
    ) -> Endpoint {
        backOffice(path, EndpointBodies(request: nil, response: Response.self)) { _ in
            try .ok(ResponseEnvelope(responseObject: answer()))
        }
    }

    /// A back-office resource that answers with the bare `{"status":"OK"}`.
    static func backOfficeAction<Request: Decodable & SendableMetatype>(
        _ path: String, _ action: @escaping @Sendable (Request) throws -> Void
    ) -> Endpoint {
        backOffice(path, EndpointBodies(request: Request.self, response: nil)) { request in
            try action(JSONBody.decode(RequestEnvelope<Request>.self, from: request.body).requestObject)
            return try .ok(EmptyEnvelope())
        }
    }

    /// A back-office resource whose answer depends on more than its request object.
    static func backOffice(
        _ path: String, _ bodies: EndpointBodies, _ answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .backOffice, path: "/rest/v3\(path)", methods: ["POST"], fallback: .unexpected, bodies: bodies,
            reply: { try .answer(answer($0)) })
    }

    /// The same resource with another function that replies, always on a worker.
    func replying(_ reply: @escaping @Sendable (ServerRequest) throws -> Reply) -> Endpoint {
        Endpoint(
            face: face, path: path, methods: methods, fallback: fallback, otherFailures: otherFailures,
            bodyType: bodyType, bodies: bodies, limits: limits, lengths: lengths, answerType: answerType, reply: reply)
    }

    /// Answers a request, or returns the external call to make first; every failure becomes an error answer.
    func respond(to request: ServerRequest, journal: (any ServerJournal)?) -> Reply {
        do {
            try admit(request)
            return try reply(request)
        } catch {
            return .answer(refusal(error, journal))
        }
    }

    /// Completes a request after its external call; every failure becomes an error answer.
    func conclude(_ conclusion: Result<Reply.Conclusion, any Error>, journal: (any ServerJournal)?) -> ServerResponse {
        do {
            return try conclusion.get()()
        } catch {
            return refusal(error, journal)
        }
    }

    /// Answers a request without blocking; nil leaves it to ``respond(to:journal:)``.
    func respondQuickly(to request: ServerRequest, journal: (any ServerJournal)?) async -> ServerResponse? {
        do {
            try admit(request)
            return try await quickAnswer?(request)
        } catch {
            return refusal(error, journal)
        }
    }

    private func admit(_ request: ServerRequest) throws {
        guard methods.contains(request.method) else { throw ErrorResponse.methodNotAllowed }
        guard bodyType.fits(request, on: face) else { throw ErrorResponse.unsupportedMediaType(bodyType) }
        try lengths?.check(request.body)
    }

    private func refusal(_ error: any Error, _ journal: (any ServerJournal)?) -> ServerResponse {
        let failure = ErrorResponse(error, face: face, fallback: fallback)
        journal?.record(
            .requestRefused(path: path, code: failure.code(on: face), cause: "\(error)"),
            operation: CurrentOperation.id)
        var response = failure.response(on: face)
        if failure == .methodNotAllowed { response.allow = methods.sorted().joined(separator: ", ") }
        return response
    }
}

extension APISurface {
    /// The prefixes under which a face is served, so that every tool runs with its default base URL
    /// (server.md, section 1).
    var mountPoints: [String] {
        switch self {
        case .device, .mobileToken: ["", "/enrollment-server"]
        case .backOffice: ["", "/powerauth-java-server", ServerVersion.olderMountPoint]
        case .lab: [""]
        }
    }
}
