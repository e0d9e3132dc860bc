extension PowerAuthTokenStore {
    /// Cancels a request, as up to 1.7.
    ///
    /// - Parameter task: what the request returned.
    @available(*, deprecated, message: "Cancel the task itself")
    public func cancelTask(_ task: any PowerAuthOperationTask) { task.cancel() }
}
