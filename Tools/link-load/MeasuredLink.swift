// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import SimulatedDevice
import Synchronization

/// A phone and a watch with real agents, whose two apps are in this process.
final class MeasuredLink {
    private let directory: String
    private let instance: Instance
    private let agents: [ChildProcess]
    private let main: App
    private let companion: App
    private let body: Data

    private static let phone = DeviceSpec(
        name: "phone", kind: .phone,
        apps: [
            AppSpec(
                name: "main", kind: .app, bundleIdentifier: "com.example.main", autostart: false,
                powerAuth: PowerAuthSpec(sdk: .full, instanceId: "bench"))
        ])
    private static let watch = DeviceSpec(
        name: "watch", kind: .watch,
        apps: [
            AppSpec(
                name: "companion", kind: .watchApp, bundleIdentifier: "com.example.main.watch",
                host: "main",
                autostart: false, powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "bench"))
        ])

    init() throws {
        body = try PropertyListSerialization.data(
            fromPropertyList: ["data": Data(count: 40)], format: .binary, options: 0)
        directory = try Self.newDirectory("link")
        let topology = Topology(
            name: "bench", devices: [Self.phone, Self.watch],
            links: [LinkSpec(name: "pairing", phone: "phone", watch: "watch", capacity: 1_000_000)])
        let executables = Files.directory(of: try ProcessTable.executablePath())
        instance = try Instance.create(in: directory) { [directory] layout in
            InstanceManifest(
                id: layout.id, labFile: nil, topology: topology, runDirectory: "\(directory)/run", seed: 1,
                executablesDirectory: executables)
        }
        let layout = instance.layout
        agents = try ["phone", "watch"].map { device in
            try ChildProcess.spawn(
                executable: "\(executables)/device-agent",
                arguments: AgentLaunch(instance: layout.root, device: device).arguments, newProcessGroup: true)
        }
        main = try App("main", of: Self.phone, layout)
        companion = try App("companion", of: Self.watch, layout)
        for app in [main, companion] { try app.start() }
        for app in [main, companion] { try app.wait("a counterpart in reach") { $0.isReachable } }
    }

    /// A directory for the measurement, beside the instances of the lab.
    static func newDirectory(_ name: String) throws -> String {
        let path =
            "\(try Instance.runtimeRoot())/bench-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
        try Files.createNewDirectory(path)
        return path
    }

    /// An immediate message, and the reply of the other app.
    func roundTrip() throws {
        let id = UUID()
        main.connection.send(
            LiveMessage(messageId: id, body: body, isPropertyList: true, expectsReply: true))
        try main.wait("a reply") { $0.lastReply == id }
    }

    /// Guaranteed messages; complete when the sender knows that all have arrived.
    func transfer(_ count: Int) throws {
        let finished = main.seen.finished + count
        for _ in 0..<count { try queue() }
        try main.wait("the end of all transfers") { $0.finished >= finished }
    }

    /// Queues messages that cannot leave: the other device is off.
    func fillOutbox(_ count: Int) throws {
        try agents[1].signal(SIGKILL)
        _ = try agents[1].wait()
        try main.wait("the loss of the counterpart") { !$0.isReachable }
        for _ in 0..<count { try queue() }
    }

    /// The app activates its session again, and is notified of everything that is queued.
    func activate(outstanding: Int) throws {
        main.forgetOutstanding()
        main.connection.activate()
        try main.wait("activation with all transfers") { $0.outstanding == outstanding }
    }

    func end() {
        // They would end their apps with the instance, and the apps are this process.
        for agent in agents { try? agent.signal(SIGKILL) }
        main.connection.stop()
        companion.connection.stop()
        _ = try? instance.end()
        try? Files.removeTree(directory)
    }

    private func queue() throws {
        guard main.connection.queueTransfer(UUID(), .userInfo(body, isComplication: false)) == nil
        else {
            throw Missing(what: "room in the queue")
        }
    }
}

/// The missing event that a benchmark waited for.
struct Missing: Error, CustomStringConvertible {
    let what: String

    var description: String { "there is no \(what)" }
}

/// One app: it answers each message, and takes each transfer.
///
/// Thread rule: one thread waits; events come on the connection's thread.
final class App: Sendable {
    struct Seen: Sendable {
        var isReachable = false
        var lastReply: UUID?
        var finished = 0
        var outstanding: Int?
    }

    let connection: AgentConnection
    /// The device's identifier of the app.
    private let endpoint: ControlServer
    private let state = Mutex(Seen())
    private let changed = DispatchSemaphore(value: 0)

    var seen: Seen { state.withLock { $0 } }

    init(_ name: String, of device: DeviceSpec, _ layout: InstanceLayout) throws {
        endpoint = try ControlServer(layout, .peer(name), incarnation: 1) { _, responder in responder.succeed() }
        connection = try AgentConnection(
            layout: layout, device: device,
            attach: AttachBody(
                name: name, pid: ProcessInfo.processInfo.processIdentifier, incarnation: 1),
            handlers: AgentConnection.Handlers(deviceCrashed: { _ in }))
        connection.setReceiver { [unowned self] in receive($0) }
    }

    func start() throws {
        connection.reportReady()
        connection.activate()
    }

    /// The next activation reports it.
    func forgetOutstanding() { state.withLock { $0.outstanding = nil } }

    func wait(_ what: String, until condition: (Seen) -> Bool) throws {
        while !condition(seen) {
            guard changed.wait(timeout: .now() + 300) == .success else { throw Missing(what: what) }
        }
    }

    private func receive(_ event: WatchSessionEvent) {
        switch event {
        case .activated(let counterpart, let outstanding):
            state.withLock {
                ($0.isReachable, $0.outstanding) = (counterpart.isReachable, outstanding.count)
            }
        case .changed(let counterpart): state.withLock { $0.isReachable = counterpart.isReachable }
        case .message(let message):
            connection.reply(
                to: message.messageId, body: message.body, isPropertyList: message.isPropertyList)
            return
        case .reply(let id, _, _): state.withLock { $0.lastReply = id }
        case .userInfo(let id, _, _): connection.delivered(id)
        case .transferFinished(let id, _, _):
            connection.told(id)
            state.withLock { $0.finished += 1 }
        default: return
        }
        changed.signal()
    }
}
