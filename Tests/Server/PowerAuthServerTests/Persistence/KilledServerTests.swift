// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The program `lab-server`, killed without warning.
@Suite("A killed server", .endsInTime)
struct KilledServerTests {
    @Test func `What was accepted stays accepted when the process dies right after the answer`() async throws {
        try await onThread {
            let directory = try TemporaryDirectory()
            var process = try ServerProgram(directory: directory.path + "/server")
            let deviceKey = try PrivateKey.generate()
            let seeded = try process.post(
                "/lab/seed",
                """
                {"activations": [{"userId": "alice", "maxFailedAttempts": 100, \
                "devicePublicKey": "\(StrictBase64.encode(deviceKey.publicKey.uncompressed))"}]}
                """)
            let activation = try JSONDecoder().decode(Seeded.self, from: seeded.body).activations[0]
            let exchange = try ActivationKeyExchange(
                deviceKey: deviceKey, activationId: activation.activationId,
                serverPublicKey: StrictBase64.decode(activation.serverPublicKey, field: "serverPublicKey"),
                counterData: StrictBase64.decode(activation.ctrData, field: "ctrData"))
            var counter = exchange.counter
            for _ in 0..<3 {
                let configuration = try MobileSdkConfiguration(process.configuration)
                let header = try header(exchange, counter, configuration)
                counter = counter.next()
                #expect(try process.validate(header) == 200)
                process.kill()
                process = try ServerProgram(directory: directory.path + "/server")
                #expect(try process.validate(header) == 401, "a signature was accepted by two processes")
            }
            process.kill()
        }
    }

    private struct Seeded: Decodable {
        struct Activation: Decodable {
            let activationId: String
            let serverPublicKey: String
            let ctrData: String
        }
        let activations: [Activation]
    }

    private func header(
        _ exchange: ActivationKeyExchange, _ counter: CounterData, _ configuration: MobileSdkConfiguration
    ) throws -> String {
        let nonce = SymmetricSignature.randomNonce()
        let data = SymmetricSignature.normalize(
            method: "POST", uriId: "/pa/signature/validate", nonce: nonce, body: Data("{}".utf8),
            applicationSecretText: configuration.applicationSecretText)
        let keys = SignatureKeys(exchange.keys, factors: [.possession, .knowledge])
        return SignatureHeader(
            version: .v3_3, activationId: exchange.activationId, applicationKey: configuration.applicationKeyText,
            nonce: nonce, signatureType: .possessionKnowledge,
            signature: try SymmetricSignature.online(version: .v3_3, keys: keys, counter: counter, data: data)
        ).value
    }
}

/// A running `lab-server`. Blocks; belongs to one thread.
private final class ServerProgram {
    private let process: ChildProcess
    private let baseURL: String
    private let labToken: String
    /// The configuration of the SDK.
    let configuration: String

    init(directory: String) throws {
        // The package's programs lie beside the bundle of its tests.
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("lab-server")
        let output: FileDescriptor
        (process, output) = try Self.start(program.path, ["--directory", directory, "--lab-powers", "--quiet"])
        var text = ""
        while !text.contains("SDK config") || !text.hasSuffix("\n") {
            let piece = try output.read(count: 4096)
            try #require(!piece.isEmpty, "\(program.path) ended before it listened: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        let lines = text.split(separator: "\n")
        func value(_ name: String) throws -> String {
            let line = try #require(lines.first { $0.hasPrefix(name) })
            return line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        }
        baseURL = try value("listening on")
        configuration = try value("SDK config")
        labToken = try LabAccess(directory: directory).token
    }

    deinit { kill() }

    /// A program and its output until it ends: no other process has the writing end open.
    private static func start(_ path: String, _ arguments: [String]) throws -> (ChildProcess, FileDescriptor) {
        let (reading, writing) = try FileDescriptor.pipe()
        let process = try ChildProcess.spawn(
            executable: path, arguments: arguments, standardOutput: .file(writing), deathSignal: SIGKILL)
        return (process, reading)
    }

    /// SIGKILL; returns when the process is gone.
    func kill() {
        try? process.signal(SIGKILL)
        // A second call finds no process to wait for.
        _ = try? process.wait()
    }

    func post(_ path: String, _ body: String, header: String? = nil) throws -> (status: Int, body: Data) {
        var request = OutgoingRequest(url: baseURL + path)
        request.method = "POST"
        request.headers =
            [("Content-Type", "application/json"), (LabAccess.header, labToken)]
            + (header.map { [(SignatureHeader.name, $0)] } ?? [])
        request.body = Data(body.utf8)
        return try request.sendAndWait()
    }

    /// The status code of a signed request.
    func validate(_ header: String) throws -> Int {
        try post("/pa/v3/signature/validate", "{}", header: header).status
    }
}
