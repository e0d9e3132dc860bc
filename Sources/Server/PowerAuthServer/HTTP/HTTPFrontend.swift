// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPConnections
import HTTPTypes
import Hummingbird
import NIOCore

/// The server's resources on Hummingbird: bodies are collected on its event loops, answers are made there when that takes
/// no time, and otherwise on worker threads.
struct HTTPFrontend: Sendable {
    let endpoints: [Endpoint]
    let workers: WorkerThreads
    /// The places of requests that are worked on or wait for it.
    let waitingRoom: RequestAdmission
    let clock: any ServerClock
    let journal: (any ServerJournal)?
    let faults: ServerFaults
    /// Nil for a server without fault injection.
    let lab: TestControls?
    /// Blocks requests of web pages to the resources of tools.
    let browserGuard: BrowserGuard
    /// The header whose value goes into the request log.
    let correlationHeader: String?
    /// How the JSON of requests is read.
    let reading: JSONReading

    /// The router with every resource at every mount point, and an enveloped 404 for the rest.
    func router() -> AnyMethodRouter {
        var router = AnyMethodRouter()
        router.add(middleware: UnroutedAnswers())
        for endpoint in endpoints {
            for mountPoint in endpoint.mountPoints {
                router.on(mountPoint + endpoint.path) { request, context in
                    try await self.respond(to: request, context, endpoint, at: mountPoint)
                }
            }
        }
        return router
    }

    private func respond(
        to request: Request, _ context: ConnectionContext, _ endpoint: Endpoint, at mountPoint: String
    ) async throws -> Response {
        let started = ContinuousClock.now
        if let refusal = browserGuard.refusal(of: request.head, on: endpoint.face, at: context.localAddress) {
            journal?.record(
                .requestRefused(path: endpoint.path, code: refusal.code(on: endpoint.face), cause: "\(refusal)"),
                operation: nil)
            return Self.response(refusal.response(on: endpoint.face))
        }
        if let length = request.headers[.contentLength].flatMap({ UInt64($0) }), length > ServerLimits.bodyBytes {
            return Self.response(ErrorResponse.bodyTooLarge.response(on: endpoint.face))
        }
        if request.headers[.expect] != nil { context.askForBody() }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: ServerLimits.bodyBytes)
        } catch is NIOTooManyBytesError {
            return Self.response(ErrorResponse.bodyTooLarge.response(on: endpoint.face))
        }
        let received = ServerRequest(
            method: context.method.rawValue, path: endpoint.path, query: request.uri.query, headers: request.headers,
            body: Data(body.readableBytesView),
            parameters: Dictionary(
                context.parameters.map { (String($0), $1.removingPercentEncoding ?? String($1)) }
            ) { _, last in last },
            mountPoint: mountPoint, remoteAddress: context.remoteAddress, reading: reading)
        let correlation = correlationHeader.flatMap(received.header).flatMap(CurrentCorrelation.init)?.id
        let operation = request.headers[ServerHeader.operationField]
        // Only what a lab may hold has to be known by its app.
        let app = faults.areArmed() ? request.headers[ServerHeader.appField] : nil
        let fullPath = request.uri.path
        return try await interfere(with: received, endpoint, operation, context) { plaintexts in
            let work = RequestDispatcher(
                endpoint: endpoint, request: received, path: fullPath, started: started,
                scope: RequestScope(
                    operation: operation, app: app, plaintexts: plaintexts, correlation: correlation),
                workers: workers, waitingRoom: waitingRoom, journal: journal, faults: faults)
            return await work.answer()
        }
    }

    /// Applies the lab's fault rules to a request, and writes it into the traffic journal.
    private func interfere(
        with request: ServerRequest, _ endpoint: Endpoint, _ operation: String?, _ context: ConnectionContext,
        answer: (PlaintextLog?) async -> ServerResponse
    ) async throws -> Response {
        guard let lab, endpoint.face != .lab else { return Self.response(await answer(nil)) }
        let fault = lab.faults.hit(method: request.method, path: endpoint.path)
        let plaintexts = PlaintextLog(edit: fault?.edit)
        let number = lab.record?.received(request)
        func note(_ answer: ServerResponse?) {
            let entry = TrafficEntry(
                request, at: clock.now(), operation: operation, plaintexts: plaintexts, answer: answer,
                fault: fault?.id)
            lab.traffic.add(entry)
            if let number { lab.record?.ended(entry, number: number) }
        }
        // Before the fault is reported: an observer may move the clock because of it.
        let latencyEnd = fault?.latency.map { clock.now().advanced(by: Int64($0)) }
        if let fault, !fault.summary.isEmpty {
            journal?.record(
                .requestFaulted(path: endpoint.path, fault: fault.summary, id: fault.id ?? ""), operation: operation)
        }
        if let latencyEnd { await Delay(clock: clock).wait(until: latencyEnd) }
        if fault?.drop == .before {
            note(nil)
            return try await context.hangUp()
        }
        if let answer = fault?.answer(on: endpoint.face) {
            note(answer)
            return Self.response(answer)
        }
        let made = await answer(plaintexts)
        if fault?.drop == .after {
            note(nil)
            return try await context.hangUp()
        }
        let edited = self.edited(made, by: fault, plaintexts, endpoint, operation)
        let sent = fault?.corruptBody == true ? edited.corrupted() : edited
        note(sent)
        return fault?.slowBody.map { response(sent, over: $0) } ?? Self.response(sent)
    }

    /// The answer as the edit of a fault leaves it; reports whether the edit could be made.
    private func edited(
        _ answer: ServerResponse, by fault: TrafficFault?, _ plaintexts: PlaintextLog, _ endpoint: Endpoint,
        _ operation: String?
    ) -> ServerResponse {
        guard let fault, let edit = fault.edit else { return answer }
        let (path, id) = (endpoint.path, fault.id ?? "")
        do throws(AnswerEdit.Mistake) {
            let edited = try plaintexts.edited(answer)
            journal?.record(.requestFaulted(path: path, fault: edit.summary, id: id), operation: operation)
            return edited
        } catch {
            lab?.faults.miss(fault.id, because: error)
            journal?.record(.editFailed(path: path, cause: error.description, id: id), operation: operation)
            return answer
        }
    }

    static func response(_ answer: ServerResponse) -> Response {
        Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers(of: answer),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// A response whose body takes its time.
    private func response(_ answer: ServerResponse, over milliseconds: Int) -> Response {
        let pieces = Self.pieces(of: answer.body.count, over: milliseconds)
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: Self.headers(of: answer),
            body: ResponseBody(contentLength: answer.body.count) { writer in
                let (begin, delay) = (clock.now(), Delay(clock: clock))
                for piece in pieces {
                    await delay.wait(until: begin.advanced(by: Int64(piece.end)))
                    let bytes = answer.body.dropFirst(piece.bytes.lowerBound).prefix(piece.bytes.count)
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
                try await writer.finish(nil)
            })
    }

    /// The pieces of a slow body, at most eight: the bytes of each, and the milliseconds from the beginning after which they
    /// are sent. The last one ends the time, however short the body is.
    static func pieces(of size: Int, over milliseconds: Int) -> [(end: Int, bytes: Range<Int>)] {
        let count = max(1, min(8, size))
        return (0..<count).map { index in
            let (begin, end) = (size * index / count, size * (index + 1) / count)
            return (end: milliseconds * (index + 1) / count, bytes: begin..<end)
        }
    }

    private static func headers(of answer: ServerResponse) -> HTTPFields {
        var headers: HTTPFields = [.contentType: answer.contentType, .cacheControl: "no-store"]
        headers[.wwwAuthenticate] = answer.challenge
        headers[.allow] = answer.allow
        headers[.location] = answer.location
        headers[.retryAfter] = answer.retryAfter.map(String.init)
        return headers
    }
}

/// The names of HTTP headers that are not PowerAuth's.
public enum ServerHeader {
    /// Carries the identifier of a lab operation, which is then in the trace of everything it caused.
    public static let operation = "X-Lab-Operation"

    /// Carries the actor name of the lab's app that sent the request, which waits for the answer.
    public static let app = "X-Lab-App"

    // A header's name as a constant is one.
    static let operationField = HTTPField.Name(operation)!
    static let appField = HTTPField.Name(app)!
}

/// Gives an unknown path the enveloped 404, and a request for no clear host 400.
private struct UnroutedAnswers: RouterMiddleware {
    func handle(
        _ request: Request, context: ConnectionContext, next: (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        let face: APISurface = request.uri.path.contains("/rest/") ? .backOffice : .device
        guard request.head.authority != RequestAuthority.ambiguous else {
            return HTTPFrontend.response(ErrorResponse.ambiguousHost.response(on: face))
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return HTTPFrontend.response(ErrorResponse.notFound.response(on: face))
        }
    }
}
