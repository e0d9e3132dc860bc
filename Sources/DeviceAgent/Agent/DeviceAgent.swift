import Foundation
import Glibc
public import LabKit
import LabSystem
import SimulatedDevice
import Synchronization
import ZeroMQ

/// The operating system of one simulated device: it starts, stops and watches the device's apps, and carries their
/// watch traffic. One process a device; its end is the crash of the device.
///
/// Confined to the thread that calls ``run()``. Other threads reach it through its mailbox.
public final class DeviceAgent {
    let layout: InstanceLayout
    let manifest: InstanceManifest
    let device: DeviceSpec
    let clock: LabClock
    let trace: TraceWriter
    let mailbox: Mailbox
    let faults: FaultTable
    let deviceClock: DeviceClock
    var hosts: [String: AppHost] = [:]
    var links: [LinkHost] = []
    var requests = PendingRequests()
    private let boot: Int
    private let appSocket: ZeroMQSocket
    private let guardLock: FileLock
    private var routes: [Data: String] = [:]
    private var inspections: [String: Inspection] = [:]
    private var isEnding = false

    /// A process that is being stopped, to see which locks it holds.
    private struct Inspection {
        var pid: Int32
        var due: UInt64
        /// It was continued for a moment and is to be stopped again first.
        var stopsFirst: Bool
    }

    /// Boots the device: a new boot number, empty shared memory, no processes.
    ///
    /// - Throws: ``AgentError`` if the device is unknown or has an agent; errors of files and sockets.
    public init(layout: InstanceLayout, manifest: InstanceManifest, deviceName: String) throws {
        guard let device = manifest.topology.device(named: deviceName) else {
            throw AgentError.unknownDevice(deviceName, known: manifest.topology.devices.map(\.name))
        }
        self.layout = layout
        self.manifest = manifest
        self.device = device
        let endpointName = AgentConnection.endpointName(device.name)
        guardLock = try FileLock(path: layout.endpointLockPath(endpointName))
        guard try guardLock.tryLock() else { throw AgentError.alreadyServed(deviceName) }

        let registry = DeviceRegistry(layout: layout, device: device.name)
        let previousBoot = try registry.boot()
        boot = try registry.beginBoot()
        try BootNames(layout: layout, device: device.name, boot: previousBoot).unlinkAll()
        clock = try LabClock.open(layout.clockPath)
        faults = try FaultTable.open(layout.faultsPath)
        deviceClock = try DeviceClock(
            layout: layout, device: device.name, clock: clock, initialSkew: device.clockSkewMilliseconds)
        trace = try TraceWriter(
            directory: manifest.tracesDirectory, process: device.name, incarnation: boot)
        mailbox = try Mailbox()

        appSocket = try ZeroMQSocket(.shared, .router)
        try appSocket.set(.routerMandatory(true))
        try appSocket.set(.sendHighWaterMark(0))
        try appSocket.set(.receiveHighWaterMark(0))
        try appSocket.set(.maxMessageSize(524_288))
        try appSocket.bind(try layout.endpoint(endpointName))

        for app in device.apps {
            let process = AppProcess(name: app.name, isLenient: device.suspension == .lenient)
            hosts[app.name] = AppHost(spec: app, process: process)
        }
        let nonce = UInt64.random(in: 1...UInt64.max)
        for link in manifest.topology.links(of: device.name) {
            links.append(
                try LinkHost(
                    layout: layout, topology: manifest.topology, link: link, device: device, nonce: nonce,
                    clock: clock, mailbox: mailbox, faults: faults, trace: trace))
        }
    }

    /// Serves until the instance ends or a signal asks for it.
    public func run() throws {
        let membership = try Membership(joining: layout)
        let mailbox = mailbox
        let control = try ControlServer(layout, name: "a.\(device.name)", incarnation: boot) { request, responder in
            mailbox.post(.control(request, responder))
        }
        let lease = try Lease.watch(layout) { mailbox.post(.leaseLost) }
        try Signals.onSignals([SIGTERM, SIGINT, SIGHUP]) { mailbox.post(.signal($0)) }
        let trace = trace
        faults.onFiring { firing in
            trace.emit(
                .faultFired, ["point": .string(firing.rule.point.rawValue), "pass": .integer(Int64(firing.rule.pass))])
        }
        trace.emit(.processStarted, ["executable": "device-agent", "pid": .integer(Int64(getpid()))])
        try withExtendedLifetime((control, lease)) {
            while !isEnding { try serveOnce() }
        }
        control.stop()
        end()
        try membership.leave()
    }

    private func serveOnce() throws {
        let running = hosts.values.filter { $0.watch != nil }.sorted { $0.spec.name < $1.spec.name }
        let peers = links.filter { $0.peerWatch != nil }
        let descriptors =
            [mailbox.rawDescriptor] + running.compactMap { $0.watch?.rawDescriptor }
            + peers.compactMap { $0.peerWatch?.rawDescriptor }
        let ready = try ZeroMQPoll.poll(
            sockets: [appSocket] + links.map(\.port.socket), descriptors: descriptors,
            timeoutMilliseconds: millisecondsToNextDeadline())

        // What a process sent before it ended is handled before its end.
        while var parts = try appSocket.receive() {
            let address = parts.removeFirst()
            if let frame = try? WatchFrame(parts: parts) { try receive(frame, from: address) }
        }
        for link in links {
            while let frame = try link.port.receive() { link.collect(.fromPeer(frame)) }
        }
        for (index, host) in running.enumerated() where ready.descriptors[1 + index] { try processEnded(host) }
        for (index, link) in peers.enumerated() where ready.descriptors[1 + running.count + index] {
            link.peerWatch = nil
            link.collect(.peerEnded)
        }
        for message in mailbox.takeAll() { try handle(message) }
        try inspectStoppedProcesses()
        for link in links { link.collectDue() }
        try settleLinks()
        for link in links { link.updateTimers() }
    }

    private func millisecondsToNextDeadline() -> Int {
        let deadlines = inspections.values.map(\.due) + links.compactMap(\.nextDeadline)
        guard let next = deadlines.min() else { return -1 }
        let now = MonotonicClock.nanoseconds()
        return next <= now ? 0 : Int((next - now + 999_999) / 1_000_000)
    }

    private func handle(_ message: AgentMessage) throws {
        switch message {
        case .control(let request, let responder): try handle(request, responder)
        case .labAlarm: links.forEach { $0.collect(.labTimePassed) }
        case .leaseLost, .signal: isEnding = true
        }
    }

    /// The instance is over, or the device shuts down: all processes end now, and nothing of the device stays.
    private func end() {
        for link in links { try? link.shutDown() }
        for host in hosts.values {
            guard let pid = host.process.pid else { continue }
            try? host.watch?.signal(SIGKILL)
            trace.emit(
                .processEnded,
                ["peer": .string(host.spec.name), "pid": .integer(Int64(pid)), "reason": .string("device ended")])
        }
        for host in hosts.values { host.watch?.waitForEnd(timeoutNanoseconds: 1_000_000_000) }
        try? BootNames(layout: layout, device: device.name, boot: boot).unlinkAll()
    }

    /// Asks the loop to end after the current round.
    func shutDown() {
        isEnding = true
    }

    // MARK: Apps

    private func receive(_ frame: WatchFrame, from address: Data) throws {
        if frame.kind == .attach {
            try attach(frame, from: address)
            return
        }
        // Frames of a process that was replaced, or that never said who it is.
        guard let name = routes[address], let host = hosts[name], host.address == address else { return }
        switch frame.kind {
        case .appState: try perform(host.process.handle(.ready), for: host)
        case .activate:
            if host.isActivated || links.isEmpty {
                host.isActivated = true
                activate(host, again: true)
            } else {
                host.isActivated = true
                tellLinks(about: host)
            }
        default: forward(frame, from: host)
        }
    }

    private func attach(_ frame: WatchFrame, from address: Data) throws {
        guard let body = try? frame.decodeBody(AttachBody.self), let host = hosts[body.name] else { return }
        if let previous = host.address, previous != address {
            send(WatchFrame(.bye, sequence: Farewell.replaced.rawValue), to: previous)
            routes[previous] = nil
        }
        if host.process.pid != body.pid { host.watch = .byHand(try ProcessWatch(pid: body.pid)) }
        host.address = address
        host.isActivated = false
        routes[address] = body.name
        send(WatchFrame(.welcome, body: WatchFrame.body(AttachedBody(agentPid: getpid()))), to: address)
        try perform(host.process.handle(.attached(pid: body.pid, incarnation: body.incarnation)), for: host)
        tellLinks(about: host)
    }

    private func activate(_ host: AppHost, again: Bool) {
        guard let active = links.first else {
            let body = ActivatedBody(state: WatchCounterpartState(isPaired: device.kind == .watch))
            return send(WatchFrame(.activate, body: WatchFrame.body(body)), to: host)
        }
        active.collect(.fromApp(host.spec.name, WatchFrame(.activate)))
    }

    /// Gives a frame about messages or transfers to the links that it concerns.
    private func forward(_ frame: WatchFrame, from host: AppHost) {
        guard let active = links.first else { return refuseWithoutLink(frame, from: host) }
        switch frame.kind {
        // Answers belong to the link that brought the question; the others do not know it.
        case .delivered, .liveAcknowledgement, .liveReply, .liveError, .cancelTransfer:
            links.forEach { $0.collect(.fromApp(host.spec.name, frame)) }
        default:
            active.collect(.fromApp(host.spec.name, frame))
        }
    }

    private func refuseWithoutLink(_ frame: WatchFrame, from host: AppHost) {
        let code = UInt64(LinkCode.deviceNotPaired)
        switch frame.kind {
        case .live: send(WatchFrame(.liveError, correlationId: frame.messageId, sequence: code), to: host)
        case .userInfo, .context:
            send(WatchFrame(.transferQueued, messageId: frame.messageId, sequence: code), to: host)
        default: break
        }
    }

    func send(_ frame: WatchFrame, to host: AppHost) {
        guard let address = host.address else { return }
        send(frame, to: address)
    }

    private func send(_ frame: WatchFrame, to address: Data) {
        // An app that just died takes nothing; its end arrives through its descriptor.
        _ = try? appSocket.send([address] + frame.parts)
    }

    private func tellLinks(about host: AppHost) {
        for link in links { link.collect(.appChanged(host.spec.name, host.presence)) }
    }

    private func processEnded(_ host: AppHost) throws {
        guard let watch = host.watch else { return }
        let (how, fields) = watch.outcome()
        let lastWords = host.lastWords()
        trace.emit(
            .processEnded,
            fields.merging([
                "peer": .string(host.spec.name), "incarnation": .integer(Int64(host.process.incarnation)),
                "pid": .integer(Int64(host.process.pid ?? 0)),
                "reason": .string(host.terminationReason ?? how),
            ]) { first, _ in first })
        host.terminationReason = nil
        host.watch = nil
        if let address = host.address { routes[address] = nil }
        host.address = nil
        host.isActivated = false
        inspections[host.spec.name] = nil
        try perform(host.process.handle(.ended(how, standardError: lastWords)), for: host)
    }

    // MARK: Effects of the apps' lives

    func perform(_ effects: [AppProcess.Effect], for host: AppHost) throws {
        for effect in effects {
            switch effect {
            case .spawn: try spawn(host)
            case .signal(_, let number): try host.watch?.signal(number)
            case .inspect(let pid):
                inspections[host.spec.name] = Inspection(pid: pid, due: 0, stopsFirst: false)
            case .stopAgainSoon(let pid):
                inspections[host.spec.name] = Inspection(
                    pid: pid, due: MonotonicClock.nanoseconds() + 1_000_000, stopsFirst: true)
            case .answer(let request, let answer): requests.answer(request, answer)
            case .changed: tellLinks(about: host)
            case .gone(_, _, let isRestarting):
                for link in links { link.collect(.appEnded(host.spec.name, isRestarting: isRestarting)) }
            case .launchFailed:
                for link in links { link.collect(.launchFailed(host.spec.name)) }
            case .enterForeground:
                send(WatchFrame(.appState, body: WatchFrame.body(AppStateBody(isForeground: true))), to: host)
            case .terminating(_, let reason):
                host.terminationReason = reason
            }
        }
    }

    private func spawn(_ host: AppHost) throws {
        let incarnation = try Incarnations.next(layout, host.spec.name)
        do {
            let time = MonotonicClock.nanoseconds()
            let child = try host.spawn(layout: layout, manifest: manifest, device: device, incarnation: incarnation)
            host.watch = .child(child)
            let input = AppProcess.Input.spawned(pid: child.pid, incarnation: incarnation, at: time)
            try perform(host.process.handle(input), for: host)
        } catch {
            try perform(host.process.handle(.spawnFailed("\(host.spec.name) cannot be started: \(error)")), for: host)
        }
    }

    private func inspectStoppedProcesses() throws {
        let now = MonotonicClock.nanoseconds()
        for (name, inspection) in inspections.filter({ $0.value.due <= now }).sorted(by: { $0.key < $1.key }) {
            guard let host = hosts[name] else { continue }
            if inspection.stopsFirst {
                try host.watch?.signal(SIGSTOP)
                inspections[name] = Inspection(pid: inspection.pid, due: 0, stopsFirst: false)
            }
            guard ProcessTable.isStopped(inspection.pid) else {
                // The kernel stops the threads one by one and tells nobody but the parent; look again soon.
                inspections[name]?.due = now + 500_000
                continue
            }
            inspections[name] = nil
            let locks = try ProcessTable.heldLocks(by: inspection.pid).compactMap { lock in
                lock.path.map { ($0, isExclusive: lock.isExclusive) }
            }
            let held = HeldLocks(
                locks, groups: layout.groupsDirectory(device.name), device: layout.deviceDirectory(device.name))
            try perform(host.process.handle(.stopped(holding: held)), for: host)
        }
    }

    // MARK: Effects of the links

    /// Carries out what the links decided in this round; an effect may lead to more inputs, so until nothing is left.
    private func settleLinks() throws {
        while links.contains(where: \.hasEffects) {
            for link in links {
                try link.settle { effect in try perform(effect, of: link) }
            }
        }
    }

    private func perform(_ effect: LinkEffect, of link: LinkHost) throws {
        switch effect {
        case .toApp(let app, let frame):
            if let host = hosts[app] { send(frame, to: host) }
        case .launch(let app):
            if let host = hosts[app] { try perform(host.process.handle(.launch(request: nil)), for: host) }
        case .wake(let app):
            if let host = hosts[app] { try perform(host.process.handle(.wake), for: host) }
        case .linkChanged(let isUp):
            trace.emit(isUp ? .linkUp : .linkDown, ["link": .string(link.name)])
        case .store, .toPeer, .greet, .finished:
            break
        }
    }
}
