public import Foundation
public import LabKit
internal import LabSystem
internal import Synchronization

/// An instance as a page that goes on while the instance does: the lanes of a scenario's page, and its vocabulary to be
/// clicked.
///
/// Thread rule: any thread. ``perform(_:)`` blocks.
public final class LivePage: Sendable {
    private let connection: InstanceConnection
    private let follower: TraceFollower
    private let recorded: RecordedEvents
    /// One at a time: a step knows what the ones before it have kept.
    private let steps: Mutex<LiveSteps>
    private let underWay: StepUnderWay

    /// A page about an instance.
    ///
    /// - Throws: when the instance cannot be followed.
    public init(about connection: InstanceConnection) throws {
        self.connection = connection
        let manifest = connection.manifest
        let recorded = RecordedEvents()
        self.recorded = recorded
        follower = try TraceFollower(directory: manifest.tracesDirectory) { recorded.add($0) }
        let steps = try LiveSteps(
            for: connection, directory: "\(manifest.runDirectory)/dashboard",
            labFile: Files.absolute(manifest.labFile ?? "lab.yaml"))
        underWay = steps.underWay
        self.steps = Mutex(steps)
    }

    /// Ends the step under way, all streams of updates, and following the instance.
    public func stop() {
        underWay.interrupt()
        follower.stop()
        recorded.end()
        steps.withLock { $0.stop() }
    }

    /// The document, which asks for the updates itself.
    public func document() -> Data {
        let actors = connection.actors.names.map { name in
            JSONValue.object([
                "name": .string(name), "commands": .array(connection.actors.commands(of: name).map(\.json)),
            ])
        }
        let live = JSONValue.object([
            "instance": .string(connection.manifest.id), "topology": .string(connection.manifest.topology.name),
            "actors": .array(actors),
        ])
        return PageTemplate.page(
            [
                PageTemplate.Block(id: "run", json: PageReport(runs: []).overview([]).encoded()),
                PageTemplate.Block(id: "live", json: live.encoded()),
            ], isLive: true)
    }

    /// What has happened, in documents for the page: first everything so far, then what is new, as fast as somebody reads.
    /// Ends with the instance.
    public func updates() -> Updates {
        Updates(recorded: recorded, lanes: ScenarioTimeline.lanes(of: connection.manifest.topology))
    }

    /// The documents of ``updates()``.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let recorded: RecordedEvents
        fileprivate let lanes: [TimelineEvents.Lane]

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                recorded: recorded, changes: recorded.changes().makeAsyncIterator(),
                table: TimelineEvents(lanes: lanes, begin: recorded.begin))
        }

        /// Not thread-safe: for one reader.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let recorded: RecordedEvents
            fileprivate var changes: AsyncStream<Void>.Iterator
            fileprivate var table: TimelineEvents
            private var count = 0

            fileprivate init(
                recorded: RecordedEvents, changes: AsyncStream<Void>.Iterator, table: TimelineEvents
            ) {
                (self.recorded, self.changes, self.table) = (recorded, changes, table)
            }

            /// The next document; nil when the instance has ended.
            public mutating func next() async -> Data? {
                while await changes.next() != nil {
                    let new = recorded.events(after: count)
                    count += new.count
                    for event in new { table.add(event) }
                    if let update = table.drained() { return update.encoded() }
                }
                return nil
            }
        }
    }

    /// Carries out a step as `lab shell` does.
    ///
    /// - Parameter text: the step in YAML, or in its short form.
    /// - Returns: `answer`, or `error` with what was wrong with it.
    public func perform(_ text: String) -> JSONValue {
        steps.withLock { steps in
            do {
                switch try steps.perform(try ShellLine.yaml(text)) {
                case .refused(let complaints): return .object(["error": .string(complaints.trimmed)])
                case .done(_, let answer): return .object(["answer": steps.redactor.redact(answer ?? .null)])
                case .failed(let failures, _, _):
                    return .object(["error": .string(failures.map(\.reason).joined(separator: "\n"))])
                }
            } catch {
                return .object(["error": .string("\(error)")])
            }
        }
    }
}

/// The events of an instance so far. Thread rule: any thread.
private final class RecordedEvents: Sendable {
    private struct State {
        var events: [TraceEvent] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func add(_ event: TraceEvent) {
        state.withLock { state in
            state.events.append(event)
            for listener in state.listeners.values { listener.yield() }
        }
    }

    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        // They take themselves off the list.
        for listener in listeners { listener.finish() }
    }

    func events(after count: Int) -> ArraySlice<TraceEvent> { state.withLock { $0.events[count...] } }

    /// The first moment of all, on the monotonic clock, in nanoseconds.
    var begin: UInt64 { state.withLock { $0.events.map(\.time).min() } ?? MonotonicClock.nanoseconds() }

    /// An element at once, and one whenever there is something new; several may become one.
    func changes() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.lastListener += 1
                state.listeners[state.lastListener] = continuation
                return state.lastListener
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
            continuation.yield()
            // After that nothing new comes.
            if state.withLock(\.isOver) { continuation.finish() }
        }
    }
}
