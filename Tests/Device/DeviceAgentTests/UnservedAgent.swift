// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent
@testable import LabControl
@testable import LabCore
@testable import LabVocabulary

/// The agent of a device without the loop that serves it: a test hands it commands and frames one by one, and looks at what
/// it has decided. The clock of its lab stands still, and no process is started.
///
/// Belongs to the thread that made it, because its sockets do.
final class UnservedAgent {
    let agent: DeviceAgent
    /// The device's place; what the clock shows.
    let device: TemporaryDevice
    private let answers: ControlOutbox
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - name: the device; a phone with two watches, or one of the watches.
    ///   - link: the link to the first watch. A test that connects to it gives it a name of its own: what a process
    ///     admits counts for all links of a name.
    ///   - transport: what carries the links.
    ///   - vocabulary: the commands that the agent must have handlers for.
    init(
        _ name: String = "phone", link: String = "pairing", transport: LinkSpec.Transport = .local,
        vocabulary: Vocabulary = .lab
    ) throws {
        directory = try TemporaryDirectory()
        device = try TemporaryDevice(name: name)
        try device.clock.freeze()
        answers = try ControlOutbox()
        agent = try DeviceAgent(
            layout: device.layout,
            manifest: InstanceManifest(
                id: device.layout.id, labFile: nil, topology: Self.topology(link, transport),
                runDirectory: directory.file("run"), seed: 1, executablesDirectory: directory.path),
            deviceName: name, vocabulary: vocabulary)
    }

    deinit {
        for link in agent.links { try? link.shutDown() }
        agent.timeLimits.stop()
    }

    private static func topology(_ link: String, _ transport: LinkSpec.Transport) -> Topology {
        Topology(
            name: "family",
            devices: [
                DeviceSpec(
                    name: "phone", kind: .phone,
                    apps: [app("main", .app), app("wallet", .app), app("widget", .appExtension, host: "main")]),
                DeviceSpec(name: "watch", kind: .watch, apps: [app("companion", .watchApp)]),
                DeviceSpec(name: "second", kind: .watch, apps: [app("glance", .watchApp)]),
            ],
            links: [
                LinkSpec(name: link, phone: "phone", watch: "watch", transport: transport),
                LinkSpec(name: "other", phone: "phone", watch: "second", transport: transport),
            ])
    }

    private static func app(_ name: String, _ kind: AppSpec.Kind, host: String? = nil) -> AppSpec {
        AppSpec(
            name: name, kind: kind, bundleIdentifier: "com.example.\(name)", host: host,
            powerAuth: PowerAuthSpec(sdk: kind == .watchApp ? .watch : .full, instanceId: "i"))
    }

    /// Gives the agent a command.
    ///
    /// - Returns: The answer; nil before it arrives.
    func perform(
        _ command: any Command.Type, of actor: String? = nil, _ arguments: JSONValue = [:]
    ) throws -> ControlReply? {
        try perform(command.name, of: actor, arguments)
    }

    func perform(_ command: String, of actor: String?, _ arguments: JSONValue = [:]) throws -> ControlReply? {
        let request = ControlRequest(command: command, arguments: arguments, actor: actor)
        agent.handle(
            request,
            ControlResponder(outbox: answers, client: Data(), id: request.id, incarnation: nil, received: 0))
        return try answers.take().replies.first.flatMap { ControlReply(json: try JSONValue.parse($0.message)) }
    }

    /// Brings an app to a place in its life; a process of it is number 42.
    func bring(_ app: String, to place: AppPlace) throws -> AppHost {
        let host = try #require(agent.hosts[app])
        guard place != .ended else { return host }
        _ = host.process.handle(.launch(request: place == .background ? nil : 1))
        _ = host.process.handle(.spawned(pid: 42, incarnation: 1, at: 0))
        guard place != .starting else { return host }
        _ = host.process.handle(.ready)
        if place == .fallingAsleep || place == .suspended { _ = host.process.handle(.suspend(request: 2)) }
        if place == .suspended { _ = host.process.handle(.stopped(holding: .none)) }
        return host
    }

    /// The traced events of these names, in order.
    func traced(_ names: TraceEventName...) throws -> [TraceEvent] {
        try TraceReader.read(agent.trace.path).events.filter { names.contains($0.name) }
    }
}

/// Where an app is in its life.
enum AppPlace: CaseIterable {
    case ended, starting, foreground, background, fallingAsleep, suspended
}

extension LinkHost {
    /// The greeting of the other device, which has heard nothing yet.
    ///
    /// - Parameters:
    ///   - process: the boot in which its agent began.
    ///   - pid: its agent.
    func greeting(process: UInt64 = 5, pid: Int32 = 1) -> WatchFrame {
        WatchFrame(
            .hello,
            body: WatchFrame.body(
                GreetingBody(
                    device: link.setup.peer, pairing: WatchLink.firstPairing,
                    identifier: GreetingBody.Identifier(process: process, number: 1), pid: pid, epoch: 3,
                    receivedEpoch: link.outbox.epoch, receivedSequence: 0, skipped: [], receivedContexts: [:])))
    }

    /// Carries out what this end has decided, and gives what concerns apps.
    func settled() throws -> [LinkEffect] {
        var performed: [LinkEffect] = []
        try settle { performed.append($0) }
        return performed
    }
}
