/// When one command was certainly being handled: known bounds of an interval whose length is known.
///
/// The runner stamps the sending of the request and the arrival of the answer; the peer tells how long it
/// worked. The work lies somewhere between the two stamps.
struct HandlingInterval: Sendable, Equatable {
    /// Monotonic nanoseconds when the request was sent.
    let sent: UInt64
    /// Monotonic nanoseconds when the answer arrived.
    let received: UInt64
    /// How long the peer worked, in nanoseconds.
    let handling: UInt64

    /// The latest moment at which the work can have begun.
    var latestStart: UInt64 { received - min(handling, received - sent) }
    /// The earliest moment at which the work can have ended.
    var earliestEnd: UInt64 { sent + min(handling, received - sent) }
}

/// Proves that branches of a race ran at the same time.
enum Overlap {
    /// Whether some moment certainly lies within the work of both branches.
    ///
    /// Each branch is taken as one stretch from the begin of its first command to the end of its last one.
    static func isProven(_ left: [HandlingInterval], _ right: [HandlingInterval]) -> Bool {
        guard let leftStart = left.first?.latestStart, let leftEnd = left.last?.earliestEnd,
            let rightStart = right.first?.latestStart, let rightEnd = right.last?.earliestEnd
        else { return false }
        return leftStart < rightEnd && rightStart < leftEnd
    }

    /// The first two branches whose overlap is not proven; nil when all pairs overlap.
    static func unproven(_ branches: [[HandlingInterval]]) -> (Int, Int)? {
        for left in branches.indices {
            for right in branches.indices where right > left {
                if !isProven(branches[left], branches[right]) { return (left, right) }
            }
        }
        return nil
    }
}
