// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import ScenarioLanguage
import Synchronization
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

/// The labs of two hosts in the test process: the owner's plays the phone, the guest's the watch.
///
/// Used by one thread.
final class JoinedLabs {
    let owner: FakeLab
    let host: JoinHost
    /// What the owner prints.
    let notices: Recorder<String>
    private let directory: TemporaryDirectory
    private var guests: [Guest] = []
    private var isClosed = false

    /// A lab that has joined.
    struct Guest {
        let lab: FakeLab
        let link: JoinGuest
        /// What it prints, and how its connection ends.
        let notices: Recorder<String>
    }

    static let topology = Topology(
        name: "two",
        devices: [
            DeviceSpec(
                name: "phone", kind: .phone,
                apps: [
                    AppSpec(
                        name: "main", kind: .app, bundleIdentifier: "com.example.main",
                        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "a"))
                ]),
            DeviceSpec(
                name: "watch", kind: .watch,
                apps: [
                    AppSpec(
                        name: "companion", kind: .watchApp, bundleIdentifier: "com.example.main.watch", host: "main",
                        powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "a"))
                ]),
        ], links: [LinkSpec(name: "pairing", phone: "phone", watch: "watch", transport: .tcp)])

    /// What the owner's server has reported.
    static let server = ServerReady(
        baseURL: "http://127.0.0.1:4711", enrollmentURL: "http://127.0.0.1:4711/pa",
        backOfficeURL: "http://127.0.0.1:4711/rest", applicationId: "application", configuration: "configuration",
        pid: getpid(), port: 4711)

    /// Starts the owner's lab.
    init(hasServer: Bool = true) throws {
        let (directory, notices) = (try TemporaryDirectory(), Recorder<String>())
        (self.directory, self.notices) = (directory, notices)
        owner = try FakeLab(
            JoinedLabs.topology, answers: FakeAnswers(), share: HostAssignment(side: .owner, devices: ["phone"]))
        if hasServer { try JoinedLabs.server.write(owner.connection.layout) }
        host = try JoinHost(
            at: JoinAddress(host: "127.0.0.1", port: 0), keyPath: directory.file("join.key"),
            instance: owner.connection, notify: { notices.add($0) })
        host.open()
    }

    /// Plays with an owner's lab on a thread that may block, and ends it.
    static func play(
        hasServer: Bool = true, _ body: @escaping @Sendable (JoinedLabs) throws -> Void
    ) async throws {
        try await onThread {
            let labs = try JoinedLabs(hasServer: hasServer)
            defer { labs.end() }
            try body(labs)
        }
    }

    /// The key that the owner has written.
    var key: JoinKey { get throws { try JoinKey.read(directory.file("join.key")) } }

    /// Joins a lab that plays the watch.
    @discardableResult
    func join(_ answers: FakeAnswers = FakeAnswers()) throws -> Guest {
        let link = try JoinGuest(host.address, key: key, devices: [], interruption: Interruption())
        let lab = try FakeLab(
            link.welcome.topology, answers: answers,
            share: HostAssignment(
                side: .guest, devices: link.welcome.devices, bootsBefore: link.welcome.bootsBefore))
        try link.prepare(lab.connection)
        let notices = Recorder<String>()
        try link.serve(notify: { notices.add($0) }, onEnd: { notices.add("\($0)") })
        let guest = Guest(lab: lab, link: link, notices: notices)
        guests.append(guest)
        return guest
    }

    /// Ends the owner's side.
    func closeHost() {
        guard !isClosed else { return }
        isClosed = true
        host.close()
    }

    /// Ends everything.
    func end() {
        closeHost()
        for guest in guests {
            guest.link.close()
            guest.lab.end()
        }
        owner.end()
    }
}

/// One side of two joined labs whose words the test chooses.
///
/// Any thread.
final class JoinSpeaker: Sendable {
    let words = Recorder<String>()
    private let socket: JoinSocket

    /// Connects to an owner and says hello.
    init(to labs: JoinedLabs, hello: JoinHello = JoinHello(instance: nil, devices: [])) throws {
        let words = self.words
        socket = try JoinSocket.connect(to: labs.host.address, with: try labs.key) { words.add(JoinSpeaker.text($0)) }
        try words.wait(for: "connected")
        socket.send(.hello(hello))
    }

    func send(_ message: JoinMessage) { socket.send(message) }

    func close(_ reason: String) { socket.close(reason) }

    private static func text(_ event: JoinSocket.Event) -> String {
        switch event {
        case .connected: "connected"
        case .keyRefused: "key refused"
        case .lost: "lost"
        case .message(.welcome(let welcome)): "welcome \(welcome.bootsBefore)"
        case .message(.refused(let reason)): "refused: \(reason)"
        case .message(.state(let state)): "state \(state.number)"
        case .message(.call(let call)): "call \(call.id)"
        case .message(.bye(let reason)): "bye: \(reason)"
        case .message: "message"
        }
    }
}

/// A call on a thread of its own.
final class PendingCall: Sendable {
    private let answer: Answer
    private let thread: ThreadHandle

    private final class Answer: Sendable {
        let value = Mutex<Result<JSONValue, any Error>?>(nil)
    }

    init(_ body: @escaping @Sendable () throws -> JSONValue) {
        let answer = Answer()
        self.answer = answer
        thread = runOnThread(name: "call") {
            let result = Result { try body() }
            answer.value.withLock { $0 = result }
        }
    }

    /// Whether it has its answer.
    var isOver: Bool { answer.value.withLock { $0 != nil } }

    /// Waits for the answer.
    func get() throws -> JSONValue {
        thread.join()
        return try #require(answer.value.withLock { $0 }).get()
    }
}

extension InstanceConnection {
    /// Gives a command, as a step does.
    func give(
        _ command: String, to actor: String, _ arguments: JSONValue = .object([:]), operation: String? = nil
    ) throws -> ActorSession.Outcome {
        let target = try #require(actors[actor]?.first { $0.command(named: command) != nil })
        return try ActorSession(instance: self).call(
            target, command: command, arguments: arguments, operation: operation,
            timeout: LabDuration.seconds(20).stretched)
    }
}
