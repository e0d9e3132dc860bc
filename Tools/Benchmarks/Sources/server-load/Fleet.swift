// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Devices that make requests, one per connection.
///
/// Belongs to one thread.
final class LoadDevices {
    private var devices: [LoadDevice]

    init(_ devices: [LoadDevice]) {
        self.devices = devices
    }

    var count: Int { devices.count }

    /// One sample of requests, a list for each connection.
    func requests(of task: LoadTask, connections: Int) throws -> [[LoadRequest]] {
        let perConnection = max(1, task.requests(connections: connections) / connections)
        return try (0..<connections).map { index in
            try (0..<perConnection).map { _ in try task.request(of: &devices[index]) }
        }
    }
}

/// A lab server and the devices that are activated on it, one for each connection.
final class Fleet {
    private let program: String
    private let directory: String
    private(set) var server: ServerProcess
    let devices: LoadDevices

    /// Makes a server with active devices, each with a token.
    ///
    /// A server with test controls activates the devices; the measured server has no test controls.
    init(program: String, directory: String, devices count: Int) throws {
        self.program = program
        self.directory = directory
        server = try Self.start(program, directory, "--lab-powers")
        let configuration = try MobileSdkConfiguration(server.value("SDK config"))
        let keys = try (0..<count).map { _ in try PrivateKey.generate() }
        let http = HTTPCall(server: server.address)
        let seeding = Seeding(
            activations: keys.enumerated().map { number, key in
                .init(userId: "load-\(number)", devicePublicKey: StrictBase64.encode(key.publicKey.uncompressed))
            })
        let seeded: Seeded = try http.post(
            "/lab/seed", body: JSONEncoder().encode(seeding), headers: Self.labHeader(server))
        devices = LoadDevices(
            try zip(keys, seeded.activations).map { key, activation in
                var device = try LoadDevice(
                    configuration: configuration, key: key, activationId: activation.activationId,
                    serverPublicKey: activation.serverPublicKey, counterData: activation.ctrData)
                try device.createToken(http)
                return device
            })
        try restart()
    }

    /// The credentials of `/lab`, from the file that the server names.
    private static func labHeader(_ server: ServerProcess) throws -> [String: String] {
        let line = try String(contentsOfFile: server.value("lab token"), encoding: .utf8)
        let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard parts.count == 2 else { throw LoadFailure("the file of the lab token holds no header") }
        return [parts[0]: parts[1]]
    }

    /// Continues with a new process over the same data.
    func restart() throws {
        server.stop()
        server = try Self.start(program, directory)
    }

    /// Creates pending operations for the user of the first device.
    /// - Returns: the size of the server's list in bytes.
    func createOperations(_ count: Int) throws -> Int {
        let http = HTTPCall(server: server.address)
        for _ in 0..<count {
            let _: Answered = try http.post("/rest/v3/operation/create", Creation())
        }
        let requests = try devices.requests(of: .list, connections: 1)
        guard let request = requests.first?.first else { throw LoadFailure("there is no device to ask for a list") }
        return try http.text(LoadTask.list.path, body: Data(request.body.utf8), headers: request.headers).utf8.count
    }

    private struct Creation: Encodable {
        struct Request: Encodable {
            let userId = "load-0"
            let applications = ["lab"]
            let templateName = "payment"
            let parameters = [
                "amount": "250.50", "currency": "EUR", "iban": "CZ6508000000192000145399", "note": "Rent",
            ]
        }
        let requestObject = Request()
    }

    private struct Answered: Decodable {
        let status: String
    }

    private static func start(_ program: String, _ directory: String, _ options: String...) throws -> ServerProcess {
        try ServerProcess(program: program, arguments: ["--directory", directory] + options, last: "SDK config")
    }

    private struct Seeding: Encodable {
        struct Blueprint: Encodable {
            let userId: String
            let devicePublicKey: String
        }
        let activations: [Blueprint]
    }

    private struct Seeded: Decodable {
        struct Activation: Decodable {
            let activationId: String
            let serverPublicKey: String
            let ctrData: String
        }
        let activations: [Activation]
    }
}
