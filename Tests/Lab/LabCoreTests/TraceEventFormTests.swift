// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("The form of trace events", .endsInTime)
struct TraceEventFormTests {
    @Test func `An event is read as it was written, with its details and without`() throws {
        let whole = TraceEvent(
            time: 12, process: "a#b", incarnation: 3, name: .stateSaved, operation: "o", fields: ["bytes": 4])
        #expect(whole.json == ["t": 12, "p": "a#b#3", "e": "state.saved", "op": "o", "f": ["bytes": 4]])
        #expect(TraceEvent(json: whole.json) == whole)
        #expect(TraceEvent(line: whole.json.encoded()) == whole)
        let bare = TraceEvent(time: 0, process: "main", name: .log)
        #expect(bare.json == ["t": 0, "p": "main#1", "e": "log"])
        #expect(TraceEvent(json: bare.json) == bare)
    }

    @Test(
        arguments: [
            ["p": "a#1", "e": "log"], ["t": -1, "p": "a#1", "e": "log"], ["t": "1", "p": "a#1", "e": "log"],
            ["t": 1, "e": "log"], ["t": 1, "p": "a", "e": "log"], ["t": 1, "p": "a#", "e": "log"],
            ["t": 1, "p": "a#x", "e": "log"], ["t": 1, "p": "a#1"], ["t": 1, "p": "a#1", "e": "nonsense"], [1], nil,
        ] as [JSONValue])
    func `A line without time, origin or known name is no event`(json: JSONValue) {
        #expect(TraceEvent(json: json) == nil)
        #expect(TraceEvent(line: json.encoded()) == nil)
    }

    @Test(
        arguments: [
            (["bytes": 1], nil),
            (["bytes": 1, "counter": 2, "activationId": "a"], nil),
            (["bytes": 1, "counter": nil], nil),
            (["bytes": 1, "z": 1, "b": 1], "`state.saved` of main#2 has the field `b`, which is not declared"),
            ([:], "`bytes` of `state.saved` of main#2 is null, which its type does not allow"),
            (["bytes": "x"], "`bytes` of `state.saved` of main#2 is \"x\", which its type does not allow"),
            (
                ["bytes": 1, "counter": 0.5],
                "`counter` of `state.saved` of main#2 is 0.5, which its type does not allow"
            ),
        ] as [([String: JSONValue], String?)])
    func `Details that are not as declared are named: one too many, a wrong one, a missing one`(
        fields: [String: JSONValue], expected: String?
    ) {
        let event = TraceEvent(time: 1, process: "main", incarnation: 2, name: .stateSaved, fields: fields)
        #expect(event.mismatch == expected)
    }

    @Test func `A condition sees the details of an event, of which only the optional ones may be missing`() throws {
        guard case .object(let members) = TraceEventName.stateSaved.type
        else { throw Unexpected("the type is no object") }
        #expect(members.map(\.name) == TraceEventName.stateSaved.fields.map(\.name))
        #expect(members.map(\.isRequired) == [true, false, false])
        #expect(members.map(\.unit) == ["bytes", nil, nil])
        #expect(members.map(\.meaning) == TraceEventName.stateSaved.fields.map(\.meaning))
    }

    @Test func `A copied event keeps its time and origin`() throws {
        let directory = try TemporaryDirectory()
        let writer = try TraceWriter(directory: directory.path, process: "main", incarnation: 1)
        let event = TraceEvent(time: 5, process: "other", incarnation: 2, name: .log, fields: ["message": "x"])
        writer.copy(event)
        writer.emit(.log)
        let content = try TraceReader.read(writer.path)
        #expect(content.events.first == event && content.events.last?.process == "main")
        #expect(content.events.count == 2)
    }

    @Test
    func `All files are read in the order of time, events of one moment file by file; damaged lines are named`() throws
    {
        let directory = try TemporaryDirectory()
        func line(_ time: Int, _ process: String) -> String { #"{"t":\#(time),"p":"\#(process)#1","e":"log"}"# + "\n" }
        try Files.write(
            Data((line(3, "a") + "nonsense\n" + line(7, "a") + line(9, "a") + "{\"t\":1").utf8),
            to: directory.file("a#1.jsonl"))
        try Files.write(Data((line(2, "b") + line(7, "b") + "\n").utf8), to: directory.file("b#1.jsonl"))
        try Files.write(Data(line(1, "c").utf8), to: directory.file("c#1.txt"))
        var damaged: [String] = []
        let events = try TraceReader.readAll(directory.path, damaged: { damaged.append("\($0)") })
        #expect(events.map { "\($0.time)\($0.process)" } == ["2b", "3a", "7a", "7b", "9a"])
        #expect(damaged == ["a#1.jsonl:2", "b#1.jsonl:3"])
        let early = try TraceReader.readAll(directory.path, where: { $0.time < 4 })
        #expect(early.map(\.time) == [2, 3])
        var times: [UInt64] = []
        try TraceReader.forEach(in: directory.path, damaged: { _ in }) { times.append($0.time) }
        #expect(times == [3, 7, 9, 2, 7])
    }

    @Test(arguments: [-1, 0, 1])
    func `Lines longer than a piece of a file, and a line break between two pieces, are read`(difference: Int) throws {
        let directory = try TemporaryDirectory()
        let writer = try TraceWriter(directory: directory.path, process: "main", incarnation: 1)
        for _ in 0..<2 {
            let before = try FileDescriptor.open(writer.path).size()
            writer.copy(TraceEvent(time: 1, process: "main", name: .log, fields: ["message": ""]))
            let after = try FileDescriptor.open(writer.path).size()
            // The next line ends a piece of 65,536 bytes, or is a byte shorter or longer.
            let count = 65_536 - (after + after - before) % 65_536 + difference
            let text = String(repeating: "x", count: count)
            writer.copy(TraceEvent(time: 2, process: "main", name: .log, fields: ["message": .string(text)]))
        }
        #expect(try TraceReader.readAll(directory.path).map(\.time) == [1, 1, 2, 2])
        #expect(try TraceReader.read(writer.path).unreadableLines == 0)
    }
}
