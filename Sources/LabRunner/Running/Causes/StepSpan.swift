/// When a step was carried out, on the monotonic clock.
struct StepSpan: Sendable {
    let begin: UInt64
    /// Nil while it is being carried out.
    var end: UInt64?

    func contains(_ time: UInt64) -> Bool { time >= begin && end.map { time <= $0 } ?? true }
}
