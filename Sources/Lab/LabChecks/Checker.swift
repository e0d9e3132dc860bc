// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabSystem

/// A rule that every history of a run must keep, and the search for what breaks it.
///
/// A checker is a pure function of a history: it starts nothing, knows no clock and can judge the record of a run that
/// ended long ago, or was killed.
public protocol Checker: Sendable {
    /// A few words that reports call it by.
    var name: String { get }
    /// What must hold, in one sentence.
    var rule: String { get }

    /// Searches a history.
    /// - Parameters:
    ///   - history: What happened.
    ///   - budget: To be spent from for each event that is looked at, so that no search is without an end.
    /// - Throws: ``Budget/Exhausted`` when the budget is.
    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding
}

/// What a checker found.
public struct Finding: Sendable {
    /// Everything that breaks the rule, in the order of time.
    public var breaches: [Breach]
    /// How many things the rule was held against; a rule that met none has proven nothing.
    public var examined: Int
    /// Why the history does not show whether the rule holds; nil when it does.
    public var gap: String?

    /// A finding.
    public init(breaches: [Breach] = [], examined: Int = 0, gap: String? = nil) {
        self.breaches = breaches
        self.examined = examined
        self.gap = gap
    }
}

/// One place at which a rule is broken.
public struct Breach: Equatable, Sendable {
    /// The most events that an excerpt holds.
    public static let longestExcerpt = 20

    /// What is wrong, in one sentence.
    public let sentence: String
    /// The fewest events that show it, in the order of time.
    public let excerpt: [TraceEvent]

    /// A breach.
    /// - Parameter excerpt: The events that show it; sorted and cut to the last ``longestExcerpt``.
    public init(_ sentence: String, _ excerpt: [TraceEvent]) {
        self.sentence = sentence
        self.excerpt = Array(excerpt.sorted { $0.time < $1.time }.suffix(Self.longestExcerpt))
    }
}

/// How long a checker may search.
public struct Budget: Sendable {
    /// The budget is spent.
    public struct Exhausted: Error, CustomStringConvertible, Sendable {
        public let description: String
    }

    private let deadline: UInt64
    private let seconds: Int
    private var spent: UInt64 = 0

    /// A budget of real time, from now on.
    public init(seconds: Int) {
        self.seconds = seconds
        deadline = MonotonicClock.nanoseconds() &+ UInt64(seconds) * 1_000_000_000
    }

    /// Pays for looking at one event.
    public mutating func spend() throws(Exhausted) {
        spent += 1
        // The clock is asked seldom: it costs more than most looks.
        guard spent % 4096 == 0, MonotonicClock.nanoseconds() > deadline else { return }
        throw Exhausted(description: "the search took longer than \(seconds) s")
    }
}
