// SPDX-License-Identifier: Apache-2.0

/// Delta debugging: looks for a small list of elements that still fails, by leaving out pieces of one that does.
///
/// Only lists that have failed are kept, so that a predicate which is decided by timing costs size and never truth.
/// Used by one thread.
struct Shrinking<Element> {
    /// How often a list is tried before it counts as one that does not fail.
    let tries: Int
    /// Whether no further try may begin.
    let isOver: () -> Bool
    /// Tries a list once: whether it fails.
    let fails: ([Element]) -> Bool

    /// The result of a search.
    struct Smallest {
        /// The list; it has failed.
        let elements: [Element]
        /// Whether each list with one element less was tried and did not fail; false if the search was over before.
        let isMinimal: Bool
    }

    /// Tries a list until it fails.
    /// - Returns: Whether it has failed once.
    func hasFailed(_ list: [Element]) -> Bool {
        for _ in 0..<tries where !isOver() {
            if fails(list) { return true }
        }
        return false
    }

    /// Leaves out halves, quarters, and so on to single elements, as long as the rest fails.
    /// - Parameters:
    ///   - failing: A list that has failed.
    ///   - fewest: No list with fewer elements is tried.
    func smallest(of failing: [Element], fewest: Int = 0) -> Smallest {
        var kept = failing
        var size = (kept.count + 1) / 2
        while kept.count > fewest {
            let before = kept.count
            guard leaveOut(piecesOf: size, from: &kept, fewest: fewest) else {
                return Smallest(elements: kept, isMinimal: false)
            }
            // After the first loss an element that was needed may no longer be.
            if size == 1, kept.count == before { break }
            size = max(1, (min(size, kept.count) + 1) / 2)
        }
        return Smallest(elements: kept, isMinimal: true)
    }

    /// Leaves out each piece of a size if the rest fails.
    /// - Returns: Whether all pieces were tried.
    private func leaveOut(piecesOf size: Int, from kept: inout [Element], fewest: Int) -> Bool {
        var start = 0
        while start < kept.count {
            guard !isOver() else { return false }
            let piece = start..<min(start + size, kept.count)
            if kept.count - piece.count >= fewest {
                var rest = kept
                rest.removeSubrange(piece)
                if hasFailed(rest) {
                    kept = rest
                    continue
                }
                // A list whose tries were cut short may fail.
                guard !isOver() else { return false }
            }
            start = piece.upperBound
        }
        return true
    }
}
