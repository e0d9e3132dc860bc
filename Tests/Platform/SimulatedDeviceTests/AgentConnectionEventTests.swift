// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import SimulatedDevice

/// Which event an app's session gets for each frame of its device, and what is traced (watch.md, section 11.3).
@Suite("Frames of a device as events of the session", .endsInTime)
struct AgentConnectionEventTests {
    /// A connection to a device that no agent serves; it notes what it traces and passes.
    private final class Course {
        let device: TemporaryDevice
        let connection: AgentConnection
        let notes: Recorder<String>
        let touches: Recorder<Void>
        /// What a scheduler of turns learns.
        let tasks: Recorder<String>

        init() throws {
            let (device, notes) = (try TemporaryDevice(), Recorder<String>())
            let (touches, tasks) = (Recorder<Void>(), Recorder<String>())
            (self.device, self.notes, self.touches, self.tasks) = (device, notes, touches, tasks)
            connection = try AgentConnection(
                layout: device.layout, device: device.spec, attach: AttachBody(name: "main", pid: 1, incarnation: 2),
                handlers: AgentConnection.Handlers(
                    deviceCrashed: { notes.add("crashed: \($0)") },
                    pass: { point in
                        notes.add("pass \(point)")
                        throw InjectedFault(point: point, error: "EIO")
                    },
                    touch: { touches.add(()) },
                    sends: { tasks.add("sends") },
                    waits: { tasks.add("waits \($0)") },
                    trace: { name, fields in
                        let details = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        notes.add(([name.rawValue] + details).joined(separator: " "))
                    }))
        }

        deinit { connection.stop() }
    }

    private let id = UUID()
    private let reachable = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: true)

    private func list() throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: ["n": 1], format: .binary, options: 0)
    }

    @Test func `Each frame to the agent is an access to the device`() throws {
        let course = try Course()
        let before = course.touches.all.count
        course.connection.cancelTransfer(id)
        course.connection.contextTold(id)
        #expect(course.touches.all.count == before + 2)
    }

    @Test func `Each frame to the agent is counted, and the wait for a reply ends with the reply or the error`() throws
    {
        for kind in [WatchFrame.Kind.liveReply, .liveError] {
            let course = try Course()
            course.connection.cancelTransfer(id)
            for expectsReply in [false, true] {
                course.connection.send(
                    LiveMessage(messageId: id, body: Data(), isPropertyList: false, expectsReply: expectsReply))
            }
            _ = course.connection.event(for: WatchFrame(.liveAcknowledgement, correlationId: id))
            _ = course.connection.event(for: WatchFrame(kind, correlationId: UUID()))
            #expect(course.tasks.all == ["sends", "sends", "sends", "waits 1", "sends"], "the first one attaches")
            for _ in 0..<2 { _ = course.connection.event(for: WatchFrame(kind, correlationId: id)) }
            #expect(course.tasks.all.dropFirst(5) == ["waits -1"])
        }
    }

    @Test func `Each message frame becomes the event with its content, its form and its code`() throws {
        let course = try Course()
        func event(_ frame: WatchFrame) -> String { course.connection.event(for: frame).map { "\($0)" } ?? "" }
        for (flags, isPropertyList, expectsReply) in [
            ([], false, false), (.propertyList, true, false), (.expectsReply, false, true),
            ([.propertyList, .expectsReply], true, true),
        ] as [(WatchFrame.Flags, Bool, Bool)] {
            let message = LiveMessage(
                messageId: id, body: Data([1]), isPropertyList: isPropertyList, expectsReply: expectsReply)
            let frame = WatchFrame(.live, flags: flags, messageId: id, body: Data([1]))
            #expect(event(frame) == "\(WatchSessionEvent.message(message))")
            #expect(course.notes.takeAll() == ["link.delivered id=\"\(id.uuidString)\" kind=\"live\""])
            let reply = WatchFrame(.liveReply, flags: flags, correlationId: id, body: Data([1]))
            let expected = WatchSessionEvent.reply(messageId: id, body: Data([1]), isPropertyList: isPropertyList)
            #expect(event(reply) == "\(expected)")
        }
        #expect(
            event(WatchFrame(.liveAcknowledgement, correlationId: id))
                == "\(WatchSessionEvent.acknowledged(messageId: id))")
        let error = WatchFrame(.liveError, correlationId: id, sequence: 7014)
        #expect(event(error) == "\(WatchSessionEvent.failed(messageId: id, code: 7014))")
        let greatest = WatchFrame(.liveError, correlationId: id, sequence: .max)
        #expect(event(greatest) == "\(WatchSessionEvent.failed(messageId: id, code: .max))")
        #expect(course.notes.takeAll().isEmpty)
    }

    @Test
    func `A delivered transfer becomes an event with its content; one that comes again is traced as such`() throws {
        let course = try Course()
        let file = WatchFile(path: "/x/a", size: 3)
        for (sequence, isAgain) in [(0, false), (1, true)] as [(UInt64, Bool)] {
            let word = isAgain ? "link.redelivered" : "link.delivered"
            let notes = ["\(word) id=\"\(id.uuidString)\" kind=\"transfer\"", "pass \(FaultPoint.linkDelivered)"]
            var frame = WatchFrame(.deliver, flags: .propertyList, messageId: id, sequence: sequence, body: try list())
            if isAgain { frame.flags.insert(.retransmission) }
            guard case .userInfo(let transfer, let body, let hasMore)? = course.connection.event(for: frame)
            else { throw Unexpected("a dictionary is no user info") }
            #expect(try transfer == id && body == list() && hasMore == (sequence == 1))
            #expect(course.notes.takeAll() == notes)
            frame = WatchFrame(
                .deliver, flags: isAgain ? [.file, .retransmission] : .file, messageId: id, sequence: sequence,
                body: WatchFrame.body(file))
            guard case .file(let name, let content, let more)? = course.connection.event(for: frame)
            else { throw Unexpected("a file is no file") }
            #expect(name == id && content == file && more == (sequence == 1))
            #expect(course.notes.takeAll() == notes)
        }
        #expect(course.connection.event(for: WatchFrame(.deliver, flags: .file, body: Data([1]))) == nil)
    }

    @Test
    func `The ends and the progress of transfers have their codes and numbers; a failure is traced when it was seen`()
        throws
    {
        let course = try Course()
        for (sequence, code) in [(0, nil), (7014, 7014)] as [(UInt64, Int?)] {
            let frame = WatchFrame(
                .transferDone, flags: [.propertyList, .complication], messageId: id, sequence: sequence,
                body: Data([1]))
            guard case .transferFinished(let transfer, let content, let seen)? = course.connection.event(for: frame)
            else { throw Unexpected("an end is no end") }
            #expect(transfer == id && seen == code && content == .userInfo(Data([1]), isComplication: true))
            for _ in 0..<2 { course.connection.told(id) }
            let first = "link.told" + (code.map { " code=\($0)" } ?? "") + " id=\"\(id.uuidString)\""
            #expect(course.notes.takeAll() == [first, "link.told id=\"\(id.uuidString)\""])
        }
        let progress = WatchFrame(.transferProgress, messageId: id, sequence: 9)
        guard case .transferProgressed(id, 9)? = course.connection.event(for: progress)
        else { throw Unexpected("progress is no progress") }
        course.connection.delivered(id)
        #expect(
            course.notes.takeAll()
                == ["link.handled id=\"\(id.uuidString)\"", "pass \(FaultPoint.linkAcknowledged)"])
    }

    @Test func `An activation lists the transfers that came before it, once, and in their order`() throws {
        let course = try Course()
        let file = WatchFile(path: "/x/a", size: 3)
        let own = [
            OwnTransfer(transferId: UUID(), content: .userInfo(Data([1]), isComplication: true)),
            OwnTransfer(transferId: UUID(), content: .file(file), sent: 2),
        ]
        for transfer in own {
            let frame = WatchFrame(
                .outstandingTransfer, flags: transfer.content.flags, messageId: transfer.transferId,
                sequence: UInt64(transfer.sent), body: transfer.content.body)
            #expect(course.connection.event(for: frame) == nil)
        }
        for expected in [own, []] {
            let frame = WatchFrame(.activate, body: WatchFrame.body(reachable))
            let event = try #require(course.connection.event(for: frame))
            guard case .activated(reachable, let outstanding) = event
            else { throw Unexpected("an activation is no activation") }
            #expect(outstanding == expected)
            course.connection.traceState(in: event)
            #expect(course.notes.takeAll() == ["session.state installed=true paired=true reachable=true"])
        }
        #expect(course.connection.event(for: WatchFrame(.activate, body: Data([1]))) == nil)
    }

    @Test func `States and contexts become events; what a session has nothing to do with does not`() throws {
        let course = try Course()
        let connection = course.connection
        let away = WatchCounterpartState(isPaired: true)
        let change = try #require(connection.event(for: WatchFrame(.event, body: WatchFrame.body(away))))
        guard case .changed(away) = change else { throw Unexpected("a change is no change") }
        connection.traceState(in: change)
        #expect(course.notes.takeAll() == ["session.state installed=false paired=true reachable=false"])
        let contexts: [(flags: WatchFrame.Flags, news: UUID?)] = [
            ([.propertyList], id), ([.propertyList, .retransmission], nil),
        ]
        for (flags, news) in contexts {
            let frame = WatchFrame(.context, flags: flags, messageId: id, body: Data([1]))
            guard case .context(let body, let name)? = connection.event(for: frame)
            else { throw Unexpected("a context is no context") }
            #expect(body == Data([1]) && name == news)
        }
        guard case .ownContext(let own)? = connection.event(for: WatchFrame(.ownContext, body: Data([2]))),
            own == Data([2]), case .becameInactive? = connection.event(for: WatchFrame(.sessionInactive)),
            case .deactivated? = connection.event(for: WatchFrame(.sessionDeactivated)),
            case .contentPending(true)? = connection.event(for: WatchFrame(.contentPending, sequence: 1)),
            case .contentPending(false)? = connection.event(for: WatchFrame(.contentPending))
        else { throw Unexpected("a step of a session is no event") }
        for kind in [WatchFrame.Kind.hello, .state, .userInfo, .attach, .delivered, .transferQueued, .notification] {
            #expect(connection.event(for: WatchFrame(kind)) == nil, "\(kind)")
        }
        connection.traceState(in: .deactivated)
        #expect(course.notes.takeAll().isEmpty)
    }

    @Test func `A notification in the trace has its occasion`() {
        let notification = DeviceNotification(id: "n", payload: [:], date: 0)
        let rows: [(NotificationNews, JSONValue)] = [
            (.arrived(notification), "foreground"), (.background(notification), "background"),
            (.opened(notification, action: nil), "opened"),
        ]
        for (news, occasion) in rows { #expect(news.details == ["id": "n", "occasion": occasion]) }
    }
}
