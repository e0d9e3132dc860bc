// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// The guest's side of two joined labs: joins the owner's lab, follows its clock and its faults, and lets it address
/// the actors here.
///
/// Thread rule: any thread.
final class JoinGuest: Sendable {
    /// How the connection to the owner ended.
    enum End: Sendable {
        /// The owner has said goodbye.
        case farewell(String)
        /// The owner is gone without a goodbye.
        case gone(String)
    }

    /// The owner's description of both labs.
    package let welcome: JoinWelcome

    private let address: JoinAddress
    private let devices: [String]
    private let socket: JoinSocket
    private let tunnel: Tunnel
    /// Closed when this side ends.
    private let events: Mailbox<JoinSocket.Event>
    private let difference: Mutex<MachineDifference>
    private let instance = Mutex<Joined?>(nil)

    private struct Joined: Sendable {
        let connection: InstanceConnection
        let mirror: FaultMirror
    }

    /// Maximum real time for the owner's first message.
    private static let patience = LabDuration.seconds(20).stretched
    /// Number of requests that measure the clock difference of the two machines.
    private static let measurements = 8

    /// Joins an owner's lab; the instance is made afterwards.
    /// - Parameter devices: the devices to play here; empty for all remaining ones.
    /// - Throws: `JoinError` when it cannot be joined.
    init(_ address: JoinAddress, key: JoinKey, devices: [String], interruption: Interruption) throws {
        self.address = address
        self.devices = devices
        let events = Mailbox<JoinSocket.Event>()
        self.events = events
        let socket = try JoinSocket.connect(to: address, with: key) { events.send($0) }
        self.socket = socket
        tunnel = Tunnel { socket.send($0) }
        let deadline = Deadline(after: Self.patience, of: "the lab at \(address)")
        var (welcome, difference, measured): (JoinWelcome?, MachineDifference, Int) = (nil, MachineDifference(), 0)
        func measure() { socket.send(.measure(sent: MonotonicClock.nanoseconds())) }
        do {
            try interruption.reaching {
                events.close()
            } during: {
                while measured < Self.measurements {
                    guard let event = events.take(timeoutNanoseconds: deadline.rest.nanoseconds) else {
                        throw JoinError.noAnswer(address: "\(address)", within: Self.patience)
                    }
                    switch event {
                    case .connected: socket.send(.hello(JoinHello(instance: nil, devices: devices)))
                    case .keyRefused: throw JoinError.refusedKey(address: "\(address)")
                    case .message(.refused(let reason)), .message(.bye(let reason)): throw JoinError.refused(reason)
                    case .message(.welcome(let words)):
                        welcome = words
                        measure()
                    case .message(.measured(let sent, let real, let monotonic)):
                        difference.take(sent: sent, ownerReal: real, ownerMonotonic: monotonic)
                        measured += 1
                        if measured < Self.measurements { measure() }
                    default: break
                    }
                }
            }
        } catch {
            socket.close("it could not join")
            throw error
        }
        guard let welcome else { throw JoinError.noAnswer(address: "\(address)", within: Self.patience) }
        self.welcome = welcome
        self.difference = Mutex(difference)
    }

    /// Applies the owner's first state to an instance in which nothing runs yet.
    func prepare(_ connection: InstanceConnection) throws {
        let port = try tunnel.listen()
        try welcome.server.reached(throughPort: port).write(connection.layout)
        if let authority = welcome.authority {
            let path = connection.layout.authorityPath
            try Files.createDirectory(Files.directory(of: path))
            try Files.write(Data(authority.utf8), to: path)
        }
        instance.withLock { $0 = Joined(connection: connection, mirror: FaultMirror(connection.faults)) }
        socket.send(.ready)
        let deadline = Deadline(after: Self.patience, of: "the lab at \(address)")
        while let event = events.take(timeoutNanoseconds: deadline.rest.nanoseconds) {
            guard case .message(.state(let state)) = event else { continue }
            try connection.clock.set(clockHere(state))
            return try follow(state)
        }
        throw JoinError.noAnswer(address: "\(address)", within: Self.patience)
    }

    /// Serves the owner, on threads of its own, until it is gone.
    /// - Parameter onEnd: is called once when the connection to the owner is lost for good.
    func serve(notify: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable (End) -> Void) throws {
        guard let connection = instance.withLock({ $0 })?.connection else { return }
        let here = connection.host.devices.processNames
        let follower = try TraceFollower(directory: connection.manifest.tracesDirectory) { [weak self] event in
            if here.contains(event.process) { self?.tell(event) }
        }
        runOnThread(name: "guest") { [self] in
            let end = withExtendedLifetime(follower) { attend(notify) }
            follower.stop()
            if let end { onEnd(end) }
        }
    }

    /// Says goodbye to the owner.
    func close() {
        events.close()
        tunnel.close()
        socket.close("it has ended")
    }

    // MARK: Messages of the owner

    /// - Returns: nil when this side ends.
    private func attend(_ notify: (String) -> Void) -> End? {
        var isLost = false
        var refusals = 0
        while !events.isClosed {
            guard let event = events.take(timeoutNanoseconds: isLost ? 500_000_000 : nil) else {
                if events.isClosed { return nil }
                // Connection refused by the owner's machine: the owner is dead, the network is not.
                refusals = TCPSocket.isRefused(host: address.host, port: address.port) ? refusals + 1 : 0
                if refusals == 3 { return .gone("no lab listens at \(address)") }
                continue
            }
            switch event {
            case .connected:
                socket.send(
                    .hello(JoinHello(instance: instance.withLock { $0 }?.connection.manifest.id, devices: devices)))
            case .keyRefused: return .gone("another lab listens at \(address) now")
            case .lost where !isLost:
                isLost = true
                tunnel.endAll()
                notify("Lost the lab at \(address). Its devices are out of range; waiting for it")
            case .lost: break
            case .message(.welcome(let words)):
                guard words.instance == welcome.instance else { return .gone("another lab listens at \(address) now") }
                if isLost { notify("The lab at \(address) is back") }
                (isLost, refusals) = (false, 0)
                socket.send(.ready)
            case .message(.bye(let reason)): return .farewell(reason)
            case .message(let message): handle(message)
            }
        }
        return nil
    }

    private func handle(_ message: JoinMessage) {
        switch message {
        case .state(let state): try? follow(state)
        case .call(let call): perform(call)
        case .stream(let id, let data): tunnel.receive(id, data)
        case .streamEnd(let id): tunnel.end(id)
        default: break
        }
    }

    private func clockHere(_ state: JoinState) -> ClockSetting {
        state.clock.onMachine(aheadBy: difference.withLock { $0.real })
    }

    private func follow(_ state: JoinState) throws {
        guard let joined = instance.withLock({ $0 }) else { return }
        let lead = try joined.connection.clock.follow(clockHere(state))
        try joined.mirror.follow(state.faults)
        for (link, invitation) in state.invitations {
            // The agent listens at an address of the owner's machine; this is its address here.
            guard case .object(var members) = invitation, let text = members["endpoint"]?.stringValue,
                var endpoint = JoinAddress(text)
            else { continue }
            endpoint.host = address.host
            members["endpoint"] = .string("\(endpoint)")
            let path = try joined.connection.layout.invitationPath(link)
            let data = JSONValue.object(members).encoded()
            if (try? Files.read(path)) != data { try Files.write(data, to: path) }
        }
        socket.send(.settled(number: state.number, lead: lead.nanoseconds))
    }

    private func perform(_ call: JoinCall) {
        guard let connection = instance.withLock({ $0 })?.connection else { return }
        runOnThread(name: "call \(call.command)") { [socket] in
            let target = connection.actors[call.actor]?.first {
                Vocabulary.lab.command(named: call.command, of: $0.kind) != nil
            }
            var handling: UInt64?
            let outcome: Result<JSONValue, ControlError>
            do {
                guard let target else { throw ControlError.unknownCommand(call.command) }
                let answer = try ActorSession(instance: connection).call(
                    target, command: call.command, arguments: call.arguments, operation: call.operation)
                handling = answer.interval?.handling
                outcome = answer.answer
            } catch {
                outcome = .failure(ControlError.failed(error))
            }
            socket.send(.reply(JoinReply(id: call.id, outcome, handling: handling)))
        }
    }

    // MARK: Traces

    private func tell(_ event: TraceEvent) {
        guard let mirror = instance.withLock({ $0 })?.mirror else { return }
        var fields = event.fields
        if event.name == .faultFired, let id = fields["id"]?.integerValue {
            fields["id"] = mirror.ownersID(of: UInt32(clamping: id)).map { .integer(Int64($0)) }
        }
        let time = Int64(clamping: event.time) - difference.withLock { $0.monotonic }
        let told = TraceEvent(
            time: UInt64(clamping: time), process: event.process, incarnation: event.incarnation, name: event.name,
            operation: event.operation, fields: fields)
        socket.send(.event(told.json))
    }
}
