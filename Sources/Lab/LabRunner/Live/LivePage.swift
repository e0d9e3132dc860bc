public import Foundation
public import LabKit
import LabSystem
import Synchronization

/// The page of a running instance: the lanes of a scenario's page, updated live, and clickable commands.
///
/// Thread rule: any thread. ``perform(_:)`` blocks.
public final class LivePage: Sendable {
    private let connection: InstanceConnection
    private let follower: TraceFollower
    private let histories: HistoryFollower
    private let requests: RequestFollower
    private let recorded: LiveRecord
    /// One at a time: a step can use the captures of earlier ones.
    private let session: Mutex<SessionRecord>
    private let underWay: StepUnderWay

    /// A page about an instance.
    ///
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
        session = Mutex(SessionRecord(of: steps))
    }

    /// Ends the running step, all update streams, and following the instance.
    public func stop() {
        underWay.interrupt()
        requests.stop()
        follower.stop()
        histories.stop()
        recorded.end()
        session.withLock { $0.steps.stop() }
    }

    /// The HTML document; its script requests the updates.
    ///
    /// - Parameter nonce: Letters and digits, new for each document: the browser runs only the script with this nonce.
    public func document(nonce: String) -> Data {
        let actors = connection.actors.names.map { name in
            JSONValue.object([
                "name": .string(name), "commands": .array(connection.actors.commands(of: name).map(\.json)),
            ])
        }
        let live = JSONValue.object([
            "instance": .string(connection.manifest.id), "topology": .string(connection.manifest.topology.name),
            "actors": .array(actors),
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
    ///
    /// - Parameter text: the step in YAML, or in its short form.
    /// - Returns: `answer`, or `error` with the diagnostics.
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
                case .done(_, let answer):
                    return .object(["answer": steps.redactor.redact(answer ?? .null)])
                case .failed(let failures, _, _):
                    return .object(["error": .string(failures.map(\.reason).joined(separator: "\n"))])
                }
            } catch {
                steps.hideSecrets(ofRefused: text)
                return .object(["error": .string(steps.redactor.redact("\(error)"))])
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
}
