/// What a resource makes of a request.
enum Reply: Sendable {
    /// The rest of the work, on a worker again.
    typealias Conclusion = @Sendable () throws -> ServerResponse

    case answer(ServerResponse)
    /// Somebody else must be asked first. No worker waits for strangers: the function runs elsewhere, and its result on a
    /// worker.
    case afterwards(@Sendable () async throws -> Conclusion)
}
