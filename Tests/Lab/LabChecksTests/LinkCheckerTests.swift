// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@Suite("The checker of guaranteed messages", .endsInTime)
struct LinkCheckerTests {
    /// A history of messages from the app `main` on `phone` to `companion` on `watch`.
    private struct Link {
        var history = WrittenHistory()

        @discardableResult
        mutating func accepted(_ id: String) -> TraceEvent {
            history.add(
                "phone", .linkAccepted, ["id": .string(id), "link": "pairing", "kind": "transfer", "app": "main"])
        }

        @discardableResult
        mutating func received(_ id: String, _ agent: String = "watch") -> TraceEvent {
            history.add(
                agent, .linkReceived,
                ["id": .string(id), "link": "pairing", "kind": "transfer", "app": "companion", "seq": 1])
        }

        @discardableResult
        mutating func handled(_ id: String, _ app: String = "companion") -> TraceEvent {
            history.add(app, .linkHandled, ["id": .string(id)])
        }

        @discardableResult
        mutating func told(_ id: String, code: Int64? = nil, _ app: String = "main") -> TraceEvent {
            var fields: [String: JSONValue] = ["id": .string(id)]
            fields["code"] = code.map { .integer($0) }
            return history.add(app, .linkTold, fields)
        }

        mutating func whole(_ id: String) {
            accepted(id)
            received(id)
            handled(id)
            told(id)
        }
    }

    private func result(_ link: Link) throws -> Examination.Result {
        try Examination(RecordedHistory(link.history.events), by: LinkCheckers.all).results.first.orThrow("no checker")
    }

    private func expect(
        _ link: Link, breaks sentence: String, shownBy excerpt: [TraceEvent],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try result(link)
        #expect(result.verdict == .failed && result.breaches == 1, "\(result)", sourceLocation: sourceLocation)
        #expect(result.breach?.sentence == sentence, sourceLocation: sourceLocation)
        #expect(result.breach?.excerpt == excerpt, sourceLocation: sourceLocation)
    }

    private func expectFine(_ link: Link, examined: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let result = try result(link)
        #expect(result.verdict == .passed && result.examined == examined, "\(result)", sourceLocation: sourceLocation)
    }

    @Test func `Delivered messages pass, and so do those still in transit when the record ends`() throws {
        var link = Link()
        link.whole("A")
        link.accepted("B")
        link.accepted("C")
        link.received("B")
        try expectFine(link, examined: 3)
    }

    @Test func `An arrived message is lost if its app gets a later one but never this one`() throws {
        var link = Link()
        let accepted = link.accepted("A")
        link.received("A")
        link.told("A")
        link.accepted("B")
        link.received("B")
        let later = link.handled("B")
        try expect(
            link, breaks: "The message A has arrived but was never handed to its app: a later one was.",
            shownBy: [accepted, later])
    }

    @Test func `Only a message over which a process died is handled again, and only by another process`() throws {
        var link = Link()
        link.accepted("A")
        link.received("A")
        link.handled("A", "companion#1")
        var again = link
        again.handled("A", "companion#2")
        try expectFine(again, examined: 1)

        let first = link.history.events[2]
        let second = link.handled("A", "companion#1")
        try expect(link, breaks: "The message A was handled twice.", shownBy: [first, second])

        var late = again
        late.told("A")
        late.whole("B")
        let before = again.history.events[3]
        let third = late.handled("A", "companion#3")
        try expect(late, breaks: "The message A was handled twice.", shownBy: [before, third])
    }

    @Test func `A duplicate in the inbox is a breach, even if its app handles it once`() throws {
        var link = Link()
        link.accepted("A")
        let first = link.received("A")
        let second = link.received("A", "watch#2")
        link.handled("A")
        try expect(link, breaks: "The message A arrived twice.", shownBy: [first, second])
    }

    @Test func `A message behind a later one is a breach, in the inbox and at the delegate`() throws {
        var link = Link()
        let first = link.accepted("A")
        link.accepted("B")
        var inbox = link
        let later = inbox.received("B")
        let late = inbox.received("A")
        try expect(inbox, breaks: "The message A arrived behind a later one.", shownBy: [first, later, late])

        link.received("A")
        link.received("B")
        let handledLater = link.handled("B")
        let handledLate = link.handled("A")
        try expect(
            link, breaks: "The message A was handled behind a later one.", shownBy: [first, handledLater, handledLate])
    }

    @Test func `A message is lost if a later one arrives and it does not, unless it was reported as failed`() throws {
        var link = Link()
        let accepted = link.accepted("A")
        link.accepted("B")
        let later = link.received("B")
        try expect(link, breaks: "The message A was lost: a later one has arrived.", shownBy: [accepted, later])
        link.told("A", code: 7014)
        try expectFine(link, examined: 2)
    }

    @Test func `A message that was never sent cannot arrive`() throws {
        var link = Link()
        let received = link.received("A")
        try expect(link, breaks: "The message A arrived, but was never sent.", shownBy: [received])
        var other = Link()
        let handled = other.handled("A")
        try expect(other, breaks: "The message A was handled, but was never sent.", shownBy: [handled])
    }

    @Test func `A report must be true`() throws {
        var link = Link()
        let accepted = link.accepted("A")
        let told = link.told("A")
        try expect(link, breaks: "The message A was reported as arrived, but has not.", shownBy: [accepted, told])

        var failed = Link()
        failed.accepted("A")
        let received = failed.received("A")
        let error = failed.told("A", code: 7014)
        try expect(
            failed, breaks: "The message A was reported as failed, but has arrived.", shownBy: [received, error])
    }

    @Test
    func `Each process gets one report per message, all the same, for every message up to the last reported one`()
        throws
    {
        var link = Link()
        link.accepted("A")
        link.received("A")
        let first = link.told("A", "main#1")
        var again = link
        again.told("A", "main#2")
        try expectFine(again, examined: 1)
        var twice = link
        let second = twice.told("A", "main#1")
        try expect(twice, breaks: "The message A was reported twice.", shownBy: [first, second])

        var silent = Link()
        let accepted = silent.accepted("A")
        silent.received("A")
        silent.accepted("B")
        silent.received("B")
        let later = silent.told("B")
        try expect(
            silent, breaks: "The message A ended, but this was never reported to its sender.",
            shownBy: [accepted, later])
    }

    @Test func `The two directions of a link are independent`() throws {
        var link = Link()
        link.accepted("A")
        link.history.add(
            "watch", .linkAccepted, ["id": "X", "link": "pairing", "kind": "transfer", "app": "companion"])
        link.history.add(
            "phone", .linkReceived, ["id": "X", "link": "pairing", "kind": "transfer", "app": "main", "seq": 1])
        link.history.add("main", .linkHandled, ["id": "X"])
        link.history.add("companion", .linkTold, ["id": "X"])
        try expectFine(link, examined: 2)
    }

    @Test func `A device that sends over two links has an order for each of them, and both are judged`() throws {
        var link = Link()
        func accepted(_ id: String, over name: String) -> TraceEvent {
            link.history.add(
                "phone", .linkAccepted, ["id": .string(id), "link": .string(name), "kind": "transfer", "app": "main"])
        }
        let first = accepted("A", over: "first")
        _ = accepted("B", over: "first")
        _ = accepted("X", over: "second")
        var fine = link
        for id in ["A", "B", "X"] {
            fine.received(id)
            fine.handled(id)
        }
        try expectFine(fine, examined: 3)

        // What comes over the other link in between does not hide the order of this one.
        var inbox = link
        let later = inbox.received("B")
        inbox.received("X")
        let late = inbox.received("A")
        try expect(inbox, breaks: "The message A arrived behind a later one.", shownBy: [first, later, late])

        for id in ["A", "B", "X"] { link.received(id) }
        let handledLater = link.handled("B")
        link.handled("X")
        let handledLate = link.handled("A")
        try expect(
            link, breaks: "The message A was handled behind a later one.", shownBy: [first, handledLater, handledLate])
    }

    @Test func `Immediate messages, and what is refused at once or has no name, are not judged`() throws {
        var link = Link()
        let live: [String: JSONValue] = ["id": "L", "link": "pairing", "kind": "live", "app": "main"]
        link.history.add("phone", .linkAccepted, live)
        link.history.add("watch", .linkReceived, live)
        link.history.add("watch", .linkReceived, live)
        link.told("R", code: 7015)
        link.history.add("phone", .linkAccepted, ["link": "pairing", "kind": "transfer", "app": "main"])
        try expectFine(link, examined: 0)
    }

    @Test func `A message that is accepted twice, or reported with two results, is a breach`() throws {
        var link = Link()
        let first = link.accepted("A")
        let second = link.accepted("A")
        try expect(link, breaks: "The message A was accepted twice.", shownBy: [first, second])

        var reports = Link()
        reports.accepted("A")
        let failed = reports.told("A", code: 7014, "main#1")
        let other = reports.told("A", code: 7015, "main#2")
        try expect(reports, breaks: "The message A was reported with two different results.", shownBy: [failed, other])
    }

    @Test func `A message that failed is neither lost nor unreported; one that was handled has arrived`() throws {
        var link = Link()
        link.accepted("A")
        link.accepted("B")
        link.accepted("C")
        link.told("A", code: 7014)
        // Its record in the inbox is missing.
        link.handled("B")
        link.told("B")
        link.received("C")
        link.handled("C")
        link.told("C")
        try expectFine(link, examined: 3)
        // What was handled from another link does not prove that this one was due.
        link.accepted("D")
        link.history.add("phone", .linkAccepted, ["id": "E", "link": "second", "kind": "transfer", "app": "main"])
        link.history.add("x", .linkHandled, ["id": "E"])
        try expectFine(link, examined: 5)
    }
}
