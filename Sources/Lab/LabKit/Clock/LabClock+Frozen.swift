extension LabClock {
    /// Freezes lab time while `body` runs, and resumes it at the former rate. A frozen clock stays frozen.
    public func whileFrozen<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard !isFrozen else { return try body() }
        let rate = rate
        // A clock whose memory is gone belongs to an instance that has ended; there is nothing left to expire.
        try? freeze()
        defer { try? run(rate: rate) }
        return try body()
    }
}
