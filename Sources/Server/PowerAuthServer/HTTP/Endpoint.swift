// SPDX-License-Identifier: Apache-2.0

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
/// ``RequestDispatcher`` leads a request through it.
struct Endpoint: Sendable {
    /// Answers a request. It runs on the workers and may block; while it waits for something asynchronous, such as an
    /// external service, it keeps no worker.
    typealias Handler = @Sendable (ServerRequest) async throws -> ServerResponse

    let face: APISurface
    /// The path below the mount points, with a leading slash.
    var path: String
    /// The path of the resource below `/rest/v3` that has other names here, see ``BackOfficeV4``; nil for every other.
    var original: String?
    let methods: Set<String>
    /// The device's error for any error of the domain; the back office receives the error itself.
    let fallback: ErrorResponse
    /// Further errors for a device, beside the fallback and the answers independent of the endpoint: 405, 413, 415 and
    /// 500.
    var otherFailures: [ErrorResponse] = []
    var bodyType = BodyType.json
    /// The bodies of a resource, for its description; nil if the API surface describes them completely.
    var bodies: EndpointBodies?
    /// What fields of the request are like beside their types; those of the back office stand in ``FieldLimit``.
    var limits: [String: FieldLimit] = [:]
    /// How long the texts of a request may be; nil where they are not held to it.
    var lengths: RequestLengths?
    var answerType = "application/json"
    /// Whether it is served below every context path of the server, beside the mount points of its face.
    var isEverywhere = false
    /// Answers on an event loop and does not block, so that no worker is needed; nil, and nothing has happened, leaves
    /// the request to ``answer``.
    var quickAnswer: (@Sendable (ServerRequest) async throws -> ServerResponse?)?
    var answer: Handler

    /// A device resource.
    /// - Parameters:
    ///   - failure: the device's error unless one of `others` applies.
    ///   - others: further failures, listed in the description of the API.
    ///   - readsJSON: false where the body is only signed, not read.
    static func device(
        _ path: String, methods: Set<String> = ["POST"], failure: ErrorResponse, others: [ErrorResponse] = [],
        readsJSON: Bool = true, answer: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            face: .device, path: path, methods: methods, fallback: failure, otherFailures: others,
            bodyType: readsJSON ? .json : .unread, answer: answer)
    }

    /// A resource of the Mobile Token API.
    /// - Parameter refusal: the error for a device without a valid signature or token.
    static func mobileToken(
        _ path: String, failures: [MobileTokenFailure] = [], refusal: MobileTokenFailure = .authentication,
        answer: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            face: .mobileToken, path: path, methods: ["POST"], fallback: .mobileToken(refusal),
            otherFailures: failures.map(ErrorResponse.mobileToken), answer: answer)
    }

    /// A resource that is not part of PowerAuth.
    /// - Parameters:
    ///   - request: the type of a POST body, for the description; nil for any body.
    ///   - others: possible failures beside an invalid request.
    static func lab(
        _ path: String, methods: Set<String>, takes request: (any (Decodable & SendableMetatype).Type)? = nil,
        limits: [String: FieldLimit] = [:], bodyType: BodyType = .json, others: [ErrorResponse] = [],
        answer: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: methods, fallback: .unexpected, otherFailures: others, bodyType: bodyType,
            bodies: request.map { EndpointBodies(request: $0, response: nil) }, limits: limits, answer: answer)
    }

    /// A page for operators that is no JSON.
    static func page(_ path: String, type: String, text: @escaping @Sendable () async throws -> String) -> Endpoint {
        Endpoint(
            face: .lab, path: path, methods: ["GET"], fallback: .unexpected, bodyType: .unread, answerType: type,
            answer: { _ in try await ServerResponse(status: 200, body: Data(text().utf8), contentType: type) })
    }

    /// A back-office resource: takes a request object, gives a response object.
    static func backOffice<Request: Decodable & SendableMetatype, Response: Codable & SendableMetatype>(
        _ path: String, quickly: (@Sendable (Request) async throws -> Response?)? = nil,
        _ answer: @escaping @Sendable (Request) async throws -> Response
    ) -> Endpoint {
        var endpoint = backOffice(path, EndpointBodies(request: Request.self, response: Response.self)) { request in
            try await .object(answer(request.object()))
        }
        if let quickly {
            endpoint.quickAnswer = { request in
                guard let response = try await quickly(request.object()) else { return nil }
                return try .object(response)
            }
        }
        return endpoint
    }

    /// A back-office resource that takes nothing; a body is not looked at.
    static func backOffice<Response: Codable & SendableMetatype>(
        _ path: String, _ answer: @escaping @Sendable () async throws -> Response
    ) -> Endpoint {
        backOffice(path, EndpointBodies(request: nil, response: Response.self)) { _ in try await .object(answer()) }
    }

    /// A back-office resource that answers with the bare `{"status":"OK"}`.
    static func backOfficeAction<Request: Decodable & SendableMetatype>(
        _ path: String, _ action: @escaping @Sendable (Request) async throws -> Void
    ) -> Endpoint {
        backOffice(path, EndpointBodies(request: Request.self, response: nil)) { request in
            try await action(request.object())
            return try .ok(EmptyEnvelope())
        }
    }

    /// A back-office resource whose answer depends on more than its request object.
    static func backOffice(_ path: String, _ bodies: EndpointBodies, _ answer: @escaping Handler) -> Endpoint {
        Endpoint(
            face: .backOffice, path: "/rest/v3\(path)", methods: ["POST"], fallback: .unexpected, bodies: bodies,
            answer: answer)
    }

    /// The same resource, below every context path as well.
    func everywhere() -> Endpoint {
        var endpoint = self
        endpoint.isEverywhere = true
        return endpoint
    }

    /// The prefixes under which the resource is served.
    var mountPoints: [String] { isEverywhere ? APISurface.allMountPoints : face.mountPoints }

    /// The same resource for the requests that a check does not refuse, always on a worker.
    func admitting(_ check: @escaping @Sendable (ServerRequest) throws -> Void) -> Endpoint {
        var endpoint = self
        endpoint.quickAnswer = nil
        endpoint.answer = { [answer] request in
            try check(request)
            return try await answer(request)
        }
        return endpoint
    }

    /// Answers a request on a worker; every failure becomes an error answer.
    func respond(to request: ServerRequest, journal: (any ServerJournal)?) async -> ServerResponse {
        do {
            try admit(request)
            return try await answer(request)
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

    /// Those of all faces, each once: the root and every context path.
    static let allMountPoints = Set(allCases.flatMap(\.mountPoints)).sorted()
}

/// The media type of the request bodies that a resource reads.
enum BodyType: String, Sendable {
    case json = "application/json"
    /// The form of OAuth 2.0 (RFC 6749, appendix B), which a web page can send without a preflight: only for resources
    /// that require credentials.
    case form = "application/x-www-form-urlencoded"
    /// The body is signed at most.
    case unread = "*/*"

    /// Whether the type of a request is this one.
    ///
    /// A device may omit it: its requests are signed or encrypted. A tool may not, because any web page can send a
    /// request without media type and without a preflight.
    func fits(_ request: ServerRequest, on face: APISurface) -> Bool {
        guard self != .unread else { return true }
        guard let type = request.mediaType else { return request.body.isEmpty || !face.isForTools }
        return type == rawValue || (face == .lab && request.body.isEmpty)
    }
}

extension APISurface {
    /// Whether it is called by tools of operators and testers, on whose machines browsers run; the others are called by
    /// devices, which authenticate each request.
    var isForTools: Bool {
        switch self {
        case .backOffice, .lab: true
        case .device, .mobileToken: false
        }
    }
}
