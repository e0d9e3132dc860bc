extension LabClock {
    /// Lets lab time stand still while somebody looks, and go on afterwards as fast as before. A frozen clock stays as it
    /// is.
    public func whileFrozen<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard !isFrozen else { return try body() }
        let rate = rate
        // A clock whose memory is gone belongs to an instance that has ended; there is nothing left to expire.
        try? freeze()
        defer { try? run(rate: rate) }
        return try body()
    }
}
