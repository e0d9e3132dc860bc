internal import Foundation
internal import LabKit
internal import LabSystem

/// Everything that was recorded while a scenario ran, on one time axis: its steps, the events of each process, the
/// requests and the logs.
struct ScenarioTimeline {
    /// Maximum size of a log, of which the end is kept, in bytes.
    private static let longestLog = 16_384

    private let directory: String
    private let history: [JSONValue]
    private let events: TimelineEvents
    /// The time of the first event, on the monotonic clock, in nanoseconds.
    private let begin: UInt64

    /// Reads the record of a scenario.
    ///
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    init?(recordedIn directory: String) {
        guard !directory.isEmpty, let data = try? Files.read("\(directory)/history.jsonl") else { return nil }
        self.directory = directory
        // A line that a killed run left unfinished is not an event.
        history = data.split(separator: 0x0A).compactMap { try? JSONValue.parse(Data($0)) }
        var events = TimelineEvents(lanes: Self.cast(of: history))
        try? TraceReader.forEach(in: "\(directory)/traces") { events.add($0) }
        self.events = events
        let first = history.first?["t"]?.integerValue.map(UInt64.init(clamping:))
        begin = min(first ?? .max, events.earliest ?? .max)
    }

    /// The data of the page.
    ///
    /// - Parameter withLogs: whether to include the ends of the logs.
    func json(withLogs: Bool) -> JSONValue {
        .object([
            "lanes": events.laneValues, "events": events.columns(since: begin), "texts": events.textValues,
            "steps": .array(steps), "sources": .array(sources), "commands": .array(commands),
            "requests": document(ScenarioTraffic.fileName) ?? .array([]),
            "sharing": document(SharingState.fileName) ?? .null, "link": document(LinkState.fileName) ?? .null,
            "logs": .array(withLogs ? logs : []),
        ])
    }

    /// The lanes of the topology, in its order: the steps, each device with its apps, the server.
    private static func cast(of history: [JSONValue]) -> [TimelineEvents.Lane] {
        let devices = history.first?["devices"]?.arrayValue ?? []
        return lanes(
            devices.map { device in
                let apps = (device["apps"]?.arrayValue ?? []).compactMap(\.stringValue)
                return (device["name"]?.stringValue ?? "", apps)
            })
    }

    /// The lanes of an instance without events.
    static func lanes(of topology: Topology) -> [TimelineEvents.Lane] {
        lanes(topology.devices.map { ($0.name, $0.apps.map(\.name)) })
    }

    private static func lanes(_ devices: [(name: String, apps: [String])]) -> [TimelineEvents.Lane] {
        let ofDevices = devices.flatMap { device in
            ([device.name] + device.apps).map { TimelineEvents.Lane(name: $0, device: device.name) }
        }
        return [.init(name: "steps", device: "scenario")] + ofDevices + [.init(name: "server", device: "server")]
    }

    private func time(of line: JSONValue) -> JSONValue {
        .integer(TimelineEvents.microseconds(UInt64(clamping: line["t"]?.integerValue ?? 0), since: begin))
    }

    /// The steps in the order of their beginning, each with its end if it had one.
    private var steps: [JSONValue] {
        var steps: [[String: JSONValue]] = []
        var open: [String: Int] = [:]
        for line in history {
            guard let event = line["e"]?.stringValue, let path = line["step"]?.stringValue else { continue }
            if event == "step.started" {
                open[path] = steps.count
                steps.append([
                    "path": .string(path), "start": time(of: line), "title": line["title"] ?? .string(""),
                    "sentence": line["sentence"] ?? .null,
                ])
                for name in ["file", "line", "column", "lastLine", "includedAt"] {
                    steps[steps.count - 1][name] = line[name]
                }
            } else if event == "step.finished", let index = open.removeValue(forKey: path) {
                steps[index]["end"] = time(of: line)
                steps[index]["fine"] = line["fine"] ?? .null
            }
        }
        return steps.map(JSONValue.object)
    }

    /// The contents of the files with the steps, each once.
    private var sources: [JSONValue] {
        history.filter { $0["e"]?.stringValue == "source" }.map { line in
            .object(["file": line["file"] ?? .string(""), "text": line["text"] ?? .string("")])
        }
    }

    private var commands: [JSONValue] {
        history.filter { $0["e"]?.stringValue == "command" }.map { line in
            var command: [String: JSONValue] = ["path": line["step"] ?? .string(""), "t": time(of: line)]
            for name in ["actor", "command", "elapsed", "handling", "result", "error"] { command[name] = line[name] }
            return .object(command)
        }
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
