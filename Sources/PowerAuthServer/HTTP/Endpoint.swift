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
    /// False where the body is only signed, not read.
    var readsJSON = true
    let answer: @Sendable (ServerRequest) throws -> ServerResponse

    /// A device resource.
    static func device(
        _ path: String, methods: Set<String> = ["POST"], failure: OutwardFailure, readsJSON: Bool = true,
        answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(
            face: .device, path: path, methods: methods, fallback: failure, readsJSON: readsJSON, answer: answer)
    }

    /// A resource that is no part of PowerAuth.
    static func lab(
        _ path: String, methods: Set<String>, answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> Endpoint {
        Endpoint(face: .lab, path: path, methods: methods, fallback: .unexpected, readsJSON: false, answer: answer)
    }

    /// A back-office resource: takes a request object, gives a response object.
    static func backOffice<Request: Decodable & SendableMetatype, Response: Encodable & SendableMetatype>(
        _ path: String, _ answer: @escaping @Sendable (Request) throws -> Response
    ) -> Endpoint {
        Endpoint(face: .backOffice, path: "/rest/v3\(path)", methods: ["POST"], fallback: .unexpected) { request in
            let envelope = try JSONBody.decode(RequestEnvelope<Request>.self, from: request.body)
            return try .ok(ResponseEnvelope(responseObject: answer(envelope.requestObject)))
        }
    }

    /// A back-office resource that takes nothing; a body is not looked at.
    static func backOffice<Response: Encodable & SendableMetatype>(
        _ path: String, _ answer: @escaping @Sendable () throws -> Response
    ) -> Endpoint {
        Endpoint(face: .backOffice, path: "/rest/v3\(path)", methods: ["POST"], fallback: .unexpected) { _ in
            try .ok(ResponseEnvelope(responseObject: answer()))
        }
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
            return failure.response(on: face)
        }
    }
}

extension ServerFace {
    /// The prefixes under which a face is served, so that every tool runs with its default base URL
    /// (server.md, section 1).
    var mountPoints: [String] {
        switch self {
        case .device: ["", "/enrollment-server"]
        case .backOffice: ["", "/powerauth-java-server"]
        case .lab: [""]
        }
    }
}
