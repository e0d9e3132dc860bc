// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The events of a history", .endsInTime)
struct HistoryEventTests {
    /// Every kind with all of its members, and its line: kept runs have such lines.
    private static let lines: [(event: HistoryEvent, line: String)] = {
        var lines: [(event: HistoryEvent, line: String)] = []
        func add(_ fact: HistoryEvent.Fact, step: String? = nil, _ line: String) {
            lines.append((HistoryEvent(time: 1, step: step, fact), line))
        }
        add(
            .scenarioStarted(
                .init(id: "a.yaml", name: "A", seed: "7", devices: [.init(name: "phone", apps: ["main"])])),
            #"{"devices":[{"apps":["main"],"name":"phone"}],"e":"scenario.started","id":"a.yaml","name":"A","seed":"7","t":1}"#
        )
        add(
            .source(.init(file: "a.yaml", text: "name: A\n")),
            #"{"e":"source","file":"a.yaml","t":1,"text":"name: A\n"}"#)
        add(
            .stepStarted(
                .init(title: "main: x", sentence: "main does x"),
                .init(file: "a.yaml", line: 4, column: 5, lastLine: 6, includedAt: ["b.yaml:1:2"])), step: "1.1",
            #"{"column":5,"e":"step.started","file":"a.yaml","includedAt":["b.yaml:1:2"],"lastLine":6,"line":4,"sentence":"main does x","step":"1.1","t":1,"title":"main: x"}"#
        )
        add(
            .command(.init(actor: "main", command: "x", result: [1], error: ["code": "y"], handling: 8, elapsed: 9)),
            step: "1.1",
            #"{"actor":"main","command":"x","e":"command","elapsed":9,"error":{"code":"y"},"handling":8,"result":[1],"step":"1.1","t":1}"#
        )
        add(
            .turn(.init(number: 2, process: "main", place: "state.save", dies: true)), step: "1",
            #"{"dies":true,"e":"turn","number":2,"place":"state.save","process":"main","step":"1","t":1}"#)
        add(
            .failure(.failed, .init(reason: "no", place: "a.yaml:4:5")), step: "1.1",
            #"{"e":"failure","place":"a.yaml:4:5","reason":"no","step":"1.1","t":1,"verdict":"failed"}"#)
        add(.stepFinished(isFine: false), step: "1.1", #"{"e":"step.finished","fine":false,"step":"1.1","t":1}"#)
        add(.stepSkipped(.init(reason: "no")), step: "2", #"{"e":"step.skipped","reason":"no","step":"2","t":1}"#)
        add(
            .stepNotRun(.init(title: "main: x", sentence: "main does x")), step: "3",
            #"{"e":"step.notRun","sentence":"main does x","step":"3","t":1,"title":"main: x"}"#)
        add(.scenarioFinished(.failed), #"{"e":"scenario.finished","t":1,"verdict":"failed"}"#)
        return lines
    }()

    @Test func `A line is written as kept runs have it, and read again`() throws {
        #expect(Set(Self.lines.map(\.event.kind)) == Set(HistoryEvent.Kind.allCases))
        for (event, line) in Self.lines {
            #expect(try String(decoding: JSONValue(encoding: event).encoded(), as: UTF8.self) == line)
            #expect(HistoryEvent(line: Data(line.utf8)) == event)
            #expect(HistoryEvent(line: Data(line.dropLast().utf8)) == nil)
        }
    }

    @Test func `Secrets are masked, but not the words of the lab, without which no line could be read`() throws {
        let directory = try TemporaryDirectory()
        let history = try History(
            in: directory.path,
            redactor: Redactor(secrets: ["failed", "failure", "reason", "step", "1", "7391-secret"]))
        history.record(.failure(.failed, .init(reason: "it failed with 7391-secret", place: "")), step: "1")
        let event = try #require(History.read(in: directory.path)?.first)
        #expect(event.step == "1")
        #expect(event.fact == .failure(.failed, .init(reason: "it •••• with ••••", place: "")))
    }

    @Test func `A line is valid by the schema exactly when it can be read, and has no other members`() throws {
        let schema = DraftSeven(HistoryEvent.schema)
        for (_, line) in Self.lines {
            let members = try #require(try JSONValue.parse(line).objectValue)
            #expect(try schema.complaints(about: .object(members)) == [], "\(line)")
            for key in members.keys {
                var rest = members
                rest[key] = nil
                let isRead = HistoryEvent(line: JSONValue.object(rest).encoded()) != nil
                #expect(try schema.complaints(about: .object(rest)).isEmpty == isRead, "\(line) without \(key)")
                rest[key] = key == "result" || key == "error" ? nil : ["other": "type"]
                if let wrong = rest[key] {
                    #expect(try !schema.complaints(about: .object(rest)).isEmpty, "\(key) is \(wrong)")
                }
            }
            var more = members
            more["more"] = 1
            #expect(try !schema.complaints(about: .object(more)).isEmpty, "\(line) with more")
        }
    }

    @Test func `The page's script reads only members that the events have`() throws {
        let script = try Project.text(of: "Sources/Lab/CReportPage/front/history.js")
        /// The members of a line that a part of the script reads.
        func read(_ part: String) -> Set<String> {
            // Simple boundaries: in Unicode's sense `line.step` is one word.
            Set(part.matches(of: /\bline\.(\w+)/.wordBoundaryKind(.simple)).map { String($0.1) })
        }
        let parts = script.components(separatedBy: "case \"")
        let common = try #require(parts.first)
        #expect(read(common) == ["source", "step", "e"])
        #expect(read(common).isSubset(of: HistoryEvent.CodingKeys.allCases.map(\.rawValue)))
        var kinds: [HistoryEvent.Kind] = []
        for part in parts.dropFirst() {
            let kind = try #require(HistoryEvent.Kind(rawValue: String(part.prefix { $0 != "\"" })), "\(part)")
            var event = try #require(Self.lines.first { $0.event.kind == kind }).event
            event.source = "shell-1"
            let members = try #require(try JSONValue(encoding: event).objectValue)
            #expect(read(part).isSubset(of: members.keys), "\(kind): \(read(part).subtracting(members.keys))")
            kinds.append(kind)
        }
        #expect(kinds == [.source, .stepStarted, .stepFinished, .stepSkipped, .stepNotRun, .command, .turn, .failure])
    }
}
