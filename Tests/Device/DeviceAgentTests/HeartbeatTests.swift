import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Questions whether the other device is there", .endsInTime)
struct HeartbeatTests {
    private func isReachable(_ end: LinkWorld.End) -> Bool { end.link.state(for: end.app).isReachable }

    @Test("A device that answers stays in reach, however often it is asked")
    func answered() throws {
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

    @Test("Three unanswered questions are the end of the connection, in each direction by itself")
    func unanswered() throws {
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
            #expect(end.link.heartbeat.due == nil, "nobody is asked any more")
        }
    }

    @Test("The answer to a later question answers the earlier ones, and an answer to none counts for nothing")
    func laterAnswer() throws {
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

    @Test("Where the clock jumps over an hour, one question is due and not all of them")
    func jump() throws {
        var heartbeat = Heartbeat()
        heartbeat.begin(at: 0)
        #expect(heartbeat.due == Heartbeat.interval)
        let hour: Int64 = 3_600_000_000_000
        let number = heartbeat.beat(at: hour)
        #expect(number == 1)
        #expect(heartbeat.due == hour + Heartbeat.interval)
        #expect(heartbeat.unanswered == 1)
    }

    @Test("A state that was lost on its way is told again, and only until it was heard")
    func lostState() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.watch)
        #expect(world.toPhone.map(\.kind) == [.state])
        world.toPhone = []
        #expect(isReachable(world.phone), "it cannot know")
        // The answer to its question tells the watch what the phone has heard.
        try world.input(.beat, at: world.watch)
        try world.exchange()
        #expect(!isReachable(world.phone))
        try world.input(.beat, at: world.watch)
        try world.arrive(at: world.phone)
        try world.arrive(at: world.watch)
        #expect(world.toPhone.isEmpty, "the phone has heard it")
    }

    @Test("A state that a newer one has overtaken is no news")
    func overtakenState() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.watch)
        try world.activateApp(of: world.watch)
        let states = world.toPhone.filter { $0.kind == .state }
        #expect(states.count == 2)
        world.toPhone = states.reversed()
        try world.exchange()
        #expect(isReachable(world.phone))
    }

    @Test("The states of a watch that has started again are heard, although it counts from the beginning")
    func restartedWatch() throws {
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
