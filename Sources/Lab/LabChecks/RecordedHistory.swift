public import LabKit

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
    ///
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
    ///
    /// - Parameters:
    ///   - directory: Where the traces of the run lie.
    ///   - isWanted: Other events are left out.
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

    /// A detail that is a text.
    func text(_ field: String) -> String? { fields[field]?.stringValue }
}
