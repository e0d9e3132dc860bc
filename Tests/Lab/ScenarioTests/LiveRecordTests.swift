// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The page of a running instance follows events, histories and requests", .endsInTime)
struct LiveRecordTests {
    private func event(_ time: UInt64, _ name: TraceEventName = .stateSaved, of process: String = "main") -> TraceEvent
    {
        TraceEvent(time: time, process: process, name: name)
    }

    private func line(of source: String) -> HistoryEvent {
        var line = HistoryEvent(time: 7, .stepFinished(isFine: true))
        line.source = source
        return line
    }

    // MARK: The record

    @Test func `A reader gets everything once, in order, and a new reader from the beginning`() {
        let record = LiveRecord()
        var extent = LiveRecord.Extent()
        record.add(event(5))
        record.add(line(of: "a"))
        record.add([1, 2])
        var news = record.news(since: &extent)
        #expect(news.events.map(\.time) == [5])
        #expect(news.history.map(\.source) == ["a"])
        #expect(news.requests == [1, 2])
        record.add(event(3))
        news = record.news(since: &extent)
        #expect(news.events.map(\.time) == [3])
        #expect(news.history.isEmpty && news.requests.isEmpty)
        record.add(line(of: "b"))
        record.add([3])
        news = record.news(since: &extent)
        #expect(news.events.isEmpty)
        #expect(news.history.map(\.source) == ["b"])
        #expect(news.requests == [3])
        var other = LiveRecord.Extent()
        news = record.news(since: &other)
        #expect(news.events.map(\.time) == [5, 3])
        #expect(news.history.map(\.source) == ["a", "b"])
        #expect(news.requests == [1, 2, 3])
        #expect(record.begin == 3)
    }

    @Test
    func `A subscriber is called at once, then after changes, of which several count as one, until the end`() async {
        let record = LiveRecord()
        var changes = record.changes().makeAsyncIterator()
        #expect(await changes.next() != nil)
        record.add(event(1))
        #expect(await changes.next() != nil)
        record.add(event(2))
        record.add([1])
        record.end()
        #expect(await changes.next() != nil)
        #expect(await changes.next() == nil)
        var late = record.changes().makeAsyncIterator()
        #expect(await late.next() != nil)
        #expect(await late.next() == nil)
    }

    // MARK: Histories

    @Test
    func `Each whole line of the page's and the shells' histories is reported once, up to the stop`() async throws {
        try await onThread {
            let directory = try TemporaryDirectory()
            func line(_ step: Int) -> String { #"{"e":"step.finished","fine":true,"step":"\#(step)","t":1}"# }
            func append(_ text: String, to folder: String) throws {
                try Files.createDirectory(directory.file(folder))
                let file = try FileDescriptor.open(
                    directory.file("\(folder)/history.jsonl"), flags: O_WRONLY | O_CREAT | O_APPEND)
                try file.writeAll(Data(text.utf8))
            }
            let lines = Recorder<String>()
            try append("\(line(1))\n\(line(2).prefix(4))", to: "dashboard")
            try append("\(line(9))\n", to: "logs")
            let follower = try HistoryFollower(in: directory.path) { line in
                lines.add("\(line.source ?? "") \(line.step ?? "")")
            }
            try lines.wait(for: "dashboard 1")
            try append("\(line(2).dropFirst(4))\nno JSON\n", to: "dashboard")
            try lines.wait(for: "dashboard 2")
            try append("\(line(3))\n", to: "shell-1")
            try lines.wait(for: "shell-1 3")
            try append("\(line(4))\n\(line(5))", to: "dashboard")
            try append("\(line(6))\n", to: "shell-2")
            follower.stop()
            try append("\(line(7))\n", to: "dashboard")
            #expect(lines.all.sorted() == ["dashboard 1", "dashboard 2", "dashboard 4", "shell-1 3", "shell-2 6"])
        }
    }

    // MARK: Requests

    private static func requests(_ numbers: Int64...) -> JSONValue {
        ["result": ["requests": .array(numbers.map { ["number": .integer($0)] })]]
    }

    @Test
    func `New requests are asked for when the server has answered some, and from the beginning when it starts anew`()
        async throws
    {
        let answers = [Self.requests(3, 1), Self.requests(4), Self.requests(9), Self.requests(10)]
        try await FakeLab.run(answers: ["server.\(ListRequests.name)": answers]) { lab in
            let found = Recorder<String>()
            let follower = RequestFollower(of: lab.connection, redactor: Redactor()) { requests in
                found.add(requests.map { $0["number"]?.description ?? "" }.joined(separator: " "))
            }
            follower.note(event(1, .serverRequest, of: "server"))
            follower.note(event(1, .serverResponse, of: "server"))
            try found.wait(for: "3 1")
            follower.note(event(2, .processStarted, of: "main"))
            follower.note(event(2, .serverFaulted, of: "server"))
            try found.wait(for: "4")
            follower.note(event(3, .processStarted, of: "server"))
            follower.note(event(3, .serverResponse, of: "server"))
            try found.wait(for: "9")
            follower.note(event(4, .serverResponse, of: "server"))
            try found.wait(for: "10")
            #expect(lab.answers.requests.map { $0.arguments["after"] } == [0, 3, 0, 9])
            follower.stop()
        }
    }

    @Test
    func `Requests are shown without the secrets of the protocol and of the user, and long texts are cut`() async throws
    {
        let names = ["tokenSecret", "ctrData", "puk", "otp", "activationOtp", "password", "clientSecret"]
        let secrets = Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string("hidden")) })
        try await onThread {
            for (letter, length) in ["x", "ž"].flatMap({ letter in Sizes.around(2_000).map { (letter, $0) } }) {
                let text = String(repeating: letter, count: length)
                let body: [String: JSONValue] = [
                    "list": [.object(secrets)], "number": ["password": 7], "user": "the horse battery staple",
                    "text": .string(text), "other": "shown",
                ]
                let request: JSONValue = ["requests": [["number": 1, "body": .object(body)]]]
                let lab = try FakeLab(
                    JoinedLabs.topology,
                    answers: FakeAnswers(["server.\(ListRequests.name)": [["result": request]]]))
                defer { lab.end() }
                let traffic = ScenarioTraffic(
                    instance: lab.connection, redactor: Redactor(secrets: ["horse battery staple"]))
                let shown = try #require(traffic.requests(after: 0).first?["body"])
                #expect(shown["list"]?[0] == .object(secrets.mapValues { _ in .string(Secret.mask) }))
                #expect(shown["number"] == ["password": 7])
                #expect(shown["user"] == .string("the \(Secret.mask)"))
                #expect(shown["other"] == "shown")
                let cut = "\(text.prefix(2_000))… (\(text.utf8.count) bytes)"
                #expect(shown["text"] == .string(length > 2_000 ? cut : text), "\(length) \(letter)")
            }
        }
    }
}
