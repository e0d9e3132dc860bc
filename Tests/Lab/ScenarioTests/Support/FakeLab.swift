// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import Synchronization
import TestSupport

@testable import ScenarioEngine

/// An instance whose server, agents and peers are endpoints of the test process with prepared answers.
///
/// Any thread.
final class FakeLab: Sendable {
    let connection: InstanceConnection
    let answers: FakeAnswers
    private let test: TestInstance
    private let servers: [ControlServer]

    var runDirectory: String { test.file("run") }

    /// A phone with one app.
    static let onePhone = Topology(
        name: "t",
        devices: [
            DeviceSpec(
                name: "phone", kind: .phone,
                apps: [
                    AppSpec(
                        name: "main", kind: .app, bundleIdentifier: "a",
                        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "a"))
                ])
        ])

    /// Runs a test on a thread of its own while the endpoints of a topology answer.
    static func run(
        _ topology: Topology = JoinedLabs.topology, share: HostAssignment? = nil,
        answers: [String: [JSONValue]] = [:], isSilent: Bool = false,
        _ body: @escaping @Sendable (FakeLab) throws -> Void
    ) async throws {
        try await onThread {
            let lab = try FakeLab(topology, answers: FakeAnswers(answers, isSilent: isSilent), share: share)
            defer { lab.end() }
            try body(lab)
        }
    }

    /// Starts the endpoints of a topology.
    ///
    /// - Parameter share: The part of the topology that is played here; nil for all of it.
    init(_ topology: Topology, answers: FakeAnswers, share: HostAssignment? = nil) throws {
        let test = try TestInstance(topology, share: share)
        self.test = test
        try Files.createDirectory(test.file("run/traces"))
        connection = try InstanceConnection(test.layout)
        self.answers = answers
        let (layout, host) = (test.layout, connection.host)
        var endpoints: [InstanceEndpoint] = host.devices.flatMap(\.apps).map { .peer($0.name) }
        if host.hasServer { endpoints.append(.server) }
        endpoints += host.devices.map { .agent($0.name) }
        servers = try endpoints.map { endpoint in
            let name = endpoint.actor
            return try ControlServer(layout, endpoint) { request, responder in
                // Off the control thread, so that the branches of a race get their answers at the same time.
                runOnThread(name: "fake") {
                    let trace = try? TraceWriter(directory: test.file("run/traces"), process: name, incarnation: 1)
                    let command: [String: JSONValue] = ["command": .string(request.command)]
                    if request.operation != nil { trace?.emit(.commandStarted, operation: request.operation, command) }
                    let answer = answers.answer(request, by: name, in: topology) { event in
                        try? Self.record(event, of: name, in: test.file("run/traces"))
                    }
                    if request.operation != nil { trace?.emit(.commandFinished, operation: request.operation, command) }
                    responder.reply(answer)
                }
            }
        }
    }

    /// Writes an event into a trace, as a peer would.
    func emit(_ event: TraceEventName, of process: String, _ fields: [String: JSONValue] = [:]) throws {
        try TraceWriter(directory: "\(runDirectory)/traces", process: process, incarnation: 1).emit(
            event, event.completed(fields))
    }

    /// Writes the trace of a prepared answer: events with their fields, or malformed lines.
    private static func record(_ event: JSONValue, of name: String, in traces: String) throws {
        let (process, number) = (event["of"]?.stringValue ?? name, event["incarnation"]?.integerValue ?? 1)
        if let line = event["line"]?.stringValue {
            let file = try FileDescriptor.open(
                "\(traces)/\(process)#\(number).jsonl", flags: O_WRONLY | O_CREAT | O_APPEND)
            return try file.writeAll(Data("\(line)\n".utf8))
        }
        guard let name = event["event"]?.stringValue.flatMap(TraceEventName.init(rawValue:)) else { return }
        try TraceWriter(directory: traces, process: process, incarnation: Int(number)).emit(
            name, name.completed(event["fields"]?.objectValue ?? [:]))
    }

    /// Makes an endpoint look as after the end of its process.
    func letEnd(_ endpoint: InstanceEndpoint) throws {
        let ended = try ChildProcess.spawn(executable: "/bin/true")
        _ = try ended.wait()
        try Files.write(Data("\(ended.pid)\n".utf8), to: connection.layout.endpointLockPath(endpoint))
    }

    /// Ends the endpoints.
    func end() {
        for server in servers { server.stop() }
        _ = try? test.instance.end()
    }
}

/// Prepared answers by `actor.command`, used in order; the last one is repeated. An answer's `traces` are recorded
/// before it is sent, so that every test has the same order of events; one that is `silent` is never sent.
///
/// Any thread.
final class FakeAnswers: Sendable {
    private let script: Mutex<[String: [JSONValue]]>
    private let log = Mutex<[ControlRequest]>([])
    private let pinged = Mutex<[String]>([])
    /// Commands wait here for each other before they are answered.
    private let meeting: Barrier?
    private let arrival = DispatchSemaphore(value: 0)
    /// While set, no command without a prepared answer is answered.
    private let isSilent: Bool

    init(_ script: [String: [JSONValue]] = [:], meeting: Barrier? = nil, isSilent: Bool = false) {
        self.script = Mutex(script)
        self.meeting = meeting
        self.isSilent = isSilent
    }

    /// Reads `{ "main.hasValidActivation": [ { "result": true }, { "error": { … } } ] }`.
    convenience init(json: Data) throws {
        let object = try JSONValue.parse(json).objectValue ?? [:]
        self.init(object.mapValues { $0.arrayValue ?? [] })
    }

    /// The requests so far, without the lab's own questions.
    var requests: [ControlRequest] {
        log.withLock { $0 }.filter { ![InspectSharing.name, InspectLink.name].contains($0.command) }
    }

    /// Who was pinged, in order.
    var pings: [String] { pinged.withLock { $0 } }

    /// Waits until the next command has arrived.
    func awaitRequest() { arrival.wait() }

    func answer(
        _ request: ControlRequest, by name: String, in topology: Topology, recording record: (JSONValue) -> Void
    ) -> Result<JSONValue, ControlError> {
        if request.command == "ping" {
            pinged.withLock { $0.append(name) }
            return .success(.null)
        }
        let isPrepared = script.withLock { $0["\(name).\(request.command)"] != nil }
        if request.command == Processes.name, !isPrepared, let device = topology.device(named: name) {
            // The test process plays every app.
            let pid = ProcessInfo.processInfo.processIdentifier
            return .success(
                .array(
                    device.apps.map { app in
                        ["app": .string(app.name), "state": "running", "pid": .integer(Int64(pid)), "incarnation": 1]
                    }))
        }
        log.withLock { $0.append(request) }
        arrival.signal()
        meeting?.arriveAndWait()
        // The test ends before this.
        if isSilent, !isPrepared { DispatchSemaphore(value: 0).wait() }
        let key = "\(topology.device(named: name) == nil ? name : request.actor ?? name).\(request.command)"
        let answer = script.withLock { script -> JSONValue? in
            guard let answers = script[key], let first = answers.first else { return nil }
            if answers.count > 1 { script[key]?.removeFirst() }
            return first
        }
        for event in answer?["traces"]?.arrayValue ?? [] { record(event) }
        if answer?["silent"] == true { DispatchSemaphore(value: 0).wait() }
        if let error = answer?["error"] {
            return .failure(
                ControlError(
                    domain: error["domain"]?.stringValue ?? "Test", code: error["code"]?.integerValue.map(Int.init),
                    name: error["name"]?.stringValue, message: error["message"]?.stringValue ?? "",
                    userInfo: error["userInfo"]))
        }
        return .success(answer?["result"] ?? .null)
    }
}

extension TraceEventName {
    /// Fields, with a default value for each declared one that is not given.
    func completed(_ fields: [String: JSONValue]) -> [String: JSONValue] {
        var all = fields
        for field in self.fields where all[field.name] == nil { all[field.name] = field.type.anyValue }
        return all
    }
}

extension FieldType {
    /// Some value of the type; nil if it may be absent.
    fileprivate var anyValue: JSONValue? {
        switch self {
        case .text, .secret: ""
        case .integer, .number: 0
        case .boolean: false
        case .duration: "1s"
        case .choice(let words): .string(words[0])
        case .list: []
        case .map, .object: [:]
        case .optional, .any, .nothing: nil
        }
    }
}
