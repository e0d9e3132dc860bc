internal import Foundation
internal import LabKit

/// The events of a timeline as columns: what all events say again and again is written once.
struct TimelineEvents {
    /// One process, whatever its incarnation.
    struct Lane: Equatable {
        let name: String
        let device: String
    }

    private var lanes: [Lane]
    private let begin: UInt64
    private var laneNumbers: [String: Int] = [:]
    private var texts: [String] = []
    /// How many of the texts were told already.
    private var toldTexts = 0
    private var textNumbers: [String: Int] = [:]
    private var times: [JSONValue] = []
    private var laneColumn: [JSONValue] = []
    private var incarnations: [JSONValue] = []
    private var names: [JSONValue] = []
    private var operations: [JSONValue] = []
    private var fields: [JSONValue] = []

    /// - Parameters:
    ///   - lanes: the processes that are known before; others are added as they turn up.
    ///   - begin: moment 0, on the monotonic clock.
    init(lanes: [Lane], begin: UInt64) {
        self.lanes = lanes
        self.begin = begin
        // An app may bear the name of a device only if it runs on it; the device's own agent comes first.
        for (number, lane) in lanes.enumerated() where laneNumbers[lane.name] == nil { laneNumbers[lane.name] = number }
    }

    /// The time since the begin, in microseconds.
    static func microseconds(_ time: UInt64, since begin: UInt64) -> Int64 {
        time >= begin ? Int64((time - begin + 500) / 1_000) : 0
    }

    mutating func add(_ event: TraceEvent) {
        times.append(.integer(Self.microseconds(event.time, since: begin)))
        laneColumn.append(.integer(Int64(lane(of: event.process))))
        incarnations.append(.integer(Int64(event.incarnation)))
        names.append(text(event.name.rawValue))
        operations.append(event.operation.map { text($0) } ?? .integer(-1))
        let facts =
            event.fields.isEmpty ? "" : String(decoding: JSONValue.object(event.fields).encoded(), as: UTF8.self)
        fields.append(text(facts))
    }

    private mutating func lane(of process: String) -> Int {
        if let number = laneNumbers[process] { return number }
        lanes.append(Lane(name: process, device: "other"))
        laneNumbers[process] = lanes.count - 1
        return lanes.count - 1
    }

    private mutating func text(_ text: String) -> JSONValue {
        if let number = textNumbers[text] { return .integer(Int64(number)) }
        textNumbers[text] = texts.count
        texts.append(text)
        return .integer(Int64(texts.count - 1))
    }

    /// What was added since the last time: all lanes, the events, and the texts that are new; nil when nothing was.
    mutating func drained() -> JSONValue? {
        guard !times.isEmpty || toldTexts == 0 else { return nil }
        defer {
            (times, laneColumn, incarnations, names, operations, fields) = ([], [], [], [], [], [])
            toldTexts = texts.count
        }
        return .object([
            "lanes": laneValues, "events": columns, "texts": .array(texts[toldTexts...].map(JSONValue.string)),
        ])
    }

    /// The lanes in their order.
    var laneValues: JSONValue {
        .array(lanes.map { .object(["name": .string($0.name), "device": .string($0.device)]) })
    }

    /// All texts, which the columns name by their places.
    var textValues: JSONValue { .array(texts.map(JSONValue.string)) }

    /// The columns: time in microseconds, lane, incarnation, and the places of name, operation and facts among the texts.
    var columns: JSONValue {
        .object([
            "t": .array(times), "lane": .array(laneColumn), "inc": .array(incarnations), "name": .array(names),
            "op": .array(operations), "fields": .array(fields),
        ])
    }
}
