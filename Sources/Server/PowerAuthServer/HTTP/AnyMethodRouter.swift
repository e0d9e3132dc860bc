import HTTPTypes
import Hummingbird

/// Finds the endpoint of a path whatever the method, so that the endpoint itself says which methods it answers.
///
/// Hummingbird's router finds a path and a method together. To register each path under every method makes it ten
/// times as long to start a server, and still leaves out methods that nobody has thought of.
struct AnyMethodRouter: HTTPResponderBuilder {
    private let router = Router(context: ConnectionContext.self)

    func add(middleware: any MiddlewareProtocol<Request, Response, ConnectionContext>) {
        router.add(middleware: middleware)
    }

    /// Has the requests of a path answered; the context knows their method.
    func on(_ path: RouterPath, use handler: @escaping @Sendable (Request, ConnectionContext) async throws -> Response)
    {
        router.on(path, method: Responder.routedMethod, use: handler)
    }

    func buildResponder() -> Responder {
        Responder(router: router.buildResponder())
    }

    /// Takes the method from the request before it is routed, and keeps it in the context.
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
