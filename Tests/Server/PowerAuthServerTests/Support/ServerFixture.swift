// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import LabSystem
import Logging
import NIOCore
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// A clock that moves only when a test moves it.
final class TestClock: ServerClock {
    private let state = Mutex<(milliseconds: Int64, waiting: [ServerAlarm])>((1_728_380_000_000, []))

    func now() -> ServerTime { ServerTime(milliseconds: state.withLock { $0.milliseconds }) }

    func advance(milliseconds step: Int64) {
        let waiting = state.withLock { state in
            state.milliseconds += step
            return state.waiting
        }
        waiting.forEach { $0.ring() }
    }

    func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm) {
        let mustWait = state.withLock { state in
            guard deadline.map({ state.milliseconds < $0.milliseconds }) ?? true else { return false }
            state.waiting.append(alarm)
            return true
        }
        guard mustWait else { return }
        alarm.wait(milliseconds: nil)
        state.withLock { state in state.waiting.removeAll { $0 === alarm } }
    }
}

/// Remembers what the server recorded.
final class TestJournal: ServerJournal {
    private let recorded = Mutex<[(event: ServerEvent, operation: String?)]>([])

    var events: [(event: ServerEvent, operation: String?)] { recorded.withLock { $0 } }

    func record(_ event: ServerEvent, operation: String?) { recorded.withLock { $0.append((event, operation)) } }
}

/// A server in a directory of its own, reached through its router without a network.
struct ServerFixture: Sendable {
    let directory: TemporaryDirectory
    let clock: TestClock
    let journal: TestJournal
    let server: LabServer

    /// - Parameters:
    ///   - directory: what a server finds there, it works with; nil for a directory with an empty database.
    ///   - log: takes the place of ``journal``, which then stays empty.
    init(
        directory: TemporaryDirectory? = nil, clock: TestClock = TestClock(), log: (any ServerJournal)? = nil,
        faults: ServerFaults = ServerFaults(), pushGateway: (any PushGateway)? = nil,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        let isNew = directory == nil
        let directory = try directory ?? TemporaryDirectory()
        var configuration = ServerConfiguration(directory: directory.path + "/server")
        configuration.workerThreads = 2
        // Tests make the templates they need.
        configuration.hasDefaultTemplates = false
        configuration.hashesCheaply = true
        // No test is about a busy machine.
        let patience: Int64 = 600_000
        configuration.limits.headerTimeout = patience
        configuration.limits.bodyTimeout = patience
        configuration.limits.idleTimeout = patience
        configuration.limits.answerTimeout = patience
        configure(&configuration)
        if isNew { try EmptyDatabase.place(in: configuration.directory) }
        self.directory = directory
        self.clock = clock
        journal = TestJournal()
        server = try LabServer(
            configuration: configuration, clock: clock, journal: log ?? journal, faults: faults,
            pushGateway: pushGateway)
    }

    /// Runs a test against the router, with the first application's configuration.
    func run<Value: Sendable>(_ body: @Sendable (ServerClient) async throws -> Value) async throws -> Value {
        let client = try client()
        let application = try await client.backOffice("application/detail", ["applicationId": "lab"])
        let text = try #require(application.text("versions.0.mobileSdkConfig"))
        return try await body(client.with(configuration: try MobileSdkConfiguration(text)))
    }

    /// A client of the router.
    func client() throws -> ServerClient { client(try RouterTransport(server)) }

    /// A client that reaches the server another way.
    func client(_ transport: any ServerTransport) -> ServerClient {
        ServerClient(transport: transport, clock: clock, labToken: server.labAccess?.token)
    }

    /// Runs a test against the router of a server that does not return its first application, such as a restricted one.
    func runUnconfigured<Value: Sendable>(
        _ body: @Sendable (ServerClient) async throws -> Value
    ) async throws -> Value {
        try await body(client())
    }

    /// Runs a blocking test against the server while it listens; given the port.
    func listening(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        try await listeningConcurrently { port in try await onThread { try body(port) } }
    }

    /// Runs a test against the server while it listens; given the port.
    func listeningConcurrently(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await whileListening { try await body($0.port) }
    }

    /// Runs a test against the server while it listens; given where.
    func whileListening(_ body: @escaping @Sendable (LabServer.Listening) async throws -> Void) async throws {
        let (listening, found) = AsyncStream<LabServer.Listening>.makeStream()
        async let running: Void = server.run { found.yield($0) }
        let address = try #require(await listening.first { _ in true })
        let outcome = await Task { try await body(address) }.result
        // Also after a failure: a running server would block the test.
        server.stop()
        try await running
        try outcome.get()
    }

    /// Makes a server, runs a test against it and forgets it.
    static func run<Value: Sendable>(
        _ body: @Sendable (ServerClient) async throws -> Value
    ) async throws -> Value {
        try await ServerFixture().run(body)
    }
}

/// An answer of the server, read by dotted paths.
struct Answer: Sendable {
    let status: Int
    let body: Data
    /// Where the request went; nil where no test asks.
    var uri: String?
    /// The header `WWW-Authenticate`.
    var challenge: String?
    /// The header `Allow`.
    var allow: String?

    func value(_ path: String) -> Any? {
        var value: Any? = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        for key in ["responseObject"] + path.split(separator: ".").map(String.init) {
            if let index = Int(key), let list = value as? [Any] {
                value = list.indices.contains(index) ? list[index] : nil
            } else {
                value = (value as? [String: Any])?[key]
            }
        }
        return value
    }

    /// A text that the test requires.
    func required(_ path: String) throws -> String {
        try #require(text(path), "\(path) is missing in \(String(decoding: body, as: UTF8.self))")
    }

    /// The bytes of a Base64 text that the test requires.
    func bytes(_ path: String) throws -> Data {
        let text = try required(path)
        return try #require(StrictBase64.decode(text), "\(path) is not Base64")
    }

    func text(_ path: String) -> String? { value(path) as? String }
    func number(_ path: String) -> Int? { (value(path) as? NSNumber)?.intValue }
    func flag(_ path: String) -> Bool? { (value(path) as? NSNumber)?.boolValue }
    func isNull(_ path: String) -> Bool { value(path) is NSNull }
    var code: String? { text("code") }
    var envelopeStatus: String? {
        ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any])?["status"] as? String
    }
}

/// Talks to the server's HTTP API.
struct ServerClient: Sendable {
    let transport: any ServerTransport
    let clock: TestClock
    /// The access token of `/lab`.
    var labToken: String?
    var configuration: MobileSdkConfiguration?

    func with(configuration: MobileSdkConfiguration) -> ServerClient {
        var copy = self
        copy.configuration = configuration
        return copy
    }

    func send(
        _ path: String, method: HTTPRequest.Method = .post, headers: [String: String] = [:], body: Data = Data()
    ) async throws -> Answer {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        if let labToken, path.hasPrefix("/lab/") {
            fields[try #require(HTTPField.Name(LabAccess.header))] = labToken
        }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let response = try await transport.send(path, method, fields, body)
        return Answer(
            status: response.status, body: response.body, challenge: response.headers[.wwwAuthenticate],
            allow: response.headers[.allow])
    }

    /// Calls the back office with a request object.
    func backOffice(_ path: String, _ object: [String: any Sendable] = [:]) async throws -> Answer {
        try await send("/rest/v3/\(path)", body: try JSONSerialization.data(withJSONObject: ["requestObject": object]))
    }

    /// Lets the application's users recover their activations.
    ///
    /// - Parameter more: other settings.
    func enableRecovery(_ more: [String: any Sendable] = [:]) async throws {
        let settings: [String: any Sendable] = ["applicationId": "lab", "activationRecoveryEnabled": true]
        try await backOffice("recovery/config/update", settings.merging(more) { $1 }).expectOK()
    }

    /// A callback about activations, as the back office takes it.
    static func callback(_ more: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "applicationId": "lab", "name": "hook", "type": "ACTIVATION_STATUS_CHANGE",
            "callbackUrl": "http://127.0.0.1:1/hook", "attributes": [String](),
        ].merging(more) { $1 }
    }

    /// Has the server call back about activations.
    ///
    /// - Returns: the identifier of the callback.
    @discardableResult
    func createCallback(_ more: [String: any Sendable] = [:]) async throws -> String {
        try await backOffice("application/callback/create", Self.callback(more)).required("id")
    }

    /// The server time as a device sends it.
    var timestamp: UInt64 { UInt64(clock.now().milliseconds) }
}

extension ServerFixture {
    /// Fills a table with copies of its last row, as no client could so quickly.
    /// - Parameters:
    ///   - count: how many copies.
    ///   - changes: columns with their values, where they differ; `i` is the number of the copy, from 1.
    func copyLastRow(of table: String, times count: Int, _ changes: [String: String]) throws {
        try server.services.context.change { change in
            let columns = try String.fetchAll(
                change.database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
            let values = columns.map { changes[$0] ?? "\"\($0)\"" }
            try change.database.execute(
                sql: """
                    WITH RECURSIVE copies(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < \(count))
                    INSERT INTO \(table) (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))
                    SELECT \(values.joined(separator: ", ")) FROM copies, (SELECT * FROM \(table) ORDER BY rowid DESC LIMIT 1)
                    WHERE \(count) > 0
                    """)
        }
        server.services.context.database.cache.forgetAll()
    }

    /// How many rows fit a condition.
    func rows(_ table: String, _ condition: String = "TRUE") throws -> Int {
        try server.services.context.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
        }
    }

    /// Does everything that is due by the passing of time.
    /// - Returns: when the next thing is due.
    @discardableResult
    func runJobs() async throws -> ServerTime? { try await CallbackTarget([]).runJobs(self) }
}

/// A database without rows, made once: the steps of its schema took a twentieth of the time of all these tests.
private enum EmptyDatabase {
    private static let content = Result<Data, any Error> {
        let directory = try TemporaryDirectory()
        return try withExtendedLifetime(directory) { () throws -> Data in
            let path = directory.file("server.sqlite")
            try ServerDatabase(path: path).close()
            return try Files.read(path)
        }
    }

    /// Puts a copy where a server that starts in the directory finds it.
    static func place(in directory: String) throws {
        try PrivateFiles.makeDirectory(directory)
        try Files.write(content.get(), to: directory + "/server.sqlite")
    }
}

/// The server's database as another program opens it, beside a server that runs or is about to end.
enum StoredDatabase {
    /// Opens the file below a fixture's directory. It waits for the server's locks: a released server folds its log and
    /// closes its connections on its own threads, while the test continues.
    static func open(_ directory: TemporaryDirectory, foreignKeys: Bool = true) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        configuration.busyMode = .timeout(600)
        return try DatabaseQueue(path: directory.path + "/server/server.sqlite", configuration: configuration)
    }
}

/// A commit of the server that waits for the test. Any thread.
final class HeldCommit: Sendable {
    private let state = Mutex((isHolding: false, isAnswered: false))
    private let held = DispatchSemaphore(value: 0)
    private let mayGoOn = DispatchSemaphore(value: 0)

    var isAnswered: Bool { state.withLock { $0.isAnswered } }

    /// Keeps the next commit.
    func hold() { state.withLock { $0.isHolding = true } }
    func noteAnswer() { state.withLock { $0.isAnswered = true } }
    func waitUntilHeld() { held.wait() }
    func release() { mayGoOn.signal() }

    /// Called by the server before or after a commit.
    func pass() {
        let mustWait = state.withLock { state in
            defer { state.isHolding = false }
            return state.isHolding
        }
        guard mustWait else { return }
        held.signal()
        mayGoOn.wait()
    }
}
