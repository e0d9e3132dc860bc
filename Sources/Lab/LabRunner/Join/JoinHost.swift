internal import Foundation
internal import LabKit
internal import LabSystem
internal import Synchronization

/// The owner's side of two joined labs: lets the other host's lab in, tells it what it has to follow, and stands for its
/// devices and apps, so that they can be addressed here like any other.
///
/// Thread rule: any thread.
final class JoinHost: Sendable {
    /// Where it listens.
    var address: JoinAddress { socket.address }

    private let instance: InstanceConnection
    private let notify: @Sendable (String) -> Void
    private let socket: JoinSocket
    private let tunnel: Tunnel
    /// Hands over what the socket reports. The socket begins before the host exists; a message that comes earlier is lost,
    /// and the guest repeats its hello.
    private let entrance: HandlerSlot<JoinSocket.Event>
    private let stopping: EventDescriptor
    private let state = Mutex(State())
    private let servers = Mutex<[ControlServer]>([])
    private let traces = Mutex<[String: TraceWriter]>([:])

    /// More than the devices of one guest ever start.
    private static let bootsOfGuest: UInt64 = 1_000_000

    private struct State {
        /// The id of the instance that takes part; nil while none does.
        var guest: String?
        var isReady = false
        /// How many instances have taken part, one after the other.
        var guests: UInt64 = 0
        var lastCall: UInt64 = 0
        var calls: [UInt64: ControlResponder] = [:]
        var lastState: UInt64 = 0
        /// Who waits until the guest has taken a state over.
        var waiting: [(number: UInt64, responder: ControlResponder)] = []
    }

    /// Listens for the other host's lab.
    ///
    /// - Parameters:
    ///   - address: where.
    ///   - keyPath: where the key for the other lab is written.
    ///   - instance: the owner's instance.
    ///   - notify: tells people what happens.
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

    /// Lets a guest in from here on: server and devices are there.
    func open() {
        entrance.set { [weak self] in self?.handle($0) }
    }

    /// Says goodbye to the guest, and answers for nobody any more.
    func close() {
        socket.close("the lab that was joined has ended")
        stopping.signal()
        leave(nil)
        for server in servers.withLock({ $0 }) { server.stop() }
    }

    // MARK: The guest

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
            socket.send(
                .measured(sent: sent, real: SteadyClock.nanoseconds(), monotonic: MonotonicClock.nanoseconds()))
        case .ready:
            state.withLock { $0.isReady = true }
            sendState(for: nil)
            notify("The lab of \(Self.list(instance.manifest.awayDevices.map(\.name))) has joined")
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
        let away = instance.manifest.awayDevices.map(\.name)
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
        // Another one in its place: what the former was asked is lost.
        leave(nil)
        let guests = state.withLock { state in
            state.guest = hello.instance ?? ""
            // One that has been lost and is back has an instance already.
            if hello.instance == nil { state.guests += 1 }
            return state.guests
        }
        let manifest = instance.manifest
        let authority = (try? Files.read(instance.layout.authorityPath)).map { String(decoding: $0, as: UTF8.self) }
        socket.send(
            .welcome(
                JoinWelcome(
                    instance: manifest.id, topology: manifest.topology, seed: manifest.seed, devices: away,
                    server: server, authority: authority,
                    bootsBefore: guests * Self.bootsOfGuest)))
    }

    /// The guest has gone, or somebody takes its place.
    ///
    /// - Parameter reason: nil when nobody needs to know.
    private func leave(_ reason: String?) {
        let (wasReady, calls, waiting) = state.withLock { state in
            defer {
                (state.guest, state.isReady, state.calls, state.waiting) = (nil, false, [:], [])
            }
            return (state.isReady, Array(state.calls.values), state.waiting.map(\.responder))
        }
        let devices = Self.list(instance.manifest.awayDevices.map(\.name))
        if wasReady, let reason {
            notify("The lab of \(devices) has gone: \(reason). It can join again")
        }
        tunnel.endAll()
        for call in calls {
            call.fail(ControlError(name: "peerDied", message: "the lab of \(devices) has gone before it answered"))
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

    // MARK: What the guest follows

    /// Sends what the guest has to follow.
    ///
    /// - Parameter responder: is answered when the guest has taken it over, or is gone.
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
        let away = Set(instance.manifest.awayDevices.flatMap { [$0.name] + $0.apps.map(\.name) })
        let faults = instance.faults.rules().filter { armed in
            away.contains(armed.rule.process) && (armed.rule.limit == 0 || armed.fired < armed.rule.limit)
        }
        socket.send(
            .state(
                JoinState(
                    number: number, clock: instance.clock.setting, faults: faults.map(JoinFault.init),
                    invitations: invitations())))
    }

    /// The guest has taken a state over. Where its clock has run on meanwhile, the owner's goes there too: lab time never
    /// goes back.
    private func settle(_ number: UInt64, lead: LabDuration) {
        if lead > .zero {
            try? instance.clock.advance(by: lead)
            // Whoever waits for this state waits for the next one now.
            let moved = state.withLock { state in
                defer { state.waiting.removeAll { $0.number <= number } }
                return state.waiting.filter { $0.number <= number }.map(\.responder)
            }
            if moved.isEmpty { sendState(for: nil) }
            return moved.forEach { sendState(for: $0) }
        }
        let done = state.withLock { state in
            defer { state.waiting.removeAll { $0.number <= number } }
            return state.waiting.filter { $0.number <= number }.map(\.responder)
        }
        done.forEach { $0.succeed() }
    }

    /// The invitations of the guest's watches that the agents here have written.
    private func invitations() -> [String: JSONValue] {
        let links = instance.manifest.topology.links.filter { !instance.manifest.plays($0.watch) }
        return Dictionary(
            uniqueKeysWithValues: links.compactMap { link in
                guard let path = try? instance.layout.invitationPath(link.name), let data = try? Files.read(path),
                    let invitation = try? JSONValue.parse(data)
                else { return nil }
                return (link.name, invitation)
            })
    }

    /// Sends the guest each invitation that an agent writes anew.
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

    // MARK: Acting for the guest

    /// Answers where the guest's agents and apps would, and where one asks for the guest to be up to date.
    private func standForGuest() throws {
        let layout = instance.layout
        var servers = [try ControlServer(layout, .join) { [weak self] _, responder in self?.sendState(for: responder) }]
        for device in instance.manifest.awayDevices {
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
                    name: "notJoined",
                    message: "`\(actor)` is played on another host, whose lab has not joined; `lab up --join` joins it")
            )
        }
        guard !isPing else { return responder.succeed() }
        socket.send(.call(JoinCall(id: id, actor: request.actor ?? actor, request: request)))
    }

    static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
