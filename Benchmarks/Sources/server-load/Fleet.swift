import Foundation
import PowerAuthProtocol

/// A lab server and the devices that are activated on it, one for each connection.
final class Fleet {
    private let program: String
    private let directory: String
    private(set) var server: ServerProcess
    private(set) var devices: [LoadDevice]

    /// Makes a server with active devices, each with a token.
    ///
    /// The devices are planted by a server with lab powers; the one that is measured has none.
    init(program: String, directory: String, devices count: Int) throws {
        self.program = program
        self.directory = directory
        server = try Self.start(program, directory, "--lab-powers")
        let configuration = try MobileSdkConfiguration(server.value("SDK config"))
        let keys = try (0..<count).map { _ in try PrivateKey.generate() }
        let http = HTTPCall(port: server.port)
        let seeded: Seeded = try http.post(
            "/lab/seed",
            Seeding(
                activations: keys.enumerated().map { number, key in
                    .init(
                        userId: "load-\(number)", devicePublicKey: StrictBase64.encode(key.publicKey.uncompressed))
                }))
        devices = try zip(keys, seeded.activations).map { key, activation in
            try LoadDevice(
                configuration: configuration, key: key, activationId: activation.activationId,
                serverPublicKey: activation.serverPublicKey, counterData: activation.ctrData)
        }
        for index in devices.indices { try devices[index].createToken(http) }
        try restart()
    }

    /// Goes on with a new process over the same data.
    func restart() throws {
        server.stop()
        server = try Self.start(program, directory)
    }

    /// The bodies of one sample of requests, a list for each connection.
    func bodies(of task: LoadTask, connections: Int) throws -> [[String]] {
        let perConnection = max(1, task.requests(connections: connections) / connections)
        return try (0..<connections).map { index in
            try (0..<perConnection).map { _ in try task.body(of: &devices[index]) }
        }
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
