// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// Finds the endpoint of a path for any method, so that the endpoint itself decides which methods it answers.
///
/// Hummingbird's router finds a path and a method together. Registering each path under every method makes the server
/// start ten times slower, and still omits unknown methods.
struct AnyMethodRouter: HTTPResponderBuilder {
    private let router = Router(context: ConnectionContext.self)

    func add(middleware: any MiddlewareProtocol<Request, Response, ConnectionContext>) {
        router.add(middleware: middleware)
    }

    /// Registers the handler of a path; the context has the method.
    func on(_ path: RouterPath, use handler: @escaping @Sendable (Request, ConnectionContext) async throws -> Response)
    {
        router.on(path, method: Responder.routedMethod, use: handler)
    }

    func buildResponder() -> Responder { Responder(router: router.buildResponder()) }

    /// Moves the method from the request to the context before routing.
    struct Responder: HTTPResponder {
        fileprivate static let routedMethod = HTTPRequest.Method.post

        fileprivate let router: RouterResponder<ConnectionContext>

        func respond(to request: Request, context: ConnectionContext) async throws -> Response {
            var context = context
            var head = request.head
            context.method = head.method
            head.method = Self.routedMethod
            return try await router.respond(to: Request(head: head, body: request.body), context: context)
        }
    }
}

/// The connection's data for a request.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The method of the request, also while it is routed by its path alone.
    var method = HTTPRequest.Method.get
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address of the other side.
    var remoteAddress: String? { channel.remoteAddress?.ipAddress }

    /// The address of this side.
    var localAddress: String? { channel.localAddress?.ipAddress }

    /// Closes the connection without an answer.
    /// - Returns: a response that has nowhere to go.
    func hangUp() async throws -> Response {
        try await channel.close()
        return Response(status: .internalServerError)
    }
}
