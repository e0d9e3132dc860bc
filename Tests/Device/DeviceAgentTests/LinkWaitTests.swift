// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// When an agent sends something again, asks the other one, or takes it for lost (watch.md, section 11.4).
@Suite("What an end of a link waits for", .endsInTime)
struct LinkWaitTests {
    private func transfer() throws -> WatchFrame {
        WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content(1))
    }

    private func sleeping() throws -> ChildProcess {
        try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
    }

    /// What the end sends because its time has come.
    private func sendsDue(_ host: LinkHost) -> [WatchFrame.Kind] {
        host.effects = []
        host.collectDue()
        return host.effects.compactMap { if case .toPeer(let frame) = $0 { frame.kind } else { nil } }
    }

    @Test
    func `What is not confirmed is sent again once its time has come by both clocks, unless a confirmation came`()
        throws
    {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        func confirm(_ sequence: UInt64) {
            host.collect(
                .fromPeer(
                    WatchFrame(.userInfoAcknowledgement, epoch: host.link.outbox.epoch, sequence: sequence)))
        }
        host.collect(.fromPeer(host.greeting()))
        for _ in 1...3 { host.collect(.fromApp("companion", try transfer())) }
        let begin = host.clock.now().nanoseconds
        host.updateTimers()
        #expect(host.retransmission?.wait.due == begin + 1_000_000_000)
        // Questions are not what this is about.
        host.beat?.earliest = .max
        host.retransmission?.wait.earliest = 0
        try watch.device.clock.advance(by: .milliseconds(999))
        host.updateTimers()
        #expect(host.retransmission?.wait.due == begin + 1_000_000_000, "what is waited for is the same")
        #expect(sendsDue(host).isEmpty)
        try watch.device.clock.advance(by: .milliseconds(1))
        host.retransmission?.wait.earliest = .max
        #expect(sendsDue(host).isEmpty, "the other process has had no time")
        host.retransmission?.wait.earliest = 0
        #expect(sendsDue(host) == [.userInfo, .userInfo, .userInfo])
        #expect(sendsDue(host).isEmpty, "once")
        host.updateTimers()
        #expect(host.retransmission?.wait.due == begin + 2_000_000_000)
        confirm(1)
        host.updateTimers()
        host.retransmission?.wait.earliest = 0
        try watch.device.clock.advance(by: .seconds(1))
        #expect(sendsDue(host).isEmpty, "the other device is there")
        host.updateTimers()
        #expect(host.retransmission?.wait.due == begin + 3_000_000_000)
        confirm(3)
        host.updateTimers()
        #expect(host.retransmission?.wait.due == nil, "nothing is left to confirm")
        host.collect(.fromApp("companion", try transfer()))
        host.updateTimers()
        host.collect(.range(isInRange: false))
        host.updateTimers()
        #expect(host.retransmission?.wait.due == nil && host.beat == nil, "no other device could confirm")
    }

    @Test func `The other device is asked whether it is there once the time has come by both clocks`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        host.collect(.fromPeer(host.greeting()))
        let begin = host.clock.now().nanoseconds
        for round in 1...2 as ClosedRange<Int64> {
            host.updateTimers()
            #expect(host.beat?.due == begin + round * Heartbeat.interval)
            host.beat?.earliest = 0
            try watch.device.clock.advance(by: .milliseconds(499))
            #expect(sendsDue(host).isEmpty)
            try watch.device.clock.advance(by: .milliseconds(1))
            host.beat?.earliest = .max
            #expect(sendsDue(host).isEmpty, "the other process has had no time")
            host.updateTimers()
            host.beat?.earliest = 0
            #expect(sendsDue(host) == [.ping])
            #expect(sendsDue(host).isEmpty, "once")
        }
    }

    @Test func `An agent has more real time to answer while its process is seen to live`() throws {
        for (transport, patience) in [(.local, .seconds(1)), (.tcp, .milliseconds(100))]
            as [(LinkSpec.Transport, LabDuration)]
        {
            let watch = try UnservedAgent("watch", transport: transport)
            let host = watch.agent.links[0]
            host.collect(.fromPeer(host.greeting(pid: getpid())))
            _ = try host.settled()
            let before = MonotonicClock.nanoseconds()
            host.updateTimers()
            let after = MonotonicClock.nanoseconds()
            let (earliest, pause) = (try #require(host.beat?.earliest), UInt64(patience.stretched.nanoseconds))
            #expect(earliest >= before + pause && earliest <= after + pause, "\(transport)")
        }
    }

    @Test
    func `While two devices are connected each watches the other agent's process, if that is on this machine`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        let successor = try sleeping()
        defer { try? successor.signal(SIGKILL) }
        _ = try host.settled()
        #expect(host.peerWatch == nil, "no agent has greeted")
        host.collect(.fromPeer(host.greeting(pid: getpid())))
        _ = try host.settled()
        let first = try #require(host.peerWatch)
        #expect(first.pid == getpid())
        _ = try host.settled()
        #expect(host.peerWatch === first, "it is watched still")
        host.collect(.fromPeer(host.greeting(process: 6, pid: successor.pid)))
        _ = try host.settled()
        #expect(host.link.isUp && host.peerWatch?.pid == successor.pid, "another process has taken its place")
        host.collect(.range(isInRange: false))
        _ = try host.settled()
        #expect(!host.link.isUp && host.peerWatch == nil)
        let remote = try UnservedAgent("watch", transport: .tcp)
        let distant = remote.agent.links[0]
        distant.collect(.fromPeer(distant.greeting(pid: getpid())))
        _ = try distant.settled()
        #expect(distant.link.isUp && distant.peerWatch == nil)
    }

    @Test func `While an order of turns holds agents nothing is sent for want of an answer, but afterwards`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        host.collect(.fromPeer(host.greeting()))
        host.collect(.fromApp("companion", try transfer()))
        host.updateTimers()
        try watch.device.clock.advance(by: .minutes(1))
        try host.faults.turns.begin(["watch"])
        host.retransmission?.wait.earliest = 0
        host.beat?.earliest = 0
        #expect(sendsDue(host).isEmpty)
        let later = try #require(host.retransmission?.wait.earliest)
        #expect(later > MonotonicClock.nanoseconds(), "it is looked at again")
        host.faults.turns.end()
        #expect(sendsDue(host).isEmpty, "it waits that long")
        host.retransmission?.wait.earliest = 0
        host.beat?.earliest = 0
        #expect(sendsDue(host) == [.userInfo, .ping])
    }

    @Test func `An agent whose process has ended before it can be watched is lost at once`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        let ended = try ChildProcess.spawn(executable: "/bin/true")
        _ = try ended.wait()
        host.collect(.fromPeer(host.greeting(pid: ended.pid)))
        let begun = try host.settled()
        #expect(begun.contains(.linkChanged(isUp: true)) && host.peerWatch == nil)
        let lost = try host.settled()
        #expect(lost == [.linkChanged(isUp: false)] && !host.link.isUp)
    }

    @Test func `With the other agent's process the connection ends, and with an app's process that app does`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let (app, peer) = (try sleeping(), try sleeping())
        defer { for process in [app, peer] { try? process.signal(SIGKILL) } }
        let (appEnds, peerEnds) = (try ProcessWatch(pid: app.pid), try ProcessWatch(pid: peer.pid))
        let (host, link) = (try #require(agent.hosts["wallet"]), agent.links[0])
        for input in [.launch(request: nil), .spawned(pid: app.pid, incarnation: 1, at: 0), .ready]
            as [AppProcess.Input]
        {
            _ = host.process.handle(input)
        }
        host.watch = .child(app)
        link.collect(.fromPeer(link.greeting(pid: peer.pid)))
        /// One round of the agent, which has a message and so does not wait for another one.
        func serve() throws {
            agent.mailbox.post(.labAlarm)
            try agent.serveOnce()
        }
        for _ in 1...2 { try serve() }
        #expect(link.link.isUp && link.peerWatch?.pid == peer.pid && host.process.phase == .running(pid: app.pid))
        try app.signal(SIGKILL)
        try #require(try appEnds.waitForExit())
        try serve()
        #expect(host.watch == nil && host.process.phase == .notRunning)
        #expect(link.link.isUp && link.peerWatch?.pid == peer.pid)
        #expect(try phone.traced(.processEnded).map { $0.fields["reason"] } == ["signal SIGKILL"])
        try peer.signal(SIGKILL)
        try #require(try peerEnds.waitForExit())
        try serve()
        #expect(!link.link.isUp && link.peerWatch == nil)
        #expect(try phone.traced(.linkUp, .linkDown).map(\.name) == [.linkUp, .linkDown])
        _ = try peer.wait()
    }
}
