// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
public import LabCore
import LabPoints
import Synchronization

/// A ``LabServer`` that is a member of a lab instance: it uses the instance's clock, writes its trace, passes its fault
/// points, answers control commands and ends with it.
///
/// Thread rule: any thread.
public final class InstanceServer: Sendable {
    /// The actor name of the server in faults, traces and control endpoints.
    static let processName = "server"

    private let layout: InstanceLayout
    private let membership: Membership
    private let incarnation: Int
    private let server: LabServer
    /// The port of the previous incarnation, if any port is allowed: running apps use it.
    private let formerPort: Int?

    /// Joins an instance and opens the server's database in it. Blocks.
    /// - Throws: `InstanceError` if the instance has ended; errors of opening the database.
    public init(joining layout: InstanceLayout) throws {
        self.layout = layout
        membership = try Membership(joining: layout)
        let manifest = try InstanceManifest.read(layout)
        incarnation = try Incarnations.next(layout, Self.processName)
        let trace = try TraceWriter(
            directory: manifest.tracesDirectory, process: Self.processName, incarnation: incarnation)
        trace.emit(.processStarted)
        let faults = try FaultTable.open(layout.faultsPath)
        faults.traceFirings(to: trace)
        let clock = try LabClock.open(layout.clockPath)
        clock.traceChanges(to: trace)
        let former = try ServerReady.read(layout)
        // A client waiting for this incarnation must not find the file of the previous one.
        if former != nil { try FileManager.default.removeItem(atPath: layout.serverReadyPath) }
        formerPort = manifest.topology.server.port == 0 ? former?.port : nil
        var configuration = ServerConfiguration(directory: layout.serverDirectory)
        configuration.apply(manifest.topology.server)
        configuration.hasLabPowers = true
        configuration.requestRecordPath = layout.requestsPath(incarnation: incarnation)
        server = try LabServer(
            configuration: configuration, clock: InstanceClock(clock: clock), journal: InstanceJournal(trace: trace),
            faults: ServerFaults(faults), pushGateway: InstancePushGateway(layout: layout, topology: manifest.topology))
    }

    /// Listens, announces it to the instance, and answers until ``stop()``; then leaves the instance.
    /// - Parameter onFailure: called if the server listens but cannot announce it.
    /// - Throws: if the port cannot be bound.
    public func run(onFailure: @escaping @Sendable (any Error) -> Void) async throws {
        let control = ControlSlot()
        defer { control.stop() }
        let announce: @Sendable (LabServer.Listening) -> Void = { [self] listening in
            server.workers.submit { [self] in
                do {
                    control.set(try controlServer())
                    try ServerReady(listening).write(layout)
                } catch {
                    onFailure(error)
                }
            }
        }
        guard let formerPort else { return try await server.run(onListening: announce) }
        do {
            try await server.run(port: formerPort, onListening: announce)
        } catch is LabServer.ListeningFailure {
            // Another process took the port meanwhile; apps find the new one at their next lookup.
            try await server.run(onListening: announce)
        }
    }

    /// Stops listening. Returns at once.
    public func stop() { server.stop() }

    /// Writes the end of the server into the trace, once: for a process that ends although connections are open.
    public func noteStop() { server.noteStop() }

    /// Gives up the membership; the last member removes the instance. Blocks.
    public func leave() throws { try membership.leave() }

    private func controlServer() throws -> ControlServer {
        let commands = try ServerHandlers.table(for: server)
        return try ControlServer(layout, .server, incarnation: incarnation) { [server] request, responder in
            commands.perform(request, by: server) { responder.reply($0) }
        }
    }
}

/// Holds the control server between its start on a worker and its end on another thread.
///
/// Thread rule: any thread.
final class ControlSlot: Sendable {
    private let state = Mutex<(server: ControlServer?, isStopped: Bool)>((nil, false))

    /// Takes over a started server; stops it at once when the end came first.
    func set(_ started: ControlServer) {
        let tooLate = state.withLock { state in
            if !state.isStopped { state.server = started }
            return state.isStopped
        }
        if tooLate { started.stop() }
    }

    /// Stops the server, now or when it comes.
    func stop() {
        let started = state.withLock { state in
            defer { state = (nil, true) }
            return state.server
        }
        started?.stop()
    }
}

extension ServerReady {
    /// The connection data of a listening server.
    public init(_ listening: LabServer.Listening) {
        self.init(
            baseURL: listening.baseURL, enrollmentURL: listening.baseURL + "/enrollment-server",
            backOfficeURL: listening.baseURL + "/powerauth-java-server", applicationId: listening.applicationId,
            configuration: listening.mobileSdkConfig, configurationV4: listening.mobileSdkConfigV4,
            pid: ProcessInfo.processInfo.processIdentifier, port: listening.port)
    }
}
