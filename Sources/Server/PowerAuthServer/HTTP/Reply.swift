/// The result of a resource for a request.
enum Reply: Sendable {
    /// The rest of the work, on a worker again.
    typealias Conclusion = @Sendable () throws -> ServerResponse

    case answer(ServerResponse)
    /// An external service must be called first. No worker blocks on external services: the function runs outside of
    /// the workers, its conclusion on a worker.
    case afterwards(@Sendable () async throws -> Conclusion)
}
