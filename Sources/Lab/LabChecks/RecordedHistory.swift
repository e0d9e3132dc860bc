// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabPoints

/// What happened in a run: the events of all its processes in the order of time, with the calls of its driver.
public struct RecordedHistory: Sendable {
    /// One start of a process.
    public struct Incarnation: Hashable, Sendable, CustomStringConvertible {
        /// The actor name.
        public let process: String
        /// From 1.
        public let number: Int

        /// An incarnation.
        public init(_ process: String, _ number: Int) {
            self.process = process
            self.number = number
        }

        public var description: String { "\(process)#\(number)" }
    }

    /// The events in the order of time.
    public let events: [TraceEvent]
    /// The calls in the order in which they were made.
    public let calls: [RecordedCall]
    /// Lines of the record that are not events: their content is unknown.
    public let damage: [TraceReader.DamagedLine]
    /// The last event of each incarnation: it lived at least so long, and when it died, the kernel took its locks after it.
    private let lastEvents: [Incarnation: TraceEvent]

    /// A history of events.
    /// - Parameter damage: Lines of the record that are none.
    public init(_ events: [TraceEvent], damage: [TraceReader.DamagedLine] = []) {
        self.damage = damage
        let events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        self.events = events
        calls = RecordedCall.all(in: events)
        lastEvents = Dictionary(events.map { ($0.incarnationOfProcess, $0) }) { $1 }
    }

    /// The history that a run has recorded; the torn last line of a process that was killed is passed over.
    /// - Parameter isWanted: Other events are left out.
    public init(traces directory: String, where isWanted: (TraceEvent) -> Bool = { _ in true }) throws {
        var damage: [TraceReader.DamagedLine] = []
        let events = try TraceReader.readAll(directory, where: isWanted, damaged: { damage.append($0) })
        self.init(events, damage: damage)
    }

    /// The last event of an incarnation; nil without events.
    public func lastEvent(of incarnation: Incarnation) -> TraceEvent? { lastEvents[incarnation] }

    /// Whether an incarnation still did something after a moment.
    public func lives(_ incarnation: Incarnation, after time: UInt64) -> Bool {
        lastEvents[incarnation].map { $0.time > time } ?? false
    }
}

extension TraceEvent {
    /// The incarnation that the event comes from.
    public var incarnationOfProcess: RecordedHistory.Incarnation { .init(process, incarnation) }

    /// The incarnation that the event is about if that is another process; else nil.
    var subject: RecordedHistory.Incarnation? {
        guard let peer = text("peer"), let number = fields["incarnation"]?.integerValue else { return nil }
        return .init(peer, Int(number))
    }

    func text(_ field: String) -> String? { fields[field]?.stringValue }
}

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
    /// The activation that the app had before and after a call about a token; nil when it changed, or is not known.
    public var activationId: String? { completed?.text("activationId") }
    /// The identifier of the token that the app was given or has found; nil when there was none.
    public var tokenIdentifier: String? { completed?.text("tokenIdentifier") }
    /// The number of the password that it signs with, 0 for the first one of an activation; nil when it uses none.
    public var password: Int64? { completed?.number("password") }
    /// The number of the password that it sets; nil when it sets none.
    public var newPassword: Int64? { completed?.number("newPassword") }

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
