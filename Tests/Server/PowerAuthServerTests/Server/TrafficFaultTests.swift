// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The rules by which a lab breaks requests, and its record of them.
@Suite("Rules for traffic", .endsInTime)
struct TrafficFaultTests {
    // MARK: One rule

    private typealias Row = (rule: TrafficFault, isTaken: Bool)

    private static let certificate = CertificateKind.expired.rawValue

    private static let numbers: [Row] = [-1, 0, 600_000, 600_001].flatMap { (number: Int) -> [Row] in
        let isTaken = (0...600_000).contains(number)
        return [
            (TrafficFault(skip: number, status: 500), isTaken), (TrafficFault(times: number, status: 500), isTaken),
            (TrafficFault(latency: number), isTaken), (TrafficFault(slowBody: number), isTaken),
        ]
    }

    private static let others: [Row] = [
        (TrafficFault(status: 199), false), (TrafficFault(status: 200), true), (TrafficFault(status: 599), true),
        (TrafficFault(status: 600), false), (TrafficFault(), false),
        (TrafficFault(path: "/a", method: "GET", skip: 1, times: 1), false),
        (TrafficFault(corruptBody: false), false), (TrafficFault(corruptBody: true), true),
        (TrafficFault(drop: .before), true), (TrafficFault(drop: .after), true),
        (TrafficFault(certificate: certificate), true), (TrafficFault(certificate: "unknown"), false),
        (TrafficFault(skip: 1, times: 1, corruptBody: false, certificate: certificate), true),
        (TrafficFault(path: "/a", certificate: certificate), false),
        (TrafficFault(method: "GET", certificate: certificate), false),
        (TrafficFault(latency: 1, certificate: certificate), false),
        (TrafficFault(status: 500, certificate: certificate), false),
        (TrafficFault(drop: .after, certificate: certificate), false),
        (TrafficFault(corruptBody: true, certificate: certificate), false),
        (TrafficFault(slowBody: 1, certificate: certificate), false),
        (TrafficFault(edit: edit, certificate: certificate), false),
    ]

    private static let edit = AnswerEdit(remove: ["a.0"])

    private static let answers: [Row] = [
        (TrafficFault(status: 500, code: "A", message: "b", contentType: "a/b"), true),
        (TrafficFault(status: 500, body: ["a": 1], contentType: "a/b; c=d"), true),
        (TrafficFault(latency: 1, code: "A"), false), (TrafficFault(latency: 1, message: "b"), false),
        (TrafficFault(latency: 1, body: "c"), false), (TrafficFault(latency: 1, contentType: "a/b"), false),
        (TrafficFault(status: 500, code: "A", body: "c"), false),
        (TrafficFault(status: 500, message: "b", body: "c"), false),
        (TrafficFault(status: 500, contentType: ""), false), (TrafficFault(status: 500, contentType: " a"), false),
        (TrafficFault(status: 500, contentType: "a "), false), (TrafficFault(status: 500, contentType: "a\n"), false),
        (TrafficFault(status: 500, contentType: "\u{e4}"), false),
        (TrafficFault(status: 500, contentType: "\u{7f}"), false),
        (TrafficFault(status: 500, contentType: String(repeating: "a", count: 255)), true),
        (TrafficFault(status: 500, contentType: String(repeating: "a", count: 256)), false),
        (TrafficFault(edit: edit), true), (TrafficFault(latency: 1, edit: edit), true),
        (TrafficFault(status: 200, edit: edit), false), (TrafficFault(edit: AnswerEdit()), false),
        (TrafficFault(edit: AnswerEdit(remove: [], replace: [:], add: [:])), false),
        (TrafficFault(edit: AnswerEdit(remove: [""])), false),
        (TrafficFault(edit: AnswerEdit(replace: ["a.": 1])), false),
        (TrafficFault(edit: AnswerEdit(add: [".a": 1])), false),
        (TrafficFault(edit: AnswerEdit(add: ["a..b": 1])), false),
    ]

    @Test func `A rule is taken when its numbers are in range and it does something to requests or to connections`() {
        for (rule, isTaken) in Self.numbers + Self.others + Self.answers {
            #expect(((try? rule.validate()) != nil) == isTaken, "\(rule)")
        }
    }

    @Test func `A rule is about its path and its method, in any case; one about connections is about no request`() {
        func matches(_ rule: TrafficFault) -> Bool { rule.matches(method: "POST", path: "/pa/v3/status") }
        #expect(matches(TrafficFault()) && matches(TrafficFault(path: "*/status", method: "post")))
        #expect(matches(TrafficFault(path: "/none|/pa/*")) && matches(TrafficFault(method: "POST")))
        #expect(!matches(TrafficFault(path: "/pa")) && !matches(TrafficFault(method: "GET")))
        #expect(!matches(TrafficFault(path: "/pa/*", method: "GET")))
        #expect(!matches(TrafficFault(path: "/none", method: "POST")))
        #expect(!matches(TrafficFault(certificate: Self.certificate)))
    }

    @Test func `What a rule has done is said in its order`() {
        let rule = TrafficFault(latency: 1_500, status: 503, drop: .after, corruptBody: true, slowBody: 20)
        #expect(
            rule.summary == """
                the server waited 1500ms of lab time, it answered 503 without doing anything, the work was done, but \
                the answer was lost, a byte of the answer was changed, the body took 20ms of lab time
                """)
        #expect(TrafficFault(drop: .before, corruptBody: false).summary == "the request was lost")
        #expect(TrafficFault(edit: Self.edit).summary == "")
    }

    @Test(arguments: [0, 1, 7, 8, 9, 17, 1_000], [0, 1, 7, 8, 9, 40_000])
    func `A slow body is sent whole, in at most eight pieces, and takes the whole time`(size: Int, milliseconds: Int) {
        let pieces = HTTPFrontend.pieces(of: size, over: milliseconds)
        #expect(pieces.count == max(1, min(8, size)))
        #expect(pieces.flatMap { Array($0.bytes) } == Array(0..<size))
        #expect(pieces.allSatisfy { size == 0 || !$0.bytes.isEmpty })
        #expect(pieces.last?.end == milliseconds)
        #expect(pieces.map(\.end) == pieces.map(\.end).sorted())
    }

    // MARK: Several rules

    @Test
    func `The first rule that has something left to do wins, and each counts what it has met until then`() throws {
        let faults = TrafficFaults()
        for rule in [
            TrafficFault(id: "late", path: "/a", skip: 1, times: 2, status: 501),
            TrafficFault(id: "other", path: "/b", status: 502), TrafficFault(id: "rest", path: "/a", status: 503),
        ] { _ = try faults.add(rule) }
        let hits = (1...5).map { _ in faults.hit(method: "GET", path: "/a")?.id }
        #expect(hits == ["rest", "late", "late", "rest", "rest"])
        #expect(faults.hit(method: "GET", path: "/c") == nil)
        let counts = faults.all.map { [$0.matched, $0.fired] }
        #expect(counts == [[5, 2], [0, 0], [3, 3]])
    }

    @Test
    func `A rule without a name gets one of its own; one with the name of another takes its place and counts anew`()
        throws
    {
        let faults = TrafficFaults()
        func ids() -> [String?] { faults.all.map(\.rule.id) }
        for _ in 1...2 { _ = try faults.add(TrafficFault(status: 500)) }
        _ = try faults.add(TrafficFault(id: "mine", status: 500))
        #expect(ids() == ["fault-1", "fault-2", "mine"])
        _ = faults.hit(method: "GET", path: "/a")
        #expect(try faults.add(TrafficFault(id: "fault-1", status: 404)).rule.status == 404)
        #expect(ids() == ["fault-2", "mine", "fault-1"])
        #expect(faults.all.map(\.matched) == [0, 0, 0] && faults.all.last?.rule.status == 404)
        #expect(throws: ServiceError.self) { try faults.add(TrafficFault(id: "mine")) }
        faults.remove(id: "unknown")
        faults.remove(id: "mine")
        #expect(ids() == ["fault-2", "fault-1"])
        #expect(try faults.add(TrafficFault(status: 500)).rule.id == "fault-3")
        faults.remove(id: nil)
        #expect(ids() == [])
    }

    @Test func `A hit without effect is not counted, and the rule shows the reason`() throws {
        let faults = TrafficFaults()
        _ = try faults.add(TrafficFault(id: "edit", times: 1, edit: Self.edit))
        for sentence in ["first", "second"] {
            #expect(faults.hit(method: "GET", path: "/a")?.id == "edit")
            #expect(faults.hit(method: "GET", path: "/a") == nil)
            faults.miss("edit", because: AnswerEdit.Mistake(description: sentence))
            #expect(faults.all.map(\.fired) == [0] && faults.all.map(\.mistake) == [sentence])
        }
        faults.miss("edit", because: AnswerEdit.Mistake(description: "third"))
        faults.miss("unknown", because: AnswerEdit.Mistake(description: "fourth"))
        #expect(faults.all.map(\.fired) == [0] && faults.all.map(\.mistake) == ["third"])
    }

    @Test func `Only a rule about certificates is met by connections, and by nothing else`() throws {
        let faults = TrafficFaults()
        _ = try faults.add(TrafficFault(status: 500))
        #expect(faults.hitConnection() == nil && faults.all.map(\.matched) == [0])
        _ = try faults.add(TrafficFault(skip: 1, times: 1, certificate: Self.certificate))
        #expect([faults.hitConnection(), faults.hitConnection(), faults.hitConnection()] == [nil, .expired, nil])
        #expect(faults.all.map(\.matched) == [0, 3] && faults.all.map(\.fired) == [0, 1])
    }

    // MARK: Records

    private func entry(_ body: String = "") -> TrafficEntry {
        TrafficEntry(
            received: 0, operation: nil, method: "GET", path: "/a", query: nil, headers: [:], body: body,
            decrypted: [], status: 200, answer: "", fault: nil)
    }

    @Test func `The journal has as many entries and bytes as it may, and numbers them on when it was cleared`() {
        let journal = TrafficJournal(capacity: 3, byteCapacity: 10)
        func numbers(after number: Int = 0) -> [Int] { journal.entries(after: number).map(\.number) }
        for _ in 1...5 { journal.add(entry()) }
        #expect(numbers() == [3, 4, 5])
        #expect(numbers(after: -1) == [3, 4, 5] && numbers(after: 2) == [3, 4, 5] && numbers(after: 3) == [4, 5])
        #expect(numbers(after: 5) == [] && numbers(after: 9) == [])
        journal.clear()
        #expect(numbers() == [])
        for _ in 1...2 { journal.add(entry("12345")) }
        #expect(numbers() == [6, 7])
        journal.add(entry("1"))
        #expect(numbers() == [7, 8])
        // The bytes of a removed one are given back.
        journal.add(entry("1234"))
        #expect(numbers() == [7, 8, 9])
        journal.add(entry("12345678901"))
        #expect(numbers() == [10])
    }

    @Test(arguments: 0..<7) func `An entry counts all that a client can make long`(part: Int) {
        var texts = [String](repeating: "", count: 7)
        texts[part] = "12345"
        let long = TrafficEntry(
            received: 0, operation: nil, method: "GET", path: "/a", query: texts[0], headers: [texts[1]: texts[2]],
            body: texts[3],
            decrypted: [.init(purpose: "", request: texts[4], response: texts[5])], status: 200, answer: texts[6],
            fault: nil)
        let journal = TrafficJournal(capacity: 10, byteCapacity: 9)
        for _ in 1...2 { journal.add(long) }
        #expect(journal.entries(after: 0).map(\.number) == [2])
    }

    @Test func `An entry has every part of its request and its answer; bytes that are no text are marked`() {
        let request = ServerRequest(
            method: "POST", path: "/a", query: "q=1", headers: [.accept: "text/plain"], body: Data([0xFF, 0]))
        let plaintexts = PlaintextLog()
        plaintexts.note(request: Data("one".utf8), purpose: .applicationGeneric)
        plaintexts.note(request: Data("two".utf8), purpose: .activationLayer2)
        plaintexts.note(request: Data("three".utf8), purpose: .activationLayer2)
        // The newest of its purpose is answered.
        plaintexts.note(response: Data("four".utf8), purpose: .activationLayer2)
        plaintexts.note(response: Data("five".utf8), purpose: .createToken)
        func entry(_ answer: ServerResponse?) -> TrafficEntry {
            TrafficEntry(
                request, at: ServerTime(milliseconds: 9), operation: "op-1", plaintexts: plaintexts, answer: answer,
                fault: "fault-1")
        }
        let answered = entry(ServerResponse(status: 201, body: Data("done".utf8)))
        #expect(answered.received == 9 && answered.operation == "op-1" && answered.fault == "fault-1")
        #expect(answered.method == "POST" && answered.path == "/a" && answered.query == "q=1")
        #expect(answered.headers == ["Accept": "text/plain"] && answered.body == "base64:/wA=")
        #expect(answered.status == 201 && answered.answer == "done")
        #expect(answered.decrypted.map(\.request) == ["one", "two", "three"])
        #expect(answered.decrypted.map(\.response) == [nil, nil, "four"])
        #expect(answered.decrypted.map(\.purpose) == ["/pa/generic/application", "/pa/activation", "/pa/activation"])
        let dropped = entry(nil)
        #expect(dropped.status == nil && dropped.answer == "")
    }

    @Test(arguments: [([], []), ([1], [0]), ([1, 2], [1, 3]), ([1, 2, 3], [1, 3, 3])] as [([UInt8], [UInt8])])
    func `One bit in the middle of an answer is changed, and nothing else`(sent: [UInt8], received: [UInt8]) {
        let answer = ServerResponse(status: 201, body: Data(sent), contentType: "text/plain")
        #expect(answer.corrupted() == ServerResponse(status: 201, body: Data(received), contentType: "text/plain"))
    }
}
