/// What keeps a connection between two agents alive: both ask in turn, and one that gets no answer to three questions in a
/// row counts the other as lost (watch.md, section 11.4).
///
/// A question is asked when its time has come, not when it should have been: where the clock jumps, one is asked, not all
/// that would have been due. A value that decides and does nothing else.
struct Heartbeat: Equatable, Sendable {
    /// Time between two questions, in nanoseconds of lab time.
    static let interval: Int64 = 500_000_000
    /// How many may stay unanswered.
    static let patience: UInt64 = 3

    /// When the next question is due, in nanoseconds of lab time; nil while there is no connection.
    private(set) var due: Int64?
    private var asked: UInt64 = 0
    private var answered: UInt64 = 0

    /// How many questions have had no answer.
    var unanswered: Int { Int(asked - answered) }

    /// There is a connection.
    mutating func begin(at now: Int64) {
        due = now + Self.interval
        answered = asked
    }

    /// The connection is over.
    mutating func end() {
        due = nil
    }

    /// The next question is due.
    ///
    /// - Returns: Its number; nil when the other side is to be counted as lost.
    mutating func beat(at now: Int64) -> UInt64? {
        guard asked - answered < Self.patience else { return nil }
        asked += 1
        due = now + Self.interval
        return asked
    }

    /// An answer came; one to a later question answers the earlier ones.
    mutating func heard(answerTo number: UInt64) {
        guard number <= asked else { return }
        answered = max(answered, number)
    }
}
