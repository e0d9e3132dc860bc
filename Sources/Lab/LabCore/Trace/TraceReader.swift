// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabSystem

/// Reads trace files.
public enum TraceReader {
    /// What a trace file holds.
    public struct Content: Sendable {
        /// The events in the order of the file.
        public let events: [TraceEvent]
        /// Whether the file ends within a line: its process was killed while writing, or is writing now.
        public let isTorn: Bool
        /// Lines that are not events.
        public let unreadableLines: Int
    }

    /// A line that is not an event: a byte of it was changed, or another program has written it.
    public struct DamagedLine: Hashable, Sendable, CustomStringConvertible {
        /// The name of the file in the directory of the traces.
        public let file: String
        /// From 1.
        public let number: Int

        public var description: String { "\(file):\(number)" }
    }

    /// Reads a whole file.
    public static func read(_ path: String) throws -> Content {
        var splitter = LineSplitter()
        var events: [TraceEvent] = []
        var unreadable = 0
        for line in splitter.add(try Files.read(path)) {
            if let event = TraceEvent(line: line) {
                events.append(event)
            } else {
                unreadable += 1
            }
        }
        return Content(events: events, isTorn: !splitter.rest.isEmpty, unreadableLines: unreadable)
    }

    /// The last event of its kind, if it is within the last 64 KiB of a file: quick, however long the file is.
    ///
    /// - Parameters:
    ///   - word: what the line must contain before it is looked at more closely.
    ///   - isWanted: whether it is of the kind.
    public static func lastEvent(
        in path: String, mentioning word: String, where isWanted: (TraceEvent) -> Bool
    ) throws -> TraceEvent? {
        let file = try FileDescriptor.open(path)
        let start = max(0, try file.size() - 65_536)
        var splitter = LineSplitter()
        // The first line may be cut; half a line is not an event.
        let lines = splitter.add(try file.read(count: 65_536, at: start))
        let word = Data(word.utf8)
        return lines.lazy.reversed().filter { $0.range(of: word) != nil }.compactMap(TraceEvent.init(line:))
            .first(where: isWanted)
    }

    /// Reads all trace files of a directory; the events of all processes in the order of their time.
    ///
    /// - Parameters:
    ///   - isWanted: Other events are dropped at once, so that a long trace takes little memory.
    ///   - damaged: Gets each line that is not an event; the torn last line of a killed process does not count.
    public static func readAll(
        _ directory: String, where isWanted: (TraceEvent) throws -> Bool = { _ in true },
        damaged: (DamagedLine) -> Void = { _ in }
    ) throws -> [TraceEvent] {
        var events: [TraceEvent] = []
        try forEach(in: directory, damaged: damaged) { event in
            if try isWanted(event) { events.append(event) }
        }
        // A stable order for events of the same nanosecond: as read, file by file.
        let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
        return order.map { events[$0] }
    }

    /// Reads all trace files of a directory, one after the other and piece by piece.
    ///
    /// - Parameters:
    ///   - damaged: Gets each line that is not an event; the torn last line of a killed process does not count.
    ///   - body: Gets each event, those of a process in the order in which it wrote them.
    public static func forEach(
        in directory: String, damaged: (DamagedLine) -> Void = { _ in }, _ body: (TraceEvent) throws -> Void
    ) throws {
        for name in try Files.list(directory) where name.hasSuffix(".jsonl") {
            let file = try FileDescriptor.open("\(directory)/\(name)")
            var splitter = LineSplitter()
            var number = 0
            while case let piece = try file.read(count: 65_536), !piece.isEmpty {
                for line in splitter.add(piece) {
                    number += 1
                    if let event = TraceEvent(line: line) {
                        try body(event)
                    } else {
                        damaged(DamagedLine(file: name, number: number))
                    }
                }
            }
        }
    }
}

/// Cuts a growing text into complete lines.
package struct LineSplitter {
    /// What came after the last line break.
    package private(set) var rest = Data()

    /// A splitter at the begin of a text.
    package init() {}

    /// Takes more of the text and returns the lines completed by it, without their line breaks.
    package mutating func add(_ data: Data) -> [Data] {
        rest.append(data)
        var lines: [Data] = []
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: 0x0A) {
            lines.append(rest[start..<end])
            start = rest.index(after: end)
        }
        rest = Data(rest[start...])
        return lines
    }
}
