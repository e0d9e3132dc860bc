// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Questions whether the other device is there", .endsInTime)
struct HeartbeatTests {
    private func isReachable(_ end: LinkWorld.End) -> Bool { end.link.state(for: end.app).isReachable }

    @Test func `A device that answers stays reachable, after any number of questions`() throws {
        let world = try LinkWorld.connected()
        for _ in 0..<20 {
            for end in [world.phone, world.watch] { try world.input(.beat, at: end) }
            try world.exchange()
        }
        for end in [world.phone, world.watch] {
            #expect(isReachable(end), "\(end.name)")
            #expect(end.link.heartbeat.unanswered == 0)
        }
    }

    @Test(.verifies("size", "Heartbeat.interval", "Heartbeat.patience"))
    func `Three unanswered questions are the end of the connection, in each direction by itself`() throws {
        for isPhone in [true, false] {
            let world = try LinkWorld.connected()
            let end = isPhone ? world.phone : world.watch
            let message = UUID()
            try world.input(.fromApp(end.app, WatchFrame(.live, flags: .expectsReply, messageId: message)), at: end)
            for _ in 0..<3 {
                try world.input(.beat, at: end)
                #expect(end.link.isUp)
            }
            try world.input(.beat, at: end)
            #expect(!end.link.isUp && !isReachable(end))
            #expect(end.toApp.contains { $0.kind == .liveError && $0.sequence == 7014 }, "\(end.name)")
            #expect(end.link.heartbeat.due == nil, "no more questions are sent")
        }
    }

    @Test
    func `The answer to a later question answers the earlier ones, and an answer without a question is ignored`() throws
    {
        var heartbeat = Heartbeat()
        heartbeat.begin(at: 0)
        let numbers = [heartbeat.beat(at: 0), heartbeat.beat(at: 0)]
        #expect(numbers == [1, 2] && heartbeat.unanswered == 2)
        heartbeat.heard(answerTo: 2)
        heartbeat.heard(answerTo: 1)
        heartbeat.heard(answerTo: 99)
        #expect(heartbeat.unanswered == 0)
        let next = heartbeat.beat(at: 0)
        #expect(next == 3)
    }

    @Test func `Where the clock jumps over an hour, one question is due and not all of them`() throws {
        var heartbeat = Heartbeat()
        heartbeat.begin(at: 0)
        #expect(heartbeat.due == Heartbeat.interval)
        let hour: Int64 = 3_600_000_000_000
        let number = heartbeat.beat(at: hour)
        #expect(number == 1)
        #expect(heartbeat.due == hour + Heartbeat.interval)
        #expect(heartbeat.unanswered == 1)
    }

    @Test func `A lost state is sent again until it is acknowledged`() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.watch)
        #expect(world.toPhone.map(\.kind) == [.state])
        world.toPhone = []
        #expect(isReachable(world.phone), "it cannot know")
        // The answer to its question informs the watch which state the phone has.
        try world.input(.beat, at: world.watch)
        try world.exchange()
        #expect(!isReachable(world.phone))
        try world.input(.beat, at: world.watch)
        try world.arrive(at: world.phone)
        try world.arrive(at: world.watch)
        #expect(world.toPhone.isEmpty, "the phone has heard it")
    }

    @Test func `A state older than the last one is ignored`() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.watch)
        try world.activateApp(of: world.watch)
        let states = world.toPhone.filter { $0.kind == .state }
        #expect(states.count == 2)
        world.toPhone = states.reversed()
        try world.exchange()
        #expect(isReachable(world.phone))
    }

    @Test func `The states of a restarted watch are accepted, although its counter restarts`() throws {
        let world = try LinkWorld.connected()
        for _ in 0..<5 {
            try world.killApp(of: world.watch)
            try world.activateApp(of: world.watch)
        }
        try world.exchange()
        try world.watch.reboot()
        world.airIsEmpty(for: world.watch)
        try world.settle()
        try world.exchange()
        #expect(isReachable(world.phone))
        try world.killApp(of: world.watch)
        try world.exchange()
        #expect(!isReachable(world.phone))
    }
}
