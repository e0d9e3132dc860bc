// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
public import LabCore
import LabPoints
import LabSystem
import LabVocabulary
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
    let mailbox: AgentMailbox
    let faults: FaultTable
    let deviceClock: DeviceClock
    let security: DeviceSecurity
    let disk: DeviceDisk
    let connectivity: DeviceConnectivity
    let registry: DeviceRegistry
    let notifications: NotificationStore
    let backgroundTasks: BackgroundTaskStore
    var hosts: [String: AppHost] = [:]
    var links: [LinkHost] = []
    var requests = PendingRequests()
    let appSocket: ZeroMQSocket
    /// The app behind each address of the app socket.
    var routes: [Data: String] = [:]
    var inspections = SuspensionChecks()
    var refusals = RefusalTally()
    /// Rings when the time of a process is over.
    let timeLimits: LabAlarm
    private var boot: Int
    private let guardLock: FileLock
    private var isEnding = false

    /// Boots the device: a new boot number, empty shared memory, no processes. A device with a ``Hibernation`` continues:
    /// its shared memory, its lock and the range of its links are as they were.
    /// - Throws: ``AgentError`` if the device is unknown or has an agent; errors of files and sockets.
    public convenience init(layout: InstanceLayout, manifest: InstanceManifest, deviceName: String) throws {
        try self.init(layout: layout, manifest: manifest, deviceName: deviceName, vocabulary: .lab)
    }

    /// - Parameter vocabulary: The commands that there are. The agent does not start without a handler for each that is
    ///   for its device, the processes of its apps or its links.
    init(layout: InstanceLayout, manifest: InstanceManifest, deviceName: String, vocabulary: Vocabulary) throws {
        guard let device = manifest.topology.device(named: deviceName) else {
            throw AgentError.unknownDevice(deviceName, known: manifest.topology.devices.map(\.name))
        }
        try Self.checkCommandTables(vocabulary)
        self.layout = layout
        self.manifest = manifest
        self.device = device
        let appEndpoint = InstanceEndpoint.apps(device: device.name)
        guardLock = try FileLock(path: layout.endpointLockPath(appEndpoint))
        guard try guardLock.tryLock() else { throw AgentError.alreadyServed(deviceName) }

        registry = DeviceRegistry(layout: layout, device: device.name)
        let previousBoot = try registry.boot()
        boot = try registry.beginBoot()
        try BootNames(layout: layout, device: device.name, boot: previousBoot).unlinkAll()
        let hibernation = try Hibernation.read(layout, device: device.name)
        if let hibernation {
            try BootNames(layout: layout, device: device.name, boot: boot).restore(hibernation.memory)
        }
        clock = try LabClock.open(layout.clockPath)
        faults = try FaultTable.open(layout.faultsPath)
        deviceClock = try DeviceClock(
            layout: layout, device: device.name, clock: clock, initialSkew: device.clockSkewMilliseconds)
        disk = try DeviceDisk(layout: layout, device: device.name)
        connectivity = try DeviceConnectivity(layout: layout, device: device)
        security = try DeviceSecurity(layout: layout, device: device)
        // A device comes out of its box open, and is locked whenever it starts again and does not continue.
        if previousBoot > 0 {
            // The agent before may have been killed with a dialog open and answers given.
            try security.closeEverything()
            if hibernation == nil { try security.changeState { $0.reboot() } }
        }
        notifications = try NotificationStore(layout: layout, device: device.name)
        backgroundTasks = try BackgroundTaskStore(layout: layout, device: device.name)
        trace = try TraceWriter(directory: manifest.tracesDirectory, process: device.name, incarnation: boot)
        let mailbox = try AgentMailbox()
        self.mailbox = mailbox
        timeLimits = LabAlarm(clock: clock) { _ in mailbox.post(.timeLimit) }

        appSocket = try ZeroMQSocket(.shared, .router)
        try appSocket.set(.routerMandatory(true))
        try appSocket.set(.sendHighWaterMark(0))
        try appSocket.set(.receiveHighWaterMark(0))
        try appSocket.set(.maxMessageSize(524_288))
        try appSocket.bind(try layout.address(of: appEndpoint))

        for app in device.apps {
            let process = AppProcess(name: app.name, isLenient: device.suspension == .lenient)
            hosts[app.name] = AppHost(spec: app, process: process)
        }
        for link in manifest.topology.links(of: device.name) {
            links.append(
                try LinkHost(
                    layout: layout, topology: manifest.topology, link: link, device: device,
                    role: try Self.role(of: link, on: device, manifest.topology, registry),
                    isInRange: hibernation?.linksInRange[link.name] ?? link.up,
                    process: (manifest.share?.bootsBefore ?? 0) + UInt64(boot),
                    tcpAddress: manifest.share?.linkAddresses[link.name],
                    seed: manifest.seed, clock: clock, mailbox: mailbox, faults: faults, disk: disk, trace: trace))
        }
        try tellLinksAboutInstallation()
        try tellLinksAboutComplications()
        tellLinksAboutLock()
        for host in hosts.values.sorted(by: { $0.spec.name < $1.spec.name }) {
            enduring("notifications") { try showUndecided(of: host) }
        }
        try Hibernation.remove(layout, device: device.name)
    }

    /// Serves until the instance ends or a signal asks for it.
    public func run() throws {
        let membership = try Membership(joining: layout)
        let mailbox = mailbox
        let control = try ControlServer(layout, .agent(device.name), incarnation: boot) { request, responder in
            mailbox.post(.control(request, responder))
        }
        let lease = try Lease.watch(layout) { mailbox.post(.leaseLost) }
        try Signals.onSignals([SIGTERM, SIGINT, SIGHUP]) { mailbox.post(.signal($0)) }
        faults.traceFirings(to: trace)
        // What was given to an earlier process of the agent is lost.
        faults.turns.forgetTasks(of: device.name)
        trace.emit(.processStarted, ["executable": "device-agent", "pid": .integer(Int64(getpid()))])
        enduring("background") { try resumeBackgroundTasks() }
        try withExtendedLifetime((control, lease)) {
            while !isEnding { try serveOnce() }
        }
        control.stop()
        end()
        try membership.leave()
    }

    /// Waits until something has happened, and handles it.
    func serveOnce() throws {
        let running = hosts.values.filter { $0.watch != nil }.sorted { $0.spec.name < $1.spec.name }
        let descriptors =
            [mailbox.rawDescriptor] + running.compactMap { $0.watch?.rawDescriptor }
            + links.compactMap { $0.peerWatch?.rawDescriptor }
        _ = try ZeroMQPoll.poll(
            sockets: [appSocket] + links.map(\.port.socket), descriptors: descriptors,
            timeoutMilliseconds: millisecondsToNextDeadline())
        // A scheduler of turns takes the agent for idle while it has nothing to do: also what no other process has
        // given to it counts, until its effects are carried out.
        faults.changeWork(of: device.name, by: 1)
        var handled = 1

        let messages = mailbox.takeAll()
        // Read after the messages: a command sent after the end of a process finds that end handled.
        let ended = running.filter { $0.watch?.hasEnded == true }
        let lost = links.filter { $0.peerWatch?.hasEnded == true }
        // What a process sent before it ended is handled before its end.
        while let message = try appSocket.receiveFromConnection() {
            handled += 1
            let parts = Array(message.parts.dropFirst())
            guard let address = message.parts.first, let frame = try? WatchFrame(parts: parts) else { continue }
            try receive(frame, from: address, by: message.descriptor.flatMap(SocketPeer.process))
        }
        for link in links { handled += try link.collectReceived() }
        // Unless another process has taken its place meanwhile.
        for host in ended where host.watch?.hasEnded == true { try processEnded(host) }
        for link in lost {
            link.peerWatch = nil
            link.collect(.peerEnded)
        }
        for message in messages { try handle(message) }
        try inspectStoppedProcesses()
        for link in links { link.collectDue() }
        if let report = refusals.summary(at: MonotonicClock.nanoseconds()) { emit(report) }
        deactivateDrainedSessions()
        try settleLinks()
        for link in links { link.updateTimers() }
        faults.changeWork(of: device.name, by: -handled)
    }

    private func millisecondsToNextDeadline() -> Int {
        let deadlines = links.compactMap(\.nextDeadline) + [inspections.nextDue, refusals.due].compactMap(\.self)
        guard let next = deadlines.min() else { return -1 }
        let now = MonotonicClock.nanoseconds()
        return next <= now ? 0 : Int((next - now + 999_999) / 1_000_000)
    }

    private func handle(_ message: AgentMessage) throws {
        switch message {
        case .control(let request, let responder): handle(request, responder)
        case .labAlarm: for link in links { try link.collectLabTime() }
        case .timeLimit:
            try endOverdueProcesses()
            enduring("background") { try followTimeOfBackgroundTasks() }
        case .leaseLost, .signal: isEnding = true
        }
    }

    /// The instance is over, or the device shuts down: all processes end now, and nothing of the device stays.
    func end() {
        for link in links { try? link.shutDown() }
        for host in hosts.values {
            guard let pid = host.process.pid else { continue }
            try? host.watch?.signal(SIGKILL)
            traceEnd(of: host, pid: pid, reason: "device ended")
        }
        for host in hosts.values { host.watch?.waitForEnd(within: .seconds(1).stretched) }
        try? BootNames(layout: layout, device: device.name, boot: boot).unlinkAll()
    }

    func beginNextBoot() throws {
        try BootNames(layout: layout, device: device.name, boot: boot).unlinkAll()
        boot = try registry.beginBoot()
    }

    // MARK: Effects of the links

    /// Carries out what the links decided in this round; an effect may lead to more inputs, so it repeats until none is
    /// left.
    private func settleLinks() throws {
        while links.contains(where: \.hasEffects) {
            for link in links { try link.settle { effect in try perform(effect, of: link) } }
            enduring("background") { try followContent() }
        }
    }

    private func perform(_ effect: LinkEffect, of link: LinkHost) throws {
        switch effect {
        case .toApp(let app, let frame):
            if let host = hosts[app] { send(frame, to: host) }
        case .handOver(let app, let file):
            if let host = hosts[app] { handOver(file, to: host, of: link) }
        case .launch(let app):
            if let host = hosts[app] { try perform(host.process.handle(.launch(request: nil)), for: host) }
        case .wake(let app):
            if let host = hosts[app] { try perform(host.process.handle(.wake), for: host) }
        case .linkChanged(let isUp): trace.emit(isUp ? .linkUp : .linkDown, ["link": .string(link.name)])
        case .store, .toPeer, .greet, .finished: break
        }
    }
}

/// What other threads tell the agent's thread.
enum AgentMessage: Sendable {
    /// A command for the device, one of its apps or one of its links.
    case control(ControlRequest, ControlResponder)
    /// The lab's clock reached the moment that was asked for.
    case labAlarm
    /// The time of a process or of a background task is over, or was when it still ran, or a scheduled task is due.
    case timeLimit
    /// The runner of the instance has ended.
    case leaseLost
    /// A signal asks the agent to end.
    case signal(Int32)
}

/// Where other threads leave messages for the agent's thread, in order. The thread waits for them and for its sockets in
/// `poll`, so that this is no ``Mailbox``.
///
/// Thread rule: any thread; nothing blocks.
final class AgentMailbox: Sendable {
    private let messages = Mutex<[AgentMessage]>([])
    private let bell: EventDescriptor

    init() throws { bell = try EventDescriptor() }

    /// Becomes readable when there are messages.
    var rawDescriptor: Int32 { bell.rawDescriptor }

    func post(_ message: AgentMessage) {
        messages.withLock { $0.append(message) }
        bell.signal()
    }

    func takeAll() -> [AgentMessage] {
        _ = bell.drain()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// The control requests that wait for something to happen to a process.
struct PendingRequests {
    private var next = 0
    private var waiting: [Int: @Sendable (AppProcess.Answer) -> Void] = [:]

    /// Keeps a request; gives the number under which it is answered.
    mutating func add(_ answer: @escaping @Sendable (AppProcess.Answer) -> Void) -> Int {
        next += 1
        waiting[next] = answer
        return next
    }

    /// Answers a request, once.
    mutating func answer(_ number: Int, _ answer: AppProcess.Answer) { waiting.removeValue(forKey: number)?(answer) }
}

/// Why an agent cannot do its work.
public enum AgentError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The topology has no device of this name.
    case unknownDevice(String, known: [String])
    /// Another agent serves the device.
    case alreadyServed(String)
    /// Another process listens at an endpoint.
    case endpointTaken(String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .unknownDevice(let name, let known):
            "The instance has no device `\(name)`; its devices are \(known.joined(separator: ", "))."
        case .alreadyServed(let name): "The device `\(name)` already has an agent."
        case .endpointTaken(let endpoint): "Another process listens at \(endpoint). End it, or start a new instance."
        }
    }
}
