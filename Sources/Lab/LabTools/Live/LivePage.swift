// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabPoints
import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// The page of a running instance: the bench and the lanes of a scenario's page, updated live, and clickable commands.
///
/// Thread rule: any thread. ``perform(_:)``, ``takeSnapshot(_:)``, ``restoreSnapshot(_:)`` and ``scenario()`` block, and wait
/// for each other. ``replay(_:)`` waits for them when it begins, then for an earlier replay.
public final class LivePage: Sendable {
    private let connection: InstanceConnection
    private let follower: TraceFollower
    private let histories: HistoryFollower
    private let requests: RequestFollower
    private let recorded: LiveRecord
    /// One at a time: a step can use the captures of earlier ones.
    private let session: Mutex<SessionRecord>
    private let underWay: StepUnderWay
    private let redactor: Redactor
    /// Held by the replay that runs.
    private let replaying = Mutex(())
    /// Set when the page ends.
    private let ending = Interruption()

    /// A page about an instance.
    /// - Throws: when the instance cannot be followed.
    public init(about connection: InstanceConnection) throws {
        self.connection = connection
        let manifest = connection.manifest
        let recorded = LiveRecord()
        self.recorded = recorded
        let steps = try LiveSteps(
            for: connection, directory: "\(manifest.runDirectory)/\(HistoryFollower.ownFolder)",
            labFile: Files.absolute(manifest.labFile ?? "lab.yaml"))
        let requests = RequestFollower(of: connection, redactor: steps.redactor) { recorded.add($0) }
        self.requests = requests
        follower = try TraceFollower(directory: manifest.tracesDirectory) { event in
            recorded.add(event)
            requests.note(event)
        }
        histories = try HistoryFollower(in: manifest.runDirectory) { recorded.add($0) }
        underWay = steps.underWay
        redactor = steps.redactor
        session = Mutex(SessionRecord(of: steps))
    }

    /// Ends the running step and the running replay, all update streams, and following the instance. Blocks until the
    /// instance of the replay has ended.
    public func stop() {
        underWay.interrupt()
        ending.set()
        replaying.withLock { _ in }
        requests.stop()
        follower.stop()
        histories.stop()
        recorded.end()
        session.withLock { $0.steps.stop() }
    }

    /// The HTML document; its script requests the updates.
    /// - Parameter nonce: Letters and digits, new for each document: the browser runs only the script with this nonce.
    public func document(nonce: String) -> Data {
        let actors = connection.actors.names.map { name in
            JSONValue.object([
                "name": .string(name), "commands": .array(connection.actors.commands(of: name).map(\.json)),
            ])
        }
        let live = JSONValue.object([
            "instance": .string(connection.manifest.id), "topology": .string(connection.manifest.topology.name),
            "actors": .array(actors), "points": .array(FaultPoint.allCases.map { .string($0.rawValue) }),
        ])
        return PageTemplate.livePage(
            [
                PageTemplate.Block(id: "run", json: PageReport(runs: []).overview([]).encoded()),
                PageTemplate.Block(id: "live", json: live.encoded()),
            ], nonce: nonce)
    }

    /// The events as documents for the page: first all events so far, then new ones, as fast as the reader takes them.
    /// Ends with the instance.
    public func updates() -> Updates {
        Updates(recorded: recorded, lanes: ScenarioTimeline.lanes(of: connection.manifest.topology))
    }

    /// The documents of ``updates()``.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let recorded: LiveRecord
        fileprivate let lanes: [TimelineEvents.Lane]

        public func makeAsyncIterator() -> Iterator {
            let begin = recorded.begin
            return Iterator(
                recorded: recorded, changes: recorded.changes().makeAsyncIterator(),
                table: TimelineEvents(lanes: lanes), begin: begin)
        }

        /// Not thread-safe: for one reader.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let recorded: LiveRecord
            fileprivate var changes: AsyncStream<Void>.Iterator
            fileprivate var table: TimelineEvents
            fileprivate let begin: UInt64
            fileprivate var known = LiveRecord.Extent()

            /// The next document; nil when the instance has ended.
            public mutating func next() async -> Data? {
                while await changes.next() != nil {
                    let news = recorded.news(since: &known)
                    for event in news.events { table.add(event) }
                    var update = table.drained(since: begin)?.objectValue ?? [:]
                    if !news.history.isEmpty {
                        update["history"] = .array(news.history.map { $0.line(since: begin) })
                    }
                    if !news.requests.isEmpty { update["requests"] = .array(Array(news.requests)) }
                    if !update.isEmpty { return JSONValue.object(update).encoded() }
                }
                return nil
            }
        }
    }

    /// Carries out a step as `lab shell` does.
    /// - Returns: `answer`, or `error` with the diagnostics; for a step that failed also `causes`, the known reasons.
    public func perform(_ text: String) -> JSONValue {
        session.withLock { session in
            let steps = session.steps
            do {
                let yaml = try steps.yaml(text)
                let outcome = try steps.perform(yaml)
                _ = session.add(yaml, outcome)
                switch outcome {
                case .refused(let complaints):
                    return .object(["error": .string(steps.redactor.redact(complaints.trimmed))])
                case .done(_, let answer): return .object(["answer": steps.redactor.redact(answer ?? .null)])
                case .failed(let failures, _, _):
                    return .object([
                        "error": .string(failures.map(\.reason).joined(separator: "\n")),
                        "causes": .array(failures.flatMap(\.causes).map { .string($0) }),
                    ])
                }
            } catch {
                steps.hideSecrets(ofRefused: text)
                return .object(["error": .string(steps.redactor.redact("\(error)"))])
            }
        }
    }

    /// The instance's snapshots, each with its `name` and its `facts`, sorted by name; or `error`.
    public func snapshots() -> JSONValue {
        do {
            let list = try InstanceSnapshots(of: connection, labVersion: LabVersion.current).list()
            return .object([
                "snapshots": .array(list.map { ["name": .string($0.name), "facts": .string($0.facts)] })
            ])
        } catch {
            return .object(["error": .string("\(error)")])
        }
    }

    /// Takes a snapshot of the instance, which is no step.
    /// - Returns: `answer`, a sentence, or `error`.
    public func takeSnapshot(_ name: String) -> JSONValue {
        answer { session in
            try session.takeSnapshot(name)
            return "snapshot \(name) was taken"
        }
    }

    /// Restores a snapshot of the instance, which is no step: ``scenario()`` goes back with it.
    /// - Returns: `answer`, a sentence, or `error`.
    public func restoreSnapshot(_ name: String) -> JSONValue { answer { try $0.restoreSnapshot(name) } }

    private func answer(_ body: @Sendable (inout SessionRecord) throws -> String) -> JSONValue {
        session.withLock { session in
            do {
                return .object(["answer": .string(try body(&session))])
            } catch {
                return .object(["error": .string("\(error)")])
            }
        }
    }

    /// The steps done on the page so far as a runnable scenario; nil if there is nothing to repeat. It refers to
    /// secrets by name only.
    public func scenario() -> String? {
        session.withLock { session in
            session.count == 0 ? nil : session.scenario(named: "Steps of the dashboard")
        }
    }

    /// Runs a scenario in an instance of its own, as `lab run` does. It can read the secrets that were typed on the page,
    /// from the variables that ``scenario()`` names. Blocks; ``stop()`` interrupts it.
    /// - Returns: `passed`, and `output`: what `lab run` prints, without the secrets.
    public func replay(_ scenario: String) -> JSONValue {
        let typed = session.withLock { $0.steps.given.map { ($0.variable, $0.text) } }
        var options = RunOptions(paths: [SuiteReader.standardInput])
        options.standardInput = scenario
        options.labFile = connection.manifest.labFile
        options.seed = connection.manifest.seed
        let output = Mutex("")
        let write: @Sendable (String) -> Void = { text in output.withLock { $0 += text } }
        let runner = SuiteRunner(
            options: options, environment: ProcessInfo.processInfo.environment.merging(typed) { _, secret in secret },
            printer: ProgressPrinter(look: .plain, write: write), interruption: ending, writeErrors: write)
        let outcome = replaying.withLock { _ in runner.run() }
        return .object([
            "passed": .bool(outcome == .passed), "output": .string(redactor.redact(output.withLock { $0 }).trimmed),
        ])
    }
}

/// All recorded events of an instance so far, for its page. Thread rule: any thread.
final class LiveRecord: Sendable {
    /// The position of a reader in a record.
    struct Extent {
        fileprivate var events = 0
        fileprivate var history = 0
        fileprivate var requests = 0

        /// The beginning of the record.
        init() {}
    }

    /// The events since the last read.
    struct News {
        let events: ArraySlice<TraceEvent>
        let history: ArraySlice<HistoryEvent>
        let requests: ArraySlice<JSONValue>
    }

    private struct State {
        var events: [TraceEvent] = []
        var history: [HistoryEvent] = []
        var requests: [JSONValue] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func add(_ event: TraceEvent) { change { $0.events.append(event) } }

    func add(_ event: HistoryEvent) { change { $0.history.append(event) } }

    func add(_ requests: [JSONValue]) { change { $0.requests += requests } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            for listener in state.listeners.values { listener.yield() }
        }
    }

    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        // Subscribers remove themselves from the list.
        for listener in listeners { listener.finish() }
    }

    /// The new events since a position; advances the position.
    func news(since extent: inout Extent) -> News {
        state.withLock { state in
            defer {
                extent.events = state.events.count
                extent.history = state.history.count
                extent.requests = state.requests.count
            }
            return News(
                events: state.events[extent.events...], history: state.history[extent.history...],
                requests: state.requests[extent.requests...])
        }
    }

    /// The time of the first event, on the monotonic clock, in nanoseconds.
    var begin: UInt64 { state.withLock { $0.events.map(\.time).min() } ?? MonotonicClock.nanoseconds() }

    /// Yields one element at once, and one whenever something new arrives; several may be merged into one.
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
            // No new events arrive after that.
            if state.withLock(\.isOver) { continuation.finish() }
        }
    }
}
