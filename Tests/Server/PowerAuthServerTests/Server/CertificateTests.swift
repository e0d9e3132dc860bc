// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import Logging
import NIOSSL
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Certificates", .endsInTime)
struct CertificateTests {
    private func certificates(_ directory: TemporaryDirectory, _ clock: TestClock) throws -> LabCertificates {
        try LabCertificates(directory: directory.path + "/tls", now: clock.now())
    }

    @Test(arguments: CertificateKind.allCases)
    func `OpenSSL reads every certificate and finds its key`(kind: CertificateKind) throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let configuration = try certificates(directory, clock).configuration(kind, now: clock.now())
        _ = try NIOSSLContext(configuration: configuration)
    }

    @Test func `A server with a certificate uses TLS, and clients without its authority refuse it`() async throws {
        let fixture = try ServerFixture { $0.certificate = .valid }
        try await fixture.whileListening { address in
            #expect(address.baseURL.hasPrefix("https://127.0.0.1:"))
            #expect(address.certificateAuthorityPath == fixture.directory.path + "/server/tls/ca.pem")
            // The machine does not trust the lab's authority.
            let request = OutgoingRequest(url: address.baseURL + "/health")
            await #expect(throws: OutgoingRequest.Failure.self) { try await request.send() }
        }
    }

    @Test func `Certificates contain their validity`() throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let certificates = try certificates(directory, clock)
        func validity(_ kind: CertificateKind) throws -> (start: Int64, end: Int64) {
            let chain = try certificates.serverCertificate(kind, now: clock.now()).chain
            let leaf = try #require(try NIOSSLCertificate.fromPEMBytes(Array(chain[0].utf8)).first)
            return (Int64(leaf.notValidBefore), Int64(leaf.notValidAfter))
        }
        let now = clock.now().seconds
        let valid = try validity(.valid)
        #expect(valid.start < now && valid.end > now)
        let expired = try validity(.expired)
        #expect(expired.end == now - 86_400)
    }

    @Test func `The authority survives a restart of the server, and its key is private`() throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let first = try certificates(directory, clock)
        let kept = try String(contentsOfFile: first.authorityPath, encoding: .utf8)
        let second = try certificates(directory, clock)
        #expect(try String(contentsOfFile: second.authorityPath, encoding: .utf8) == kept)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/tls/ca.key")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `A certificate contains the requested values`() throws {
        let key = try PrivateKey.generate()
        // Times from 2050 on have another form than those before (RFC 5280, section 4.1.2.5).
        let request = Certificate.Request(
            commonName: "Zkušební server", notBefore: ServerTime(milliseconds: 1_728_380_000_000),
            notAfter: ServerTime(milliseconds: 2_556_144_000_000), hostNames: ["localhost", "lab.example"],
            addresses: ["127.0.0.1"])
        let certificate = try Certificate(request, for: key, issuer: .itself)
        let read = try NIOSSLCertificate(bytes: Array(certificate.der), format: .der)
        #expect(read.notValidBefore == 1_728_380_000)
        #expect(read.notValidAfter == 2_556_144_000)
        #expect(read.description.contains("Zkušební server"))
        #expect(certificate.der.range(of: Data("241008093320Z".utf8)) != nil)
        #expect(certificate.der.range(of: Data("20510101000000Z".utf8)) != nil)
        #expect(certificate.der.range(of: Data("lab.example".utf8)) != nil)
        #expect(certificate.der.range(of: Data([0x87, 4, 127, 0, 0, 1])) != nil)
        #expect(certificate.der.range(of: key.publicKey.uncompressed) != nil)
        #expect(try Certificate(request, for: key, issuer: .itself).der != certificate.der)
    }
}
