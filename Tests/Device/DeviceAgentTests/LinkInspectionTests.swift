// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What a device reports about its links: to a person who asks, and in its trace.
@Suite("Inspection and traces of links", .endsInTime)
struct LinkInspectionTests {
    private let ids = (0..<8).map { _ in UUID() }

    private func outgoing(_ number: Int, sequence: UInt64? = nil, endCode: Int? = nil, size: Int) -> Outbox.Entry {
        Outbox.Entry(
            position: Int64(number + 1), transferId: ids[number], origin: number == 0 ? "" : "main",
            destination: "companion", sequence: sequence, endCode: endCode, body: Data(count: size))
    }

    private func incoming(_ number: Int, wasOffered: Bool, size: Int) -> Inbox.Entry {
        Inbox.Entry(
            position: Int64(number + 1), transferId: ids[number], app: "main", body: Data(count: size),
            wasOffered: wasOffered)
    }

    /// A phone whose first link is in the middle of everything.
    private func busyPhone() throws -> UnservedAgent {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        let queues = StoredQueues(
            outbox: Outbox(
                epoch: 7, acknowledged: 3, lastSequence: 5,
                entries: [
                    outgoing(0, sequence: 4, endCode: 7014, size: 0), outgoing(1, sequence: 5, size: 11),
                    outgoing(2, size: 12),
                ]),
            inbox: Inbox(
                epoch: 8, received: 9,
                entries: [incoming(3, wasOffered: true, size: 13), incoming(4, wasOffered: false, size: 14)]),
            contexts: ContextExchange(
                own: ["main": .init(version: 21, body: Data(count: 15), isDone: false, destination: "companion")],
                received: [
                    "main": .init(version: 22, body: Data(count: 16), isDone: true),
                    "gone": .init(version: 23, body: Data(), isDone: true),
                ]),
            finished: [
                FinishedTransfer(transferId: ids[5], app: "main", content: .userInfo(Data()), code: 7015),
                FinishedTransfer(transferId: ids[6], app: "main", content: .userInfo(Data()), code: nil),
            ])
        host.link = WatchLink(setup: host.link.setup, queues: queues, isInRange: true)
        let now = host.clock.now().nanoseconds
        let message = WatchFrame(.live, flags: .expectsReply, messageId: ids[7], app: "main")
        _ = host.link.live.receive(message, isReady: false, at: now)
        host.collect(.fromPeer(WatchFrame(.ping)))
        host.collect(.appChanged("main", AppPresence(isAttached: true, isForeground: true)))
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(times: 1), .toWatch)
        for _ in 0..<2 { _ = host.air.take(WatchFrame(.live), .toWatch, at: now) }
        try phone.device.clock.advance(by: .milliseconds(1_500))
        return phone
    }

    private func end(_ phone: UnservedAgent, _ arguments: JSONValue = [:]) throws -> InspectLink.End {
        let result = try #require(try phone.perform(InspectLink.self, arguments)?.result)
        return try #require(try result.decode([InspectLink.End].self).first)
    }

    @Test
    func `An inspection shows where each transfer, context and message of an end is, and how large, but no content`()
        throws
    {
        let end = try end(try busyPhone())
        #expect(end.link == "pairing" && end.peer == "watch" && !end.isUp && end.isInRange == true)
        #expect(end.unanswered == 0 && end.lastContact == 1_500)
        #expect(end.apps.map(\.app) == ["main"] && end.apps.map(\.counterpart) == ["companion"])
        #expect(end.apps.map(\.isAttached) == [true] && end.apps.map(\.isActivated) == [false])
        #expect(end.apps.map(\.isForeground) == [true] && end.apps.map(\.isReachable) == [false])
        #expect(end.apps.map(\.isCounterpartInstalled) == [true])
        #expect(end.outbox.sent == 2 && end.outbox.waiting == 1 && end.outbox.confirmed == 3)
        #expect(end.outbox.transfers.map(\.id) == ids[0...2].map(\.uuidString))
        #expect(end.outbox.transfers.map(\.state) == [.ended, .sent, .waiting])
        #expect(end.outbox.transfers.map(\.app) == [nil, "main", "main"])
        #expect(end.outbox.transfers.map(\.number) == [4, 5, nil])
        #expect(end.outbox.transfers.map(\.size) == [0, 11, 12])
        #expect(end.inbox.waiting == 2 && end.inbox.received == 9)
        #expect(end.inbox.transfers.map(\.id) == ids[3...4].map(\.uuidString))
        #expect(end.inbox.transfers.map(\.state) == [.handedOver, .waiting])
        #expect(end.inbox.transfers.map(\.app) == ["main", "main"] && end.inbox.transfers.map(\.size) == [13, 14])
        #expect(end.untold.map(\.id) == ids[5...6].map(\.uuidString) && end.untold.map(\.code) == [7015, nil])
        #expect(end.untold.map(\.app) == ["main", "main"])
        #expect(end.contexts.map(\.app) == ["main", "main"] && end.contexts.map(\.isOwn) == [true, false])
        #expect(end.contexts.map(\.version) == [21, 22] && end.contexts.map(\.size) == [15, 16])
        #expect(end.contexts.map(\.isDone) == [false, true])
        #expect(end.messages.map(\.id) == [ids[7].uuidString] && end.messages.map(\.app) == ["main"])
        #expect(end.messages.map(\.isOwn) == [false] && end.messages.map(\.state) == [.held])
        #expect(end.messages.map(\.timeLeft) == [8_500])
        let condition = try #require(end.conditions.first)
        #expect(condition.id == "fault-1" && condition.fault == .slow && condition.direction == .toWatch)
        #expect(condition.effect == "each message takes 1m, at most 1")
        #expect(condition.matched == 2 && condition.fired == 1 && condition.held == 2 && end.conditions.count == 1)
    }

    @Test func `A list is cut to the asked length, and all are counted; a link is chosen by its name`() throws {
        let phone = try busyPhone()
        for length in [0, 1, 2] {
            let end = try end(phone, ["list": .integer(Int64(length))])
            #expect(end.outbox.transfers.count == length && end.inbox.transfers.count == length)
            #expect(end.outbox.sent + end.outbox.waiting == 3 && end.inbox.waiting == 2)
        }
        #expect(try phone.perform(InspectLink.self)?.result?.arrayValue?.count == 2)
        let other = try end(phone, ["link": "other"])
        #expect(other.link == "other" && other.peer == "second" && other.apps.map(\.counterpart) == ["glance"])
        let watch = try UnservedAgent("watch")
        #expect(try end(watch).isInRange == nil, "only the phone's end knows")
    }

    @Test
    func `A command for the armed faults counts what they were about and have hit, in both directions together`() throws
    {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        _ = host.air.arm(.duplicate, .init(skip: 1), nil)
        _ = host.air.arm(.duplicate, .init(kind: .context), .toPhone)
        for direction in [LinkDirection.toWatch, .toPhone, .toPhone] {
            _ = host.air.take(WatchFrame(.live), direction, at: 0)
        }
        let faults = try #require(try phone.perform(ListTrafficFaults.self, of: "pairing")?.result)
        #expect(faults == [["id": "fault-1", "matched": 3, "fired": 1], ["id": "fault-2", "matched": 0, "fired": 0]])
    }

    @Test
    func `The trace has each step of a transfer and of a message, with its number, its app and its link`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        let refusal = WatchFrame.body(RefusalBody(code: 7009))
        host.effects = [
            .store(.accepted(outgoing(1, size: 1))),
            .store(.received(incoming(2, wasOffered: false, size: 1), sequence: 4)),
            .store(.received(nil, sequence: 5)), .store(.acknowledged(upTo: 6)),
            .store(.handled(position: 3, transferId: nil)), .store(.handled(position: 4, transferId: ids[2])),
            .store(.told(transferId: ids[3])), .toPeer(WatchFrame(.live, messageId: ids[4], app: "companion")),
            .toPeer(WatchFrame(.userInfo, flags: .retransmission, messageId: ids[5], sequence: 7, app: "companion")),
            .toPeer(WatchFrame(.filePart, messageId: ids[6], sequence: 8, app: "companion")),
            .toPeer(WatchFrame(.userInfoTombstone, messageId: ids[7], sequence: 9, app: "companion")),
            .toPeer(WatchFrame(.liveError, correlationId: ids[0], sequence: 7014)),
            .toPeer(WatchFrame(.userInfoRefusal, messageId: ids[1], body: refusal)), .toPeer(WatchFrame(.state)),
        ]
        try host.settle { _ in }
        func fields(_ id: Int, _ more: [String: JSONValue] = [:]) -> [String: JSONValue] {
            more.merging(["id": .string(ids[id].uuidString), "link": "pairing"]) { $1 }
        }
        func sent(_ id: Int, _ sequence: JSONValue, isAgain: Bool = false) -> [String: JSONValue] {
            fields(id, ["kind": "transfer", "seq": sequence, "app": "companion", "isRetransmission": .bool(isAgain)])
        }
        let events = try TraceReader.read(phone.agent.trace.path).events.filter { $0.name.rawValue.hasPrefix("link.") }
        #expect(
            events.map(\.name) == [
                .linkAccepted, .linkReceived, .linkAcknowledged, .linkSettled, .linkSettled, .linkSent, .linkSent,
                .linkSent, .linkSent, .linkFailed, .linkRefused,
            ])
        let cause = "the transfer \(ids[1].uuidString) cannot be taken (WCError 7009)"
        #expect(
            events.map(\.fields) == [
                fields(1, ["kind": "transfer", "app": "main"]),
                fields(2, ["kind": "transfer", "seq": 4, "app": "main"]), ["seq": 6, "link": "pairing"], fields(2),
                fields(3), fields(4, ["kind": "live", "app": "companion"]), sent(5, 7, isAgain: true), sent(6, 8),
                sent(7, 9), fields(0, ["code": 7014]), ["cause": .string(cause), "link": "pairing"],
            ])
    }
}
