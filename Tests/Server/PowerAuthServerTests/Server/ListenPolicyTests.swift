// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import NIOSSL
import TestSupport
import Testing

@testable import PowerAuthServer

/// Who can reach a server, and what must stand between (docs/security.md).
@Suite("Access from other machines", .endsInTime)
struct ListenPolicyTests {
    private static func configuration(
        _ host: String, restricted: Bool = false, tls: CertificateKind? = nil, insecure: Bool = false
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(directory: "unused")
        configuration.host = host
        configuration.policy.isBackOfficeRestricted = restricted
        configuration.certificate = tls
        configuration.isInsecureAllowed = insecure
        return configuration
    }

    @Test(arguments: ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
    func `On loopback a server needs nothing`(host: String) throws {
        let exposure = try ListenPolicy(Self.configuration(host))
        #expect(exposure.summary == "this machine" && exposure.addresses(port: 8080).isEmpty)
    }

    @Test(
        .verifies("security.md", "loopback-only"),
        arguments: ["0.0.0.0", "::", "192.168.1.5", "lab.bank.example", "0", "127.1"])
    func `Beyond loopback a server requires credentials and TLS, or an explicit override`(host: String) throws {
        func missing(restricted: Bool, tls: CertificateKind?) throws -> [String]? {
            do {
                _ = try ListenPolicy(Self.configuration(host, restricted: restricted, tls: tls))
                return nil
            } catch let refusal as ListenPolicy.Refusal {
                return refusal.missing
            }
        }
        #expect(try missing(restricted: false, tls: nil) == ["--restrict-access", "--tls"])
        #expect(try missing(restricted: true, tls: nil) == ["--tls"])
        #expect(try missing(restricted: false, tls: .valid) == ["--restrict-access"])
        #expect(try missing(restricted: true, tls: .valid) == nil)
        let open = try ListenPolicy(Self.configuration(host, insecure: true))
        #expect(open.summary == "other machines, in the clear; back office to everybody")
        let closed = try ListenPolicy(Self.configuration(host, restricted: true, tls: .valid))
        #expect(closed.summary == "other machines, over TLS; back office to integrations only")
    }

    @Test func `A refusal states what is missing, and a refused server creates nothing`() throws {
        let directory = try TemporaryDirectory()
        var configuration = Self.configuration("0.0.0.0", tls: .valid)
        configuration.directory = directory.path + "/server"
        let error = #expect(throws: ListenPolicy.Refusal.self) {
            try LabServer(configuration: configuration, clock: TestClock())
        }
        #expect(
            error?.description == """
                listening on 0.0.0.0 opens the server to other machines, and --restrict-access is missing. Add it, or \
                --insecure (in a settings file `insecure: true`) if everybody there may see and change everything, or \
                listen on 127.0.0.1.
                """)
        #expect(!FileManager.default.fileExists(atPath: configuration.directory))
    }

    @Test func `The printed URLs reach the server from this machine and from others`() throws {
        let everywhere = try ListenPolicy(Self.configuration("0.0.0.0", restricted: true, tls: .valid))
        #expect(everywhere.url(port: 8080) == "https://127.0.0.1:8080")
        #expect(try ListenPolicy(Self.configuration("::", insecure: true)).url(port: 1) == "http://[::1]:1")
        var named = Self.configuration("192.168.1.5", insecure: true)
        named.hostNames = ["lab.bank.example"]
        let exposure = try ListenPolicy(named)
        #expect(exposure.url(port: 8080) == "http://192.168.1.5:8080")
        #expect(exposure.addresses(port: 8080) == ["http://lab.bank.example:8080", "http://192.168.1.5:8080"])
    }

    @Test func `A valid certificate contains every name and address of the server`() throws {
        let directory = try TemporaryDirectory()
        let now = ServerTime(milliseconds: 1_728_380_000_000)
        let certificates = try LabCertificates(directory: directory.path + "/tls", now: now)
        let hosts = ["lab.bank.example", "192.168.1.5", "fd00::5"].map(HostName.init)
        let (chain, _) = try certificates.serverCertificate(.valid, for: hosts, now: now)
        let leaf = try #require(try NIOSSLCertificate.fromPEMBytes(Array(chain[0].utf8)).first)
        let der = Data(try leaf.toDERBytes())
        for name in ["localhost", "lab.bank.example"] {
            #expect(der.range(of: Data(name.utf8)) != nil, "it is not for \(name)")
        }
        // Addresses in a subject alternative name (RFC 5280, section 4.2.1.6).
        let sixth = [0x87, 16, 0xfd] + [UInt8](repeating: 0, count: 14) + [5]
        for address: [UInt8] in [[0x87, 4, 127, 0, 0, 1], [0x87, 4, 192, 168, 1, 5], sixth] {
            #expect(der.range(of: Data(address)) != nil, "it is not for \(address)")
        }
    }

    @Test(.verifies("security.md", "restricted-back-office"))
    func `Restricted access closes /lab as well, and leaves devices and health alone`() async throws {
        let fixture = try ServerFixture {
            $0.hasLabPowers = true
            $0.policy.isBackOfficeRestricted = true
        }
        let credentials = try #require(fixture.server.credentials)
        let pair = Data("\(credentials.userName):\(credentials.password)".utf8).base64EncodedString()
        let token = try "\(LabAccess.header): \(#require(fixture.server.labAccess).token)\r\n"
        try await fixture.listening { port in
            func status(_ path: String, _ authorization: String = "") throws -> String {
                let connection = try RawConnection(port: port)
                try connection.send(
                    "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(authorization)Connection: close\r\n\r\n")
                return String(try connection.readToEnd().prefix(12))
            }
            let statuses = try [
                status("/lab/traffic", token), status("/lab/traffic", token + "Authorization: Basic \(pair)x\r\n"),
                status("/lab/traffic", token + "Authorization: Basic \(pair)\r\n"), status("/health"),
            ]
            #expect(statuses == ["HTTP/1.1 401", "HTTP/1.1 401", "HTTP/1.1 200", "HTTP/1.1 200"])
        }
    }
}
