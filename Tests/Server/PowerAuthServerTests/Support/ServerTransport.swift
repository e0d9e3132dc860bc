// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import LabSystem
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import PowerAuthServer

/// Takes the requests of a test to a server.
protocol ServerTransport: Sendable {
    func send(
        _ path: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: Data
    ) async throws -> ReceivedResponse
}

/// A response as it came.
struct ReceivedResponse: Sendable {
    let status: Int
    var headers = HTTPFields()
    let body: Data
}

/// The router of a server, without a network.
struct RouterTransport: ServerTransport {
    private let responder: AnyMethodRouter.Responder

    init(_ server: LabServer) throws { responder = try server.httpApplication(logger: Self.logger).responder }

    private static let logger = Logger(label: "tests")

    func send(
        _ path: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: Data
    ) async throws -> ReceivedResponse {
        var headers = headers
        headers[.contentLength] = "\(body.count)"
        let request = Request(
            head: HTTPRequest(
                method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let context = ConnectionContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Self.logger))
        let response = try await responder.respond(to: request, context: context)
        let writer = BodyWriter()
        try await response.body.write(writer)
        return ReceivedResponse(status: response.status.code, headers: response.headers, body: writer.body)
    }

    private final class BodyWriter: ResponseBodyWriter {
        private let written = Mutex(Data())

        var body: Data { written.withLock { $0 } }

        func write(_ buffer: ByteBuffer) async throws {
            written.withLock { $0.append(contentsOf: buffer.readableBytesView) }
        }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}

/// The connections of a server that listens.
struct NetworkTransport: ServerTransport {
    let port: Int

    func send(
        _ path: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: Data
    ) async throws -> ReceivedResponse {
        let answer = try await OutgoingRequest(
            method: method.rawValue, url: "http://127.0.0.1:\(port)\(path)",
            headers: headers.map { ($0.name.rawName, $0.value) }, body: body
        ).send()
        return ReceivedResponse(status: answer.status, body: answer.body)
    }
}

extension OutgoingRequest {
    /// As ``send()``, on a thread that may block.
    func sendAndWait() throws -> Answer {
        let outcome = OneShot<Result<Answer, any Error>>()
        Task { do { outcome.set(.success(try await send())) } catch { outcome.set(.failure(error)) } }
        return try outcome.wait().get()
    }
}
