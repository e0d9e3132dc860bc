import HTTPTypes
import Hummingbird
import NIOCore

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
