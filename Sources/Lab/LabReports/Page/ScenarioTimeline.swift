// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
import LabPoints
import LabSystem
import ScenarioEngine

/// Everything that was recorded while a scenario ran, on one time axis: its steps, the events of each process, the
/// requests and the logs.
package struct ScenarioTimeline {
    /// How much of a record a page has.
    package enum Extent {
        /// All of it.
        case whole
        /// No logs, and long texts of requests cut: for a scenario that passed, among others. Keys, signatures and encrypted
        /// content are most of a page's size, because nothing makes them shorter.
        case brief
    }

    /// Maximum size of a log, of which the end is kept, in bytes.
    private static let longestLog = 16_384
    /// Maximum length of a text of a request in brief, in characters.
    private static let longestText = 120

    private let directory: String
    private let history: [HistoryEvent]
    private let events: TimelineEvents
    /// The time of the first event, on the monotonic clock, in nanoseconds.
    let begin: UInt64

    /// Reads the record of a scenario.
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    package init?(recordedIn directory: String) {
        guard let history = History.read(in: directory) else { return nil }
        self.directory = directory
        self.history = history
        var devices: [HistoryEvent.Device] = []
        if case .scenarioStarted(let start)? = history.first?.fact { devices = start.devices }
        var events = TimelineEvents(lanes: Self.lanes(devices))
        try? TraceReader.forEach(in: "\(directory)/traces") { events.add($0) }
        self.events = events
        begin = min(history.first?.time ?? .max, events.earliest ?? .max)
    }

    /// The data of the page.
    package func json(_ extent: Extent = .whole) -> JSONValue {
        let requests = document(ScenarioTraffic.fileName) ?? .array([])
        return .object([
            "lanes": events.laneValues, "events": events.columns(since: begin), "texts": events.textValues,
            "history": .array(history.map { $0.line(since: begin) }),
            "requests": extent == .whole ? requests : requests.cut(to: Self.longestText),
            "sharing": document(SharingState.fileName) ?? .null, "link": document(LinkState.fileName) ?? .null,
            "logs": .array(extent == .whole ? logs : []),
        ])
    }

    /// The lanes of an instance without events.
    package static func lanes(of topology: Topology) -> [TimelineEvents.Lane] {
        lanes(topology.devices.map(HistoryEvent.Device.init))
    }

    /// The lanes of a topology, in its order: the steps, each device with its apps, the server.
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

/// The events of a timeline as columns: repeated texts are written once.
package struct TimelineEvents {
    /// One process, whatever its incarnation.
    package struct Lane: Equatable {
        package let name: String
        package let device: String
    }

    /// An event in 32 bytes, so that many events use little memory; texts are stored as indexes.
    private struct Row {
        let time: UInt64
        let lane: Int32
        let incarnation: Int32
        let name: Int32
        /// Negative if no operation caused it.
        let operation: Int32
        let fields: Int32
    }

    private var lanes: [Lane]
    private var laneNumbers: [String: Int] = [:]
    private var texts: [String] = []
    /// Number of texts that were reported already.
    private var toldTexts = 0
    private var textNumbers: [String: Int] = [:]
    private var rows: [Row] = []

    /// - Parameter lanes: the processes known in advance; others are added when they occur.
    package init(lanes: [Lane]) {
        self.lanes = lanes
        // An app may have the name of a device only if it runs on it; the device's own agent comes first.
        for (number, lane) in lanes.enumerated() where laneNumbers[lane.name] == nil { laneNumbers[lane.name] = number }
    }

    package mutating func add(_ event: TraceEvent) {
        let (lane, name) = (self.lane(of: event.process), text(event.name.rawValue))
        let operation = event.operation.map { text($0) } ?? -1
        let facts =
            event.fields.isEmpty ? "" : String(decoding: JSONValue.object(event.fields).encoded(), as: UTF8.self)
        rows.append(
            Row(
                time: event.time, lane: Int32(lane), incarnation: Int32(clamping: event.incarnation),
                name: Int32(name), operation: Int32(operation), fields: Int32(text(facts))))
    }

    private mutating func lane(of process: String) -> Int {
        if let number = laneNumbers[process] { return number }
        lanes.append(Lane(name: process, device: "other"))
        laneNumbers[process] = lanes.count - 1
        return lanes.count - 1
    }

    private mutating func text(_ text: String) -> Int {
        if let number = textNumbers[text] { return number }
        textNumbers[text] = texts.count
        texts.append(text)
        return texts.count - 1
    }

    /// The time of the first event, on the monotonic clock; nil without events.
    var earliest: UInt64? { rows.lazy.map(\.time).min() }

    /// The additions since the last call: all lanes, the new events, and the new texts; nil for no additions.
    /// - Parameter begin: time 0, on the monotonic clock.
    package mutating func drained(since begin: UInt64) -> JSONValue? {
        guard !rows.isEmpty || toldTexts == 0 else { return nil }
        defer {
            rows = []
            toldTexts = texts.count
        }
        return .object([
            "lanes": laneValues, "events": columns(since: begin),
            "texts": .array(texts[toldTexts...].map(JSONValue.string)),
        ])
    }

    /// The lanes in their order.
    var laneValues: JSONValue {
        .array(lanes.map { .object(["name": .string($0.name), "device": .string($0.device)]) })
    }

    /// All texts, which the columns refer to by index.
    var textValues: JSONValue { .array(texts.map(JSONValue.string)) }

    /// The columns in the order of time: time in microseconds, lane, incarnation, and the indexes of name, operation
    /// and facts among the texts.
    /// - Parameter begin: time 0, on the monotonic clock.
    package func columns(since begin: UInt64) -> JSONValue {
        // Events of the same nanosecond keep the order of their arrival.
        let order = rows.indices.sorted { (rows[$0].time, $0) < (rows[$1].time, $1) }
        func column(_ value: (Row) -> Int64) -> JSONValue { .array(order.map { .integer(value(rows[$0])) }) }
        return .object([
            "t": column { HistoryEvent.microseconds($0.time, since: begin) }, "lane": column { Int64($0.lane) },
            "inc": column { Int64($0.incarnation) }, "name": column { Int64($0.name) },
            "op": column { Int64($0.operation) }, "fields": column { Int64($0.fields) },
        ])
    }
}
