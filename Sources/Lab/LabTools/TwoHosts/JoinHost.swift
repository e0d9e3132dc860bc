// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import ScenarioEngine
import Synchronization

/// The owner's side of two joined labs: admits the other host's lab, sends it the state to follow, and represents its
/// devices and apps, so that they can be addressed here like any other.
///
/// Thread rule: any thread.
final class JoinHost: Sendable {
    /// Where it listens.
    var address: JoinAddress { socket.address }
    /// The names of the guest's devices.
    private var away: [String] { instance.host.awayDevices.map(\.name) }

    private let instance: InstanceConnection
    private let notify: @Sendable (String) -> Void
    private let socket: JoinSocket
    private let tunnel: Tunnel
    /// Forwards what the socket reports. The socket starts before the host exists; a message that arrives earlier is
    /// lost, and the guest repeats its hello.
    private let entrance: HandlerSlot<JoinSocket.Event>
    private let stopping: EventDescriptor
    private let state = Mutex(State())
    private let servers = Mutex<[ControlServer]>([])
    private let traces = Mutex<[String: TraceWriter]>([:])

    /// More starts than the devices of one guest ever need.
    private static let bootsOfGuest: UInt64 = 1_000_000

    private struct State {
        /// Whether a guest has joined.
        var isReady = false
        /// Number of instances that have joined, one after the other.
        var guests: UInt64 = 0
        var lastCall: UInt64 = 0
        var calls: [UInt64: ControlResponder] = [:]
        var lastState: UInt64 = 0
        /// Callers that wait until the guest has applied a state.
        var waiting: [(number: UInt64, responder: ControlResponder)] = []
    }

    /// Listens for the other host's lab.
    /// - Parameter keyPath: where the key for the other lab is written.
    init(
        at address: JoinAddress, keyPath: String, instance: InstanceConnection,
        notify: @escaping @Sendable (String) -> Void
    ) throws {
        self.instance = instance
        self.notify = notify
        stopping = try EventDescriptor()
        let entrance = HandlerSlot<JoinSocket.Event>()
        self.entrance = entrance
        let key: JoinKey
        (socket, key) = try JoinSocket.listen(at: address) { entrance($0) }
        tunnel = Tunnel(connect: { [weak instance] in
            guard let server = instance?.serverReady else { throw LabFailure("the server does not run") }
            return try TCPSocket.connectToLoopback(port: server.port)
        }) { [socket] in socket.send($0) }
        try key.write(to: keyPath, of: instance.layout)
        try standForGuest()
        try watchInvitations()
    }

    /// Admits a guest from here on: server and devices are running.
    func open() { entrance.set { [weak self] in self?.handle($0) } }

    /// Says goodbye to the guest, and stops answering for it.
    func close() {
        socket.close("the lab that was joined has ended")
        stopping.signal()
        leave(nil)
        for server in servers.withLock({ $0 }) { server.stop() }
    }

    // MARK: Guest

    private func handle(_ event: JoinSocket.Event) {
        switch event {
        case .connected, .keyRefused: break
        case .lost: leave("its connection is lost")
        case .message(let message): handle(message)
        }
    }

    private func handle(_ message: JoinMessage) {
        switch message {
        case .hello(let hello): welcome(hello)
        case .measure(let sent):
            socket.send(.measured(sent: sent, real: SteadyClock.nanoseconds(), monotonic: MonotonicClock.nanoseconds()))
        case .ready:
            state.withLock { $0.isReady = true }
            sendState(for: nil)
            notify("The lab of \(Self.list(away)) has joined")
        case .settled(let number, let lead): settle(number, lead: LabDuration(nanoseconds: lead))
        case .reply(let reply):
            state.withLock { $0.calls.removeValue(forKey: reply.id) }?.reply(reply.outcome, worked: reply.handling)
        case .event(let json): if let event = TraceEvent(json: json) { note(event) }
        case .stream(let id, let data): tunnel.receive(id, data)
        case .streamEnd(let id): tunnel.end(id)
        case .bye(let reason): leave(reason.isEmpty ? "it has ended" : reason)
        case .welcome, .refused, .measured, .state, .call, .probe: break
        }
    }

    private func welcome(_ hello: JoinHello) {
        guard hello.version == JoinHello.currentVersion else {
            return socket.send(.refused("the lab that is joined is of another version; use the same on both hosts"))
        }
        guard hello.devices.isEmpty || Set(hello.devices) == Set(away) else {
            return socket.send(
                .refused(
                    "the lab that is joined leaves \(Self.list(away)) to others, not \(Self.list(hello.devices)); "
                        + "write --only \(away.joined(separator: " --only "))"))
        }
        guard let server = instance.serverReady else {
            return socket.send(.refused("the server of the lab that is joined does not run"))
        }
        // Another instance has joined instead: requests to the former one are lost.
        leave(nil)
        let guests = state.withLock { state in
            // A guest that reconnects has an instance already.
            if hello.instance == nil { state.guests += 1 }
            return state.guests
        }
        let manifest = instance.manifest
        let authority = (try? Files.read(instance.layout.authorityPath)).map { String(decoding: $0, as: UTF8.self) }
        socket.send(
            .welcome(
                JoinWelcome(
                    instance: manifest.id, topology: manifest.topology, seed: manifest.seed, devices: away,
                    server: server, authority: authority, bootsBefore: guests * Self.bootsOfGuest)))
    }

    /// The guest has gone, or another one replaces it.
    /// - Parameter reason: nil if it is not to be reported.
    private func leave(_ reason: String?) {
        let (wasReady, calls, waiting) = state.withLock { state in
            defer { (state.isReady, state.calls, state.waiting) = (false, [:], []) }
            return (state.isReady, Array(state.calls.values), state.waiting.map(\.responder))
        }
        let devices = Self.list(away)
        if wasReady, let reason { notify("The lab of \(devices) has gone: \(reason). It can join again") }
        tunnel.endAll()
        for call in calls {
            call.fail(ControlError(.peerDied, message: "the lab of \(devices) has gone before it answered"))
        }
        for responder in waiting { responder.succeed() }
    }

    private func note(_ event: TraceEvent) {
        let origin = "\(event.process)#\(event.incarnation)"
        let writer = traces.withLock { traces in
            if let writer = traces[origin] { return writer as TraceWriter? }
            let writer = try? TraceWriter(
                directory: instance.manifest.tracesDirectory, process: event.process, incarnation: event.incarnation)
            traces[origin] = writer
            return writer
        }
        writer?.copy(event)
        if event.name == .faultFired, let id = event.fields["id"]?.integerValue {
            try? instance.faults.noteFiring(id: UInt32(clamping: id))
        }
    }

    // MARK: State for the guest

    /// Sends the guest the state to follow.
    /// - Parameter responder: is answered when the guest has applied it, or is gone.
    private func sendState(for responder: ControlResponder?) {
        let number = state.withLock { state -> UInt64? in
            guard state.isReady else { return nil }
            state.lastState += 1
            if let responder { state.waiting.append((state.lastState, responder)) }
            return state.lastState
        }
        guard let number else {
            responder?.succeed()
            return
        }
        let processes = instance.host.awayDevices.processNames
        let faults = instance.faults.rules().filter { armed in
            processes.contains(armed.rule.process) && (armed.rule.limit == 0 || armed.fired < armed.rule.limit)
        }
        socket.send(
            .state(
                JoinState(
                    number: number, clock: instance.clock.setting, faults: faults.map(JoinFault.init),
                    invitations: invitations())))
    }

    /// The guest has applied a state. If its clock has advanced meanwhile, the owner's is advanced as well: lab time
    /// never goes back.
    private func settle(_ number: UInt64, lead: LabDuration) {
        if lead > .zero { try? instance.clock.advance(by: lead) }
        let callers = state.withLock { state in
            defer { state.waiting.removeAll { $0.number <= number } }
            return state.waiting.filter { $0.number <= number }.map(\.responder)
        }
        guard lead > .zero else { return callers.forEach { $0.succeed() } }
        // They now wait for the next state.
        if callers.isEmpty { sendState(for: nil) }
        callers.forEach { sendState(for: $0) }
    }

    /// The invitations of the guest's watches that the agents here have written.
    private func invitations() -> [String: JSONValue] {
        let links = instance.manifest.topology.links.filter { !instance.host.plays($0.watch) }
        return Dictionary(
            uniqueKeysWithValues: links.compactMap { link in
                guard let path = try? instance.layout.invitationPath(link.name), let data = try? Files.read(path),
                    let invitation = try? JSONValue.parse(data)
                else { return nil }
                return (link.name, invitation)
            })
    }

    /// Sends the guest each invitation that an agent has rewritten.
    private func watchInvitations() throws {
        let watch = try DirectoryWatch(instance.layout.socketsDirectory)
        let stopping = stopping
        runOnThread(name: "invitations") { [weak self] in
            while let ready = try? Polling.waitReadable([watch.rawDescriptor, stopping.rawDescriptor]), !ready[1] {
                guard let names = try? watch.changes() else { continue }
                if names.contains(where: { InstanceLayout.link(ofInvitation: $0) != nil }) { self?.sendState(for: nil) }
            }
        }
    }

    // MARK: Answering for the guest

    /// Serves the endpoints of the guest's agents and apps, and the one for waiting until the guest is up to date.
    private func standForGuest() throws {
        let layout = instance.layout
        var servers = [try ControlServer(layout, .join) { [weak self] _, responder in self?.sendState(for: responder) }]
        for device in instance.host.awayDevices {
            for endpoint in [InstanceEndpoint.agent(device.name)] + device.apps.map({ .peer($0.name) }) {
                servers.append(
                    try ControlServer(layout, endpoint) { [weak self] request, responder in
                        self?.forward(request, of: endpoint.actor, responder)
                    })
            }
        }
        let made = servers
        self.servers.withLock { $0 = made }
    }

    private func forward(_ request: ControlRequest, of actor: String, _ responder: ControlResponder) {
        let isPing = request.command == "ping"
        let id = state.withLock { state -> UInt64? in
            guard state.isReady else { return nil }
            state.lastCall += 1
            if !isPing { state.calls[state.lastCall] = responder }
            return state.lastCall
        }
        guard let id else {
            return responder.fail(
                ControlError(
                    .notJoined,
                    message: "`\(actor)` is played on another host, whose lab has not joined; `lab up --join` joins it")
            )
        }
        guard !isPing else { return responder.succeed() }
        socket.send(.call(JoinCall(id: id, actor: request.actor ?? actor, request: request)))
    }

    static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
