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
/// The function blocks and therefore runs on a worker thread.
struct Endpoint: Sendable {
    let face: ServerFace
    /// The path below the face's mount points, with a leading slash.
    let path: String
    let methods: Set<String>
    /// What a device sees for any error of the domain; the back office sees the error itself.
    let fallback: OutwardFailure
    /// What a device may see beside the fallback, and beside the answers that have no endpoint to blame: 405, 413,
    /// 415 and 500.
    var otherFailures: [OutwardFailure] = []
    /// False where the body is only signed, not read.
    var readsJSON = true
    /// The bodies of a resource, for its description; nil where nobody says more than the face does.
    var bodies: EndpointBodies?
    /// What fields of the request are like beside their types; those of the back office stand in ``FieldLimit``.
    var limits: [String: FieldLimit] = [:]
    /// The media type of the answer.
    var answerType = "application/json"
    let answer: @Sendable (ServerRequest) throws -> ServerResponse

    /// A device resource.
    /// - Parameters:
    ///   - failure: what the device sees unless an error asks for one of `others`.
    ///   - others: further failures that its callers have to expect; the description of the API names them.
    static func device(
        _ path: String, methods: Set<String> = ["POST"], failure: OutwardFailure, others: [OutwardFailure] = [],
        readsJSON: Bool = true, answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .device, path: path, methods: methods, fallback: failure, otherFailures: others,
            readsJSON: readsJSON, answer: answer)
    }

    /// A resource of the Mobile Token API.
    /// - Parameters:
    ///   - failures: what its callers have to expect.
    ///   - refusal: what a device without a valid signature or token sees.
    static func mobileToken(
        _ path: String, failures: [MobileTokenFailure] = [], refusal: MobileTokenFailure = .authentication,
        answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .mobileToken, path: path, methods: ["POST"], fallback: .mobileToken(refusal),
            otherFailures: failures.map(OutwardFailure.mobileToken), answer: answer)
    }

    /// A resource that is no part of PowerAuth.
    /// - Parameters:
    ///   - request: what a POST holds, for the description; nil for anything.
    ///   - limits: what its fields are like beside their types.
    ///   - others: failures that its callers have to expect, beside a request that is wrong.
    static func lab(
        _ path: String, methods: Set<String>, takes request: (any (Decodable & SendableMetatype).Type)? = nil,
        limits: [String: FieldLimit] = [:], others: [OutwardFailure] = [],
        answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: methods, fallback: .unexpected, otherFailures: others, readsJSON: false,
            bodies: request.map { EndpointBodies(request: $0, response: nil) }, limits: limits, answer: answer)
    }

    /// A page for operators that is no JSON.
    static func page(
        _ path: String, type: String, answer: @escaping @Sendable () throws -> String
    ) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: ["GET"], fallback: .unexpected, readsJSON: false, answerType: type
        ) { _ in
            try ServerResponse(status: 200, body: Data(answer().utf8), contentType: type)
        }
    }

    /// A back-office resource: takes a request object, gives a response object.
    static func backOffice<Request: Decodable & SendableMetatype, Response: Codable & SendableMetatype>(
        _ path: String, _ answer: @escaping @Sendable (Request) throws -> Response
    ) -> Endpoint {
        backOffice(path, EndpointBodies(request: Request.self, response: Response.self)) { request in
            let envelope = try JSONBody.decode(RequestEnvelope<Request>.self, from: request.body)
            return try .ok(ResponseEnvelope(responseObject: answer(envelope.requestObject)))
        }
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
            answer: answer)
    }

    /// The same resource with another function that answers.
    func answering(_ answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse) -> Endpoint {
        Endpoint(
            face: face, path: path, methods: methods, fallback: fallback, otherFailures: otherFailures,
            readsJSON: readsJSON, bodies: bodies, limits: limits, answerType: answerType, answer: answer)
    }

    /// Answers a request; whatever goes wrong becomes an error answer.
    func respond(to request: ServerRequest, journal: (any ServerJournal)?) -> ServerResponse {
        do {
            guard methods.contains(request.method) else { throw OutwardFailure.methodNotAllowed }
            guard !readsJSON || request.isJSON else { throw OutwardFailure.unsupportedMediaType }
            return try answer(request)
        } catch {
            let failure = OutwardFailure(error, face: face, fallback: fallback)
            journal?.record(
                .requestRefused(path: path, code: failure.code(on: face), cause: "\(error)"),
                operation: CurrentOperation.id)
            var response = failure.response(on: face)
            if failure == .methodNotAllowed { response.allow = methods.sorted().joined(separator: ", ") }
            return response
        }
    }
}

extension ServerFace {
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
