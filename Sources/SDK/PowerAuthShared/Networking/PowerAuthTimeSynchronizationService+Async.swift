extension PowerAuthTimeSynchronizationService {
    /// As ``synchronizeTime(callback:callbackQueue:)``. A cancel of the caller's task cancels the request.
    ///
    /// - Throws: the callback's error, or `CancellationError`.
    public func synchronizeTime() async throws {
        // The service is usable from any thread.
        let service = Transferred<any PowerAuthTimeSynchronizationService>(self)
        try await awaitCompletion { service.value.synchronizeTime(callback: $0, callbackQueue: nil) }
    }
}
