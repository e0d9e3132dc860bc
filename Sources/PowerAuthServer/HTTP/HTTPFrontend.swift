import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The server's resources on Hummingbird: bodies are collected on its event loops, answers are made on
/// worker threads.
struct HTTPFrontend: Sendable {
    let endpoints: [Endpoint]
    let workers: WorkerThreads
    let journal: (any ServerJournal)?
    let faults: ServerFaults

    /// The router with every resource at every mount point, and an enveloped 404 and 405 for the rest.
    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: NotFoundAnswer())
        for endpoint in endpoints {
            for mountPoint in endpoint.face.mountPoints {
                for method in Self.routedMethods {
                    router.on(RouterPath(mountPoint + endpoint.path), method: method) { request, _ in
                        try await self.respond(to: request, endpoint)
                    }
                }
            }
        }
        return router
    }

    /// All of these reach an endpoint, so that it can say which one it does not answer.
    private static let routedMethods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .patch, .head]

    private func respond(to request: Request, _ endpoint: Endpoint) async throws -> Response {
        let started = ContinuousClock.now
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: ServerLimits.bodyBytes)
        } catch is NIOTooManyBytesError {
            return Self.response(OutwardFailure.bodyTooLarge.response(on: endpoint.face))
        }
        let received = ServerRequest(
            method: request.method.rawValue, path: endpoint.path, query: request.uri.query, headers: request.headers,
            body: Data(body.readableBytesView))
        let operation = received.header(ServerHeader.operation)
        let fullPath = request.uri.path
        let answer = await workers.run {
            CurrentOperation.$id.withValue(operation) {
                journal?.record(.requestReceived(method: received.method, path: fullPath), operation: operation)
                let answer = self.answer(received, endpoint)
                let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
                journal?.record(
                    .requestAnswered(
                        method: received.method, path: fullPath, status: answer.status, milliseconds: elapsed),
                    operation: operation)
                return answer
            }
        }
        return Self.response(answer)
    }

    private func answer(_ request: ServerRequest, _ endpoint: Endpoint) -> ServerResponse {
        do {
            try faults.requestReceived()
            let answer = endpoint.respond(to: request, journal: journal)
            try faults.responseSent()
            return answer
        } catch {
            return OutwardFailure.unexpected.response(on: endpoint.face)
        }
    }

    static func response(_ answer: ServerResponse) -> Response {
        Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

/// The names of HTTP headers that are not PowerAuth's.
public enum ServerHeader {
    /// Carries the identifier of a lab operation, which then stands in the trace of everything it caused.
    public static let operation = "X-Lab-Operation"
}

/// Gives an unknown path the enveloped 404.
private struct NotFoundAnswer: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let face: ServerFace = request.uri.path.contains("/rest/") ? .backOffice : .device
            return HTTPFrontend.response(OutwardFailure.notFound.response(on: face))
        }
    }
}
