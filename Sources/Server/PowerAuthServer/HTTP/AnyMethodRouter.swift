// SPDX-License-Identifier: Apache-2.0

import HTTPConnections
import HTTPTypes
import Hummingbird
import NIOCore

/// Finds the endpoint of a path for any method, so that the endpoint itself decides which methods it answers.
///
/// Hummingbird's router finds a path and a method together. Registering each path under every method makes the server
/// start ten times slower, and still omits unknown methods. Nearly all paths have no placeholder, and a dictionary finds
/// them: that router compares a component with one neighbour after another, at the start as well.
struct AnyMethodRouter: HTTPResponderBuilder {
    /// By ``key(_:)``.
    private var fixed: [String: any HTTPResponder<ConnectionContext>] = [:]
    /// The paths with placeholders.
    private let router = Router(context: ConnectionContext.self)

    func add(middleware: any MiddlewareProtocol<Request, Response, ConnectionContext>) {
        router.add(middleware: middleware)
    }

    /// Registers the handler of a path, which has none yet; the context has the method.
    mutating func on(
        _ path: String, use handler: @escaping @Sendable (Request, ConnectionContext) async throws -> Response
    ) {
        guard !path.contains("{") else {
            router.on(RouterPath(path), method: Responder.routedMethod, use: handler)
            return
        }
        let former = fixed.updateValue(
            router.middlewares.constructResponder(finalResponder: CallbackResponder(callback: handler)),
            forKey: Self.key(path))
        precondition(former == nil, "\(path) already has a handler")
    }

    func buildResponder() -> Responder { Responder(fixed: fixed, router: router.buildResponder()) }

    /// The components of a path: empty ones mean nothing, as in Hummingbird's router.
    private static func key(_ path: String) -> String { path.split(separator: "/").joined(separator: "/") }

    /// Moves the method from the request to the context before routing.
    struct Responder: HTTPResponder {
        fileprivate static let routedMethod = HTTPRequest.Method.post

        fileprivate let fixed: [String: any HTTPResponder<ConnectionContext>]
        fileprivate let router: RouterResponder<ConnectionContext>

        func respond(to request: Request, context: ConnectionContext) async throws -> Response {
            var context = context
            var head = request.head
            context.method = head.method
            head.method = Self.routedMethod
            let routed = Request(head: head, body: request.body)
            guard let responder = fixed[AnyMethodRouter.key(request.uri.path)] else {
                return try await router.respond(to: routed, context: context)
            }
            do {
                return try await responder.respond(to: routed, context: context)
            } catch let error as any HTTPResponseError {
                return try error.response(from: routed, context: context)
            }
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

    /// Asks a client that waits for it to send the body of this request. A refusal before this is sent without a body.
    func askForBody() { channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil) }

    /// Closes the connection without an answer.
    /// - Returns: a response that has nowhere to go.
    func hangUp() async throws -> Response {
        try await channel.close()
        return Response(status: .internalServerError)
    }
}
