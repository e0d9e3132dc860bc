public import LabKit

/// A call of the driver of a run: from the moment in which it was made to the one in which its outcome was known.
public struct RecordedCall: Sendable {
    /// Its outcome.
    public enum Outcome: String, Sendable {
        /// It was done.
        case done
        /// It was certainly not done.
        case notDone
        /// It was done or not: the app died, or did not answer in time.
        case unknown
    }

    /// The operation that it is called by in the traces of the app.
    public let operation: String
    /// Who was asked.
    public let incarnation: RecordedHistory.Incarnation
    /// What was asked for.
    public let call: String
    /// When, and by which event.
    public let invoked: TraceEvent
    /// The answer; nil when the record ends before it.
    public let completed: TraceEvent?

    /// Its outcome; `unknown` when the record does not contain it.
    public var outcome: Outcome { completed?.text("outcome").flatMap(Outcome.init) ?? .unknown }
    /// The token that it is about; nil when it is about none.
    public var token: String? { invoked.text("token") }
    /// Whether what was asked for is there; nil when that was not asked, or not answered.
    public var found: Bool? { completed?.fields["found"]?.boolValue }
    /// The name of the error; nil when there was none.
    public var error: String? { completed?.text("error") }

    static func all(in events: [TraceEvent]) -> [RecordedCall] {
        let completions = Dictionary(
            events.lazy.filter { $0.name == .callCompleted }.compactMap { event in
                event.operation.map { ($0, event) }
            }
        ) { first, _ in first }
        return events.compactMap { event in
            guard event.name == .callInvoked, let operation = event.operation, let incarnation = event.subject,
                let call = event.text("call")
            else { return nil }
            return RecordedCall(
                operation: operation, incarnation: incarnation, call: call, invoked: event,
                completed: completions[operation])
        }
    }
}
