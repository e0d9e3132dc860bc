// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Server trust of a service (networking.md, sections 9 and 16)", .endsInTime)
struct TrustTests {
    /// Pins the server's own certificate; without one it takes the first that it sees.
    private final class Pin: WPNPinningProvider, Sendable {
        private let pinned: Mutex<Data?>

        init(_ pinned: Data? = nil) { self.pinned = Mutex(pinned) }

        var certificate: Data? { pinned.withLock { $0 } }

        func validate(challenge: URLAuthenticationChallenge) -> Bool {
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let trust = challenge.protectionSpace.serverTrust,
                let shown = SecTrustCopyCertificateChain(trust)?.first.map(SecCertificateCopyData)
            else { return false }
            return pinned.withLock { pinned in
                if pinned == nil { pinned = shown }
                return pinned == shown
            }
        }
    }

    /// Asks a server with a certificate for its status, on a device that knows the lab's authority or does not.
    private func ask(
        _ server: RealServer, _ strategy: WPNSSLValidationStrategy, knowsAuthority: Bool = true, quirks: [String] = []
    ) async throws -> WPNError? {
        let app = try await TestApp(server: server, quirks: quirks)
        if knowsAuthority {
            let directory = app.device.layout.serverDirectory + "/tls"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: #require(server.certificateAuthorityPath), toPath: directory + "/ca.pem")
        }
        return try await app.service(sslValidation: strategy).send(WPNRequestBase(), Endpoints.basic).error
    }

    @Test(arguments: CertificateKind.allCases)
    func `By default the system decides, and its refusal is an error of trust`(kind: CertificateKind) async throws {
        let server = try await RealServer.start { $0.certificate = kind }
        let error = try await ask(server, .default)
        #expect((error == nil) == (kind == .valid))
        if let error { #expect(error.reason == .network_sslError && error.networkConnectionIsNotTrusted) }
        #expect(try await ask(server, .noValidation, knowsAuthority: false) == nil)
    }

    @Test func `A pinning provider decides besides the system, and its refusal is an error of trust`() async throws {
        let (ours, others) = (
            try await RealServer.start { $0.certificate = .valid },
            try await RealServer.start { $0.certificate = .valid }
        )
        let pin = Pin()
        #expect(try await ask(ours, .sslPinning(pin)) == nil)
        #expect(try await ask(ours, .sslPinning(Pin(pin.certificate))) == nil)
        let refused = try #require(try await ask(others, .sslPinning(pin)))
        #expect(refused.reason == .network_sslError && refused.networkConnectionIsNotTrusted)
        let unknown = try await ask(ours, .sslPinning(pin), knowsAuthority: false)
        #expect(unknown?.reason == .network_sslError, "the system does not know who has signed")
        let original = try #require(try await ask(others, .sslPinning(pin), quirks: ["networking.11"]))
        #expect(original.reason == .network_generic && original.code == NSURLErrorCancelled)
        #expect(!original.networkConnectionIsNotTrusted)
    }
}
