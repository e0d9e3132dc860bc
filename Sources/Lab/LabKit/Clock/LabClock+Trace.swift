extension LabClock {
    /// Writes each change that is made through this object into a trace as `clock.changed`: how far the lab's time is
    /// from real time then, in milliseconds, whether the clock stands still, and how fast it runs.
    ///
    /// - Parameter trace: asked for at each change; nil writes nothing.
    public func traceChanges(to trace: @autoclosure @escaping @Sendable () -> TraceWriter?) {
        onChange { [weak self] in
            guard let self else { return }
            trace()?.emit(
                .clockChanged,
                [
                    "offset": .integer(offset.nanoseconds / 1_000_000), "frozen": .bool(isFrozen),
                    "rate": .integer(Int64(rate)),
                ])
        }
    }
}
