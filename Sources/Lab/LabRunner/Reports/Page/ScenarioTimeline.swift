import Foundation
import LabKit
import LabSystem

/// Everything that was recorded while a scenario ran, on one time axis: its steps, the events of each process, the
/// requests and the logs.
struct ScenarioTimeline {
    /// Maximum size of a log, of which the end is kept, in bytes.
    private static let longestLog = 16_384

    private let directory: String
    private let history: [HistoryEvent]
    private let events: TimelineEvents
    /// The time of the first event, on the monotonic clock, in nanoseconds.
    private let begin: UInt64

    /// Reads the record of a scenario.
    ///
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    init?(recordedIn directory: String) {
        guard let history = History.read(in: directory) else { return nil }
        self.directory = directory
        self.history = history
        var events = TimelineEvents(lanes: Self.cast(of: history))
        try? TraceReader.forEach(in: "\(directory)/traces") { events.add($0) }
        self.events = events
        begin = min(history.first?.time ?? .max, events.earliest ?? .max)
    }

    /// The data of the page.
    ///
    /// - Parameter withLogs: whether to include the ends of the logs.
    func json(withLogs: Bool) -> JSONValue {
        .object([
            "lanes": events.laneValues, "events": events.columns(since: begin), "texts": events.textValues,
            "history": .array(history.map { $0.line(since: begin) }),
            "requests": document(ScenarioTraffic.fileName) ?? .array([]),
            "sharing": document(SharingState.fileName) ?? .null, "link": document(LinkState.fileName) ?? .null,
            "logs": .array(withLogs ? logs : []),
        ])
    }

    /// The lanes of the topology, in its order: the steps, each device with its apps, the server.
    private static func cast(of history: [HistoryEvent]) -> [TimelineEvents.Lane] {
        guard case .scenarioStarted(let start)? = history.first?.fact else { return lanes([]) }
        return lanes(start.devices)
    }

    /// The lanes of an instance without events.
    static func lanes(of topology: Topology) -> [TimelineEvents.Lane] {
        lanes(topology.devices.map(HistoryEvent.Device.init))
    }

    private static func lanes(_ devices: [HistoryEvent.Device]) -> [TimelineEvents.Lane] {
        let ofDevices = devices.flatMap { device in
            ([device.name] + device.apps).map { TimelineEvents.Lane(name: $0, device: device.name) }
        }
        return [.init(name: "steps", device: "scenario")] + ofDevices + [.init(name: "server", device: "server")]
    }

    private func document(_ name: String) -> JSONValue? {
        (try? Files.read("\(directory)/\(name)")).flatMap { try? JSONValue.parse($0) }
    }

    /// The ends of the processes' logs.
    private var logs: [JSONValue] {
        let folder = "\(directory)/logs"
        let names = (try? Files.list(folder)) ?? []
        return names.sorted().compactMap { name in
            guard let data = try? Files.read("\(folder)/\(name)"), !data.isEmpty else { return nil }
            let text = String(decoding: data.suffix(Self.longestLog), as: UTF8.self)
            return .object(["name": .string(name), "text": .string(text)])
        }
    }
}
