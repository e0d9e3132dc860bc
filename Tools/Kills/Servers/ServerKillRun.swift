// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import PowerAuthProtocol
import Synchronization

/// One server of an instance, which dies under load from its writers and is restarted.
///
/// Thread rule: one thread at a time. Calls block.
final class ServerKillRun {
    /// How the server dies.
    enum Death: Sendable, CustomStringConvertible {
        /// At a fault point, after the given number of passes.
        case at(FaultPoint, pass: Int)
        /// At any place, after the given number of answered requests.
        case anywhere(answers: Int)

        var description: String {
            switch self {
            case .at(let point, let pass): "\(point)#\(pass)"
            case .anywhere(let answers): "anywhere, after \(answers) answers"
            }
        }
    }

    /// A writer with this many requests has long outlived its server.
    private static let patience = 20_000

    private let lab: Lab
    private let faults: FaultTable
    private let writers: [any Writer]
    private var stream: SeedStream

    /// - Parameter count: the number of writers: three quarters are devices, the others back-office clients.
    init(_ lab: Lab, writers count: Int, stream: SeedStream) throws {
        self.lab = lab
        self.stream = stream
        faults = try FaultTable.open(lab.layout.faultsPath)
        writers = try Cast(lab).writers(count)
    }

    /// Lets the server die once.
    /// - Throws: ``Breach``; the error of a command that had to succeed.
    func die(_ death: Death) throws {
        if case .at(let point, let pass) = death {
            _ = try faults.arm(FaultRule(point: point, process: "server", action: .kill, pass: pass))
        }
        try writeUntilDeath(death)
        _ = try faults.disarm()
        try lab.server.call(RestartServer())
        try settle()
    }

    private func settle() throws {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(
            path: lab.layout.serverDirectory + "/server.sqlite", configuration: configuration)
        try database.read { database in
            for writer in writers { try writer.settle(database) }
        }
        try database.close()
    }

    /// The shared state of the writer threads.
    private final class Shared: Sendable {
        let breach = Mutex<Breach?>(nil)
        let answers = DispatchSemaphore(value: 0)
    }

    /// A writer in the hands of its thread.
    // Unchecked: a writer belongs to its thread until the group is left, and then to the caller.
    private struct Turn: @unchecked Sendable {
        let writer: any Writer
        var stream: SeedStream
        let connection: ServerConnection

        mutating func write(_ shared: Shared) {
            do {
                for _ in 0..<ServerKillRun.patience {
                    guard try writer.write(to: connection, &stream) else { return }
                    shared.answers.signal()
                }
                throw Breach("the server does not die")
            } catch let breach as Breach {
                shared.breach.withLock { $0 = $0 ?? breach }
            } catch {
                shared.breach.withLock { $0 = $0 ?? Breach("\(error)") }
            }
        }
    }

    private func writeUntilDeath(_ death: Death) throws {
        let port = try lab.serverReady().port
        let shared = Shared()
        let group = DispatchGroup()
        // All connections are there before the first request.
        let turns = try writers.map { writer in
            Turn(
                writer: writer, stream: SeedStream(seed: stream.next(), "writer"),
                connection: try ServerConnection(port: port))
        }
        let awaited = if case .anywhere(let answers) = death { answers } else { 0 }
        for turn in turns {
            group.enter()
            runOnThread(name: "writer") {
                var turn = turn
                turn.write(shared)
                // No thread may wait for answers of a writer that has ended.
                for _ in 0..<awaited { shared.answers.signal() }
                group.leave()
            }
        }
        if awaited > 0 {
            for _ in 0..<awaited { shared.answers.wait() }
            try lab.server.call(KillServer())
        }
        group.wait()
        if let breach = shared.breach.withLock({ $0 }) { throw breach }
    }
}

/// Makes the writers of a run.
private struct Cast {
    private let connection: ServerConnection
    private let configuration: MobileSdkConfiguration
    private let labHeader: LabHeader

    init(_ lab: Lab) throws {
        let ready = try lab.serverReady()
        connection = try ServerConnection(port: ready.port)
        configuration = try MobileSdkConfiguration(ready.configuration)
        labHeader = try lab.labHeader()
    }

    func writers(_ count: Int) throws -> [any Writer] {
        let others = count / 8
        return try (0..<(count - 2 * others)).map { try device(userId: "device-\($0)") }
            + (0..<others).map { InitiatingWriter(userId: "new-\($0)") } + operations(others)
    }

    private func device(userId: String) throws -> any Writer {
        let key = try PrivateKey.generate()
        let seeded = try post(
            "/lab/seed", header: (labHeader.name, labHeader.value),
            [
                "activations": [
                    [
                        "userId": .string(userId), "maxFailedAttempts": 1_000_000,
                        "devicePublicKey": .string(StrictBase64.encode(key.publicKey.uncompressed)),
                    ]
                ]
            ])["activations"]?[0]
        guard let id = seeded?["activationId"]?.stringValue, let server = seeded?["serverPublicKey"]?.stringValue,
            let counter = seeded?["ctrData"]?.stringValue
        else { throw Breach("no activation was seeded: \(seeded ?? .null)") }
        return SigningWriter(
            userId: userId,
            try ActivationKeyExchange(
                deviceKey: key, activationId: id,
                serverPublicKey: StrictBase64.decode(server, field: "serverPublicKey"),
                counterData: StrictBase64.decode(counter, field: "ctrData")),
            configuration)
    }

    private func operations(_ count: Int) throws -> [any Writer] {
        _ = try post(
            "/rest/v3/operation/template/create",
            [
                "requestObject": [
                    "templateName": "kills", "operationType": "kills", "dataTemplate": "A2",
                    "signatureType": ["POSSESSION_KNOWLEDGE"], "maxFailureCount": 1_000_000, "expiration": 86_400,
                ]
            ])
        return try (0..<count).map { number in
            let operation = try post(
                "/rest/v3/operation/create",
                [
                    "requestObject": [
                        "userId": .string("operations-\(number)"), "applications": ["lab"], "templateName": "kills",
                    ]
                ])["responseObject"]
            guard let id = operation?["id"]?.stringValue else { throw Breach("no operation was created") }
            return FailingWriter(operationId: id)
        }
    }

    private func post(
        _ path: String, header: (name: String, value: String)? = nil, _ body: JSONValue
    ) throws -> JSONValue {
        guard let answer = connection.post(path, body.encoded(), header: header), answer.status == 200 else {
            throw Breach("\(path) was not answered with success")
        }
        return try JSONValue.parse(answer.body)
    }
}
