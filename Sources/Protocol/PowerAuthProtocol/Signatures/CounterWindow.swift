// SPDX-License-Identifier: Apache-2.0

/// The server's search for the counter that a code was made with, which both generations of the protocol share.
enum CounterWindow {
    /// Tries every candidate at every counter of the window `[counter, counter + lookAhead)`.
    ///
    /// Each comparison takes constant time.
    /// - Parameters:
    ///   - next: the counter after another one.
    ///   - compute: the code of a candidate at a counter.
    /// - Returns: how far ahead the counter was, the index of the candidate, and the counter after it; nil without a match.
    static func match<Candidate, Counter>(
        _ code: String, candidates: [Candidate], counter: Counter, lookAhead: Int, next: (Counter) -> Counter,
        compute: (Candidate, Counter) throws -> String
    ) rethrows -> (distance: Int, candidate: Int, nextCounter: Counter)? {
        var current = counter
        for distance in 0..<max(0, lookAhead) {
            for (index, candidate) in candidates.enumerated() {
                if constantTimeEquals(try compute(candidate, current), code) {
                    return (distance, index, next(current))
                }
            }
            current = next(current)
        }
        return nil
    }
}
