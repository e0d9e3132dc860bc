// SPDX-License-Identifier: Apache-2.0

/// Makes a part of a plan smaller that breaks a rule: fewer apps, fewer calls, fewer faults.
///
/// Used by one thread.
struct StressShrinker {
    /// How often a part is played before it counts as one that keeps the rule: timing decides what meets what.
    static let tries = 3

    /// Whether no further part may be played.
    let isOver: () -> Bool
    /// Plays a part once: whether it breaks the rule.
    let breaksRule: (StressPart) -> Bool

    /// The result of shrinking.
    struct Shrunk {
        /// The part; it has broken the rule.
        var part: StressPart
        /// Whether each part with one app, call or fault less was played and kept the rule.
        var isMinimal = true
    }

    /// Shrinks.
    /// - Parameters:
    ///   - failing: A part that has broken the rule.
    ///   - beginning: A smaller part that probably breaks it. One with fewer apps than a run may have is not played: a
    ///     `parallel` block has at least two branches.
    func shrink(_ failing: StressPart, from beginning: StressPart) -> Shrunk {
        var shrunk = Shrunk(part: failing)
        let fewest = StressConfiguration.processCounts.lowerBound
        if beginning != failing, beginning.apps.count >= fewest,
            Shrinking(tries: Self.tries, isOver: isOver, fails: played).hasFailed([beginning])
        {
            shrunk.part = beginning
        }
        var before: StressPart
        repeat {
            before = shrunk.part
            reduce(&shrunk, before.apps, fewest: fewest) { $0.keeping(apps: $1) }
            reduce(&shrunk, shrunk.part.removableCalls) { $0.keeping(calls: $1) }
            reduce(&shrunk, shrunk.part.faultyCalls) { $0.keeping(faults: $1) }
        } while shrunk.part != before && shrunk.isMinimal
        return shrunk
    }

    private func played(_ parts: [StressPart]) -> Bool { parts.allSatisfy(breaksRule) }

    /// Leaves out elements of one kind.
    private func reduce<Element>(
        _ shrunk: inout Shrunk, _ elements: [Element], fewest: Int = 0,
        keeping: @escaping (StressPart, [Element]) -> StressPart
    ) {
        let part = shrunk.part
        let shrinking = Shrinking<Element>(tries: Self.tries, isOver: isOver) { breaksRule(keeping(part, $0)) }
        let smallest = shrinking.smallest(of: elements, fewest: fewest)
        shrunk.part = keeping(part, smallest.elements)
        if !smallest.isMinimal { shrunk.isMinimal = false }
    }
}
