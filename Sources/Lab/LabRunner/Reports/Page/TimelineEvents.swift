import Foundation
import LabKit

/// The events of a timeline as columns: repeated texts are written once.
struct TimelineEvents {
    /// One process, whatever its incarnation.
    struct Lane: Equatable {
        let name: String
        let device: String
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
    init(lanes: [Lane]) {
        self.lanes = lanes
        // An app may have the name of a device only if it runs on it; the device's own agent comes first.
        for (number, lane) in lanes.enumerated() where laneNumbers[lane.name] == nil { laneNumbers[lane.name] = number }
    }

    /// The time since the beginning, in microseconds.
    static func microseconds(_ time: UInt64, since begin: UInt64) -> Int64 {
        time >= begin ? Int64((time - begin + 500) / 1_000) : 0
    }

    mutating func add(_ event: TraceEvent) {
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
    ///
    /// - Parameter begin: time 0, on the monotonic clock.
    mutating func drained(since begin: UInt64) -> JSONValue? {
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
    ///
    /// - Parameter begin: time 0, on the monotonic clock.
    func columns(since begin: UInt64) -> JSONValue {
        // Events of the same nanosecond keep the order of their arrival.
        let order = rows.indices.sorted { (rows[$0].time, $0) < (rows[$1].time, $1) }
        func column(_ value: (Row) -> Int64) -> JSONValue { .array(order.map { .integer(value(rows[$0])) }) }
        return .object([
            "t": column { Self.microseconds($0.time, since: begin) }, "lane": column { Int64($0.lane) },
            "inc": column { Int64($0.incarnation) }, "name": column { Int64($0.name) },
            "op": column { Int64($0.operation) }, "fields": column { Int64($0.fields) },
        ])
    }
}
