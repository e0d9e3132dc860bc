/// How many transfers for its complication an app may still send at once today (watch.md, section 9.5). By the lab's clock.
struct ComplicationBudget: Equatable, Sendable {
    /// Transfers of a day.
    static let perDay = 50
    /// Length of a day in nanoseconds.
    static let day: Int64 = 86_400_000_000_000

    /// When the day has begun: with its first transfer. In nanoseconds of lab time.
    var start: Int64 = 0
    /// Transfers since then.
    var used = 0

    /// How many are left at a moment.
    func remaining(at now: Int64) -> Int {
        now - start < Self.day ? max(0, Self.perDay - used) : Self.perDay
    }

    /// When more are left than now; nil when none was used.
    var renewal: Int64? { used == 0 ? nil : start + Self.day }

    /// Counts a transfer.
    mutating func use(at now: Int64) {
        if used == 0 || now - start >= Self.day { self = ComplicationBudget(start: now) }
        used += 1
    }

    /// A day is over.
    mutating func renew(at now: Int64) {
        if now - start >= Self.day { used = 0 }
    }
}
