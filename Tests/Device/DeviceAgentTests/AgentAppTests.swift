// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// How processes become apps of a device, and what the links hear of it (sharing.md, section 21.7; watch.md, section 11.4).
@Suite("Processes of apps at their device", .endsInTime)
struct AgentAppTests {
    private func attach(_ name: String = "main", pid: Int32 = getpid()) -> WatchFrame {
        WatchFrame(.attach, body: WatchFrame.body(AttachBody(name: name, pid: pid, incarnation: 1)))
    }

    /// The agent is starting a process for the app: this one.
    private func launching(_ name: String, of phone: UnservedAgent) throws -> AppHost {
        let host = try #require(phone.agent.hosts[name])
        _ = host.process.handle(.launch(request: nil))
        _ = host.process.handle(.spawned(pid: getpid(), incarnation: 1, at: 0))
        return host
    }

    private func presences(of name: String, on phone: UnservedAgent) -> [AppPresence?] {
        phone.agent.links.map { $0.link.apps[name] }
    }

    @Test func `An agent is busy while it handles what it was given, and idle afterwards`() throws {
        let phone = try UnservedAgent(link: "idle")
        let agent = phone.agent
        let turns = agent.faults.turns
        try turns.begin(["main", "phone", "watch"])
        // The agent is held at its points, too.
        let scheduler = runOnThread(name: "turns") {
            while turns.areGiven {
                turns.grant("phone")
                sched_yield()
            }
        }
        defer {
            turns.end()
            scheduler.join()
        }
        let host = try launching("main", of: phone)
        let watch = try LinkPort(
            layout: agent.layout, link: LinkSpec(name: "idle", phone: "phone", watch: "watch"), isWatch: true,
            process: 5, tcpAddress: nil)
        try watch.seekListener()
        let greeting = agent.links[0].greeting().parts
        while !agent.links[0].link.isUp {
            if try watch.send(greeting) { turns.changeWork(of: "phone", by: 1) }
            agent.mailbox.post(.labAlarm)
            try agent.serveOnce()
            sched_yield()
        }
        // What has not arrived yet is handled, too.
        while turns.tasks(of: "phone").work > 0 { try agent.serveOnce() }
        #expect(turns.tasks(of: "watch").work > 0, "it was answered")
        // No process has this address, so the frame does not leave.
        host.address = Data([1])
        agent.send(WatchFrame(.event), to: host)
        #expect(!turns.tasks(of: "main").isBusy)
        agent.faults.turns.forgetTasks(of: "watch")
        #expect(!turns.tasks(of: "watch").isBusy)
    }

    @Test
    func `Links hear that a process is attached, is ready, activates its session for the watch in use, and ends`()
        throws
    {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let host = try launching("main", of: phone)
        let address = Data([1])
        try agent.receive(attach(), from: address, by: getpid())
        #expect(host.address == address)
        #expect(presences(of: "main", on: phone) == Array(repeating: AppPresence(isAttached: true), count: 2))
        try agent.receive(WatchFrame(.appState), from: address, by: getpid())
        #expect(host.process.isReady && !host.process.isForeground)
        try agent.receive(WatchFrame(.activate), from: address, by: getpid())
        #expect(host.session === agent.links[0] && host.isActivated)
        let active = AppPresence(isAttached: true, isActivated: true)
        #expect(presences(of: "main", on: phone) == [active, AppPresence(isAttached: true)])
        _ = try phone.perform(Launch.self, of: "main")
        #expect(host.process.isForeground)
        let seen = AppPresence(isAttached: true, isActivated: true, isForeground: true)
        #expect(presences(of: "main", on: phone) == [seen, AppPresence(isAttached: true, isForeground: true)])
        #expect(presences(of: "wallet", on: phone) == [nil, nil])
    }

    @Test
    func `A process is not attached as another one, as an unknown app, or when the device has not started it`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let host = try launching("main", of: phone)
        try agent.receive(attach(), from: Data([1]), by: 1)
        try agent.receive(attach(), from: Data([1]), by: nil)
        try agent.receive(attach("unknown"), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.attach, body: Data([1])), from: Data([1]), by: getpid())
        try agent.receive(attach("wallet"), from: Data([1]), by: getpid())
        #expect(host.address == nil && agent.hosts["wallet"]?.address == nil && agent.routes.isEmpty)
        let causes = try phone.traced(.processRefused).compactMap { $0.fields["cause"]?.stringValue }
        try #require(causes.count == 3)
        #expect(causes[0].hasSuffix("from process 1") && causes[1].hasSuffix("from process ?"))
        #expect(causes[2].contains("`wallet`") && causes[2].contains("control socket"))
    }

    @Test func `A process that was started by hand is the app if it holds the app's control socket`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let lock = try FileLock(path: try agent.layout.endpointLockPath(.peer("main")))
        try #require(try lock.tryLock())
        try agent.receive(attach(), from: Data([1]), by: getpid())
        let host = try #require(agent.hosts["main"])
        #expect(host.address == Data([1]) && host.process.phase == .running(pid: getpid()))
        try lock.unlock()
    }

    @Test func `The newest process of an app takes the place of the one before, whose frames are late`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let host = try launching("main", of: phone)
        try agent.receive(attach(), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.appState), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.activate), from: Data([1]), by: getpid())
        #expect(host.isActivated)
        try agent.receive(attach(), from: Data([2]), by: getpid())
        #expect(host.address == Data([2]) && agent.routes == [Data([2]): "main"])
        #expect(!host.isActivated && host.session == nil, "the next process activates its own session")
        #expect(host.process.isReady && !host.process.isForeground, "the same process has not moved")
        #expect(presences(of: "main", on: phone)[0]?.isActivated == false)
        try agent.receive(WatchFrame(.activate), from: Data([1]), by: getpid())
        #expect(!host.isActivated)
        try agent.receive(WatchFrame(.activate), from: Data([2]), by: getpid())
        #expect(host.isActivated)
    }

    @Test func `Another watch makes sessions inactive; they end when all of the watch before is handled`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let host = try launching("main", of: phone)
        try agent.receive(attach(), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.appState), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.activate), from: Data([1]), by: getpid())
        let waiting = Inbox.Entry(position: 1, transferId: UUID(), app: "main", body: Data(), wasOffered: false)
        agent.links[0].link.inbox = Inbox(epoch: 1, received: 1, entries: [waiting])
        #expect(try phone.perform(SwitchWatch.self, ["link": "other"])?.error == nil)
        #expect(agent.links.map(\.link.role) == [.idle, .active] && host.isInactive)
        agent.deactivateDrainedSessions()
        #expect(host.isActivated && host.session === agent.links[0])
        agent.links[0].link.inbox = Inbox(epoch: 1, received: 1)
        agent.deactivateDrainedSessions()
        #expect(!host.isActivated && !host.isInactive && host.session == nil)
        try agent.receive(WatchFrame(.activate), from: Data([1]), by: getpid())
        #expect(host.session === agent.links[1] && !host.isInactive)
        #expect(try agent.registry.activeLink() == "other")
    }

    @Test
    func `A session that is activated while content of an unused watch waits gets that first, as an inactive one`()
        throws
    {
        let phone = try UnservedAgent()
        let agent = phone.agent
        let host = try launching("main", of: phone)
        try agent.receive(attach(), from: Data([1]), by: getpid())
        let waiting = Inbox.Entry(position: 1, transferId: UUID(), app: "main", body: Data(), wasOffered: false)
        agent.links[1].link.inbox = Inbox(epoch: 1, received: 1, entries: [waiting])
        try agent.receive(WatchFrame(.appState), from: Data([1]), by: getpid())
        try agent.receive(WatchFrame(.activate), from: Data([1]), by: getpid())
        #expect(host.session === agent.links[1] && host.isInactive)
    }

    @Test func `A device uses the watch that was chosen last, else its first; an unpaired one is not used`() throws {
        let phone = try UnservedAgent()
        let agent = phone.agent
        func roles() throws -> [LinkRole] {
            try agent.manifest.topology.links.map {
                try DeviceAgent.role(of: $0, on: agent.device, agent.manifest.topology, agent.registry)
            }
        }
        #expect(try roles() == [.active, .idle] && agent.activeLink === agent.links[0])
        try agent.registry.setActiveLink("other")
        #expect(try roles() == [.idle, .active])
        try agent.registry.setPaired("other", false)
        #expect(try roles() == [.idle, .unpaired])
        try agent.registry.setPaired("pairing", false)
        #expect(try roles() == [.unpaired, .unpaired])
        let watch = try UnservedAgent("watch")
        #expect(watch.agent.links.map(\.link.role) == [.active])
    }

    @Test
    func `A device that ends tells the other one, ends the processes of its apps, and leaves no shared memory`() throws
    {
        let phone = try UnservedAgent(link: "farewell")
        let agent = phone.agent
        func sleeping() throws -> ChildProcess {
            try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        }
        let (started, byHand) = (try sleeping(), try sleeping())
        defer { for process in [started, byHand] { try? process.signal(SIGKILL) } }
        let watches: [(String, Int32, AppHost.Watch)] = [
            ("main", started.pid, .child(started)), ("wallet", byHand.pid, .byHand(try ProcessWatch(pid: byHand.pid))),
        ]
        for (name, pid, watch) in watches {
            let host = try #require(agent.hosts[name])
            _ = host.process.handle(.launch(request: nil))
            _ = host.process.handle(.spawned(pid: pid, incarnation: 3, at: 0))
            host.watch = watch
        }
        let memory = agent.layout.bootDirectory("phone", try agent.registry.boot())
        try Files.createDirectory(memory)
        let link = agent.links[0]
        let watch = try LinkPort(
            layout: agent.layout, link: LinkSpec(name: "farewell", phone: "phone", watch: "watch"), isWatch: true,
            process: 5, tcpAddress: nil)
        try watch.seekListener()
        let greeting = link.greeting().parts
        // What is sent before the connection is there is lost.
        while !link.link.isUp {
            _ = try watch.send(greeting)
            _ = try link.collectReceived()
            sched_yield()
        }

        agent.end()
        let rules = GreetingRules(process: 5, peer: "phone")
        var said: WatchFrame?
        while said == nil {
            said = try watch.receive(checking: rules) { _ in }
            sched_yield()
        }
        #expect(said == WatchFrame(.bye, sequence: ByeReason.shutdown.rawValue))
        // The agent has waited for the end of its child, which only one can do.
        #expect(throws: SystemError.self) { try started.poll() }
        let limit = LabDuration.seconds(20).stretched.nanoseconds
        #expect(try byHand.wait(timeoutNanoseconds: limit) == .signaled(SIGKILL))
        #expect(!Files.exists(memory))
        let ends = try phone.traced(.processEnded)
        for (name, pid) in [("main", started.pid), ("wallet", byHand.pid)] {
            let own = ends.filter { $0.fields["peer"] == .string(name) }.map(\.fields)
            let expected: [String: JSONValue] = [
                "peer": .string(name), "incarnation": 3, "pid": .integer(Int64(pid)), "reason": "device ended",
            ]
            #expect(own == [expected])
        }
        #expect(ends.count == 2, "no other app had a process")
    }
}
