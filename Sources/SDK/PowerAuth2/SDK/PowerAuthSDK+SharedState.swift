package import PowerAuthShared

extension PowerAuthSDK {
    /// The content of the memory that this app shares with others, for the lab (sharing.md, section 7.2); nil for an
    /// app that shares nothing.
    ///
    /// Any thread; waits for the status lock.
    package func sharedState() throws -> SharedStateSnapshot? {
        try (session as? SharedSessionInterface)?.snapshot()
    }
}
