// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@Suite("Traces", .endsInTime)
struct TraceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func writer(_ process: String = "main", _ incarnation: Int = 1) throws -> TraceWriter {
        try TraceWriter(directory: directory.path, process: process, incarnation: incarnation)
    }

    @Test func `An event is one line with its time, origin and fields`() throws {
        let before = MonotonicClock.nanoseconds()
        let writer = try writer("main", 2)
        writer.emit(.stateSaved, operation: "step-3", ["counter": 7, "note": "a\nb"])
        #expect(writer.path == directory.file("main#2.jsonl"))
        let text = String(decoding: try Files.read(writer.path), as: UTF8.self)
        let expected = #","p":"main#2","e":"state.saved","op":"step-3","f":{"counter":7,"note":"a\nb"}}"# + "\n"
        #expect(text.hasSuffix(expected), "\(text)")
        let event = try #require(try TraceReader.read(writer.path).events.first)
        #expect(event.time >= before && event.time <= MonotonicClock.nanoseconds())
        #expect(event.process == "main" && event.incarnation == 2 && event.name == .stateSaved)
        #expect(event.operation == "step-3")
        #expect(event.fields == ["counter": 7, "note": "a\nb"])
    }

    @Test
    func `The last event of a kind is found near the end of a long file; the search does not go far back`() throws {
        let writer = try writer()
        let last = { try TraceReader.lastEvent(in: writer.path, mentioning: "lock.") { $0.name != .lockRequested } }
        #expect(throws: SystemError.self) {
            try TraceReader.lastEvent(in: directory.file("none"), mentioning: "") { _ in true }
        }
        #expect(try last() == nil)
        writer.emit(.lockTaken, ["lock": "status"])
        for _ in 0..<3 { writer.emit(.lockReleased, ["lock": "queue"]) }
        writer.emit(.lockRequested, ["lock": "queue"])
        #expect(try last()?.name == .lockReleased)
        for number in 0..<2000 { writer.emit(.stateSaved, ["counter": .integer(Int64(number))]) }
        #expect(try last() == nil)
        writer.emit(.lockTaken, ["lock": "status"])
        #expect(try last()?.fields == ["lock": "status"])
    }

    @Test func `An incomplete last line is reported, and all other lines are read`() throws {
        let writer = try writer()
        writer.emit(.processStarted)
        let file = try FileDescriptor.open(writer.path, flags: 1)
        let length = try file.size()
        try file.writeAll(Data(#"{"t":12,"p":"ma"#.utf8), at: length)
        let content = try TraceReader.read(writer.path)
        #expect(content.events.map(\.name) == [.processStarted])
        #expect(content.isTorn)
        #expect(content.unreadableLines == 0)
    }

    @Test func `Malformed lines are counted and skipped`() throws {
        let lines = ["", "{}", #"{"t":-1,"p":"a#1","e":"log"}"#, #"{"t":1,"p":"a","e":"log"}"#, "nonsense"]
        try Files.write(Data((lines.joined(separator: "\n") + "\n").utf8), to: directory.file("a#1.jsonl"))
        let content = try TraceReader.read(directory.file("a#1.jsonl"))
        #expect(content.events.isEmpty && content.unreadableLines == lines.count && !content.isTorn)
    }

    @Test func `Traces of several processes merge by time`() throws {
        let writers = try [writer("main"), writer("watch"), writer("main", 2)]
        for index in 0..<9 { writers[index % 3].emit(.log, ["n": .integer(Int64(index))]) }
        let numbers = try TraceReader.readAll(directory.path).map { $0.fields["n"]?.integerValue }
        #expect(numbers == Array(0..<9))
    }

    @Test func `Threads do not mix their lines`() throws {
        let writer = try writer()
        let threads = (0..<4).map { _ in
            runOnThread(name: "tracer") {
                for _ in 0..<100 { writer.emit(.log, ["text": .string(String(repeating: "x", count: 500))]) }
            }
        }
        threads.forEach { $0.join() }
        let content = try TraceReader.read(writer.path)
        #expect(content.events.count == 400 && content.unreadableLines == 0 && !content.isTorn)
    }

    @Test func `A follower sees old events, new ones and new files`() throws {
        let early = try writer("early")
        early.emit(.processStarted)
        let seen = Recorder<TraceEvent>()
        let follower = try TraceFollower(directory: directory.path) { seen.add($0) }
        early.emit(.processReady)
        let late = try writer("late")
        late.emit(.processStarted)
        late.emit(.processReady)
        try seen.wait { $0.count >= 4 }
        follower.stop()
        #expect(seen.names(of: "early") == [.processStarted, .processReady])
        #expect(seen.names(of: "late") == [.processStarted, .processReady])
    }

    @Test func `Events that several processes wrote before a follower starts are reported in order of time`() throws {
        let (first, second) = (try writer("a"), try writer("b"))
        for _ in 0..<3 {
            second.emit(.processReady)
            first.emit(.processReady)
        }
        let seen = Recorder<String>()
        let follower = try TraceFollower(directory: directory.path) { seen.add($0.process) }
        follower.stop()
        #expect(seen.all == ["b", "a", "b", "a", "b", "a"])
    }

    @Test func `Stopping a follower reports everything written before`() throws {
        let writer = try writer()
        let seen = Recorder<TraceEvent>()
        let follower = try TraceFollower(directory: directory.path) { seen.add($0) }
        for _ in 0..<200 { writer.emit(.log) }
        follower.stop()
        #expect(seen.names(of: "main").count == 200)
    }
}

extension Recorder<TraceEvent> {
    fileprivate func names(of process: String) -> [TraceEventName] { all.filter { $0.process == process }.map(\.name) }
}
