import HTTPTypes
import Hummingbird

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

    func buildResponder() -> Responder {
        Responder(router: router.buildResponder())
    }

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
