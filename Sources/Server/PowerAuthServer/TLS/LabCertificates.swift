// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import NIOCore
import NIOSSL
import PowerAuthProtocol

/// The certificates of one server directory: an authority that is made once, and a new certificate at every start.
struct LabCertificates: Sendable {
    /// The file with the authority that clients trust.
    let authorityPath: String
    private let authority: PrivateKey
    private let authorityCertificate: String

    private static let authorityName = "PowerAuth Lab CA"
    private static let day: Int64 = 86_400_000

    /// Reads the authority of a directory, or makes it. Blocks.
    /// - Throws: errors of reading or writing the files.
    init(directory: String, now: ServerTime) throws {
        let keyPath = directory + "/ca.key"
        authorityPath = directory + "/ca.pem"
        if let scalar = FileManager.default.contents(atPath: keyPath),
            let known = FileManager.default.contents(atPath: authorityPath)
        {
            authority = try PrivateKey(bigEndian: scalar)
            authorityCertificate = String(decoding: known, as: UTF8.self)
            return
        }
        try PrivateFiles.makeDirectory(directory)
        authority = try PrivateKey.generate()
        authorityCertificate = try Certificate(
            .init(
                commonName: Self.authorityName, notBefore: now.advanced(by: -Self.day),
                notAfter: now.advanced(by: 3650 * Self.day), isAuthority: true), for: authority, issuer: .itself
        ).pem
        let scalar = try authority.bigEndian
        for (path, content) in [(keyPath, scalar), (authorityPath, Data(authorityCertificate.utf8))] {
            try PrivateFiles.makeFile(path)
            try content.write(to: URL(filePath: path))
        }
    }

    /// The TLS configuration of a server.
    /// - Parameters:
    ///   - hosts: the names in a right certificate, beside loopback.
    ///   - replacement: called at every connection for a certificate to send instead of the right one.
    /// - Throws: `ProtocolError` for lack of entropy; `NIOSSLError` for a certificate OpenSSL does not read.
    func configuration(
        _ kind: CertificateKind, for hosts: [HostName] = [], now: ServerTime,
        replacement: (@Sendable () -> CertificateKind?)? = nil
    ) throws -> TLSConfiguration {
        let (chain, key) = try sources(kind, for: hosts, now: now)
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        // Older versions are refused (RFC 8996).
        configuration.minimumTLSVersion = .tlsv12
        if let replacement {
            // All are created now: a handshake runs on an event loop, where key generation would block.
            let others = try Dictionary(
                uniqueKeysWithValues: CertificateKind.allCases.map { kind in
                    let (chain, key) = try sources(kind, for: hosts, now: now)
                    var override = NIOSSLContextConfigurationOverride()
                    override.certificateChain = chain
                    override.privateKey = key
                    return (kind, override)
                })
            configuration.sslContextCallback = { _, answer in
                answer.succeed(replacement().flatMap { others[$0] } ?? .noChanges)
            }
        }
        return configuration
    }

    private func sources(
        _ kind: CertificateKind, for hosts: [HostName], now: ServerTime
    ) throws -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        let (chain, key) = try serverCertificate(kind, for: hosts, now: now)
        return (
            try chain.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }.map { .certificate($0) },
            .privateKey(try NIOSSLPrivateKey(bytes: Array(try PEM.text(key).utf8), format: .pem))
        )
    }

    /// A new key and its certificate, followed by its chain; all PEM.
    func serverCertificate(
        _ kind: CertificateKind, for hosts: [HostName] = [], now: ServerTime
    ) throws -> (chain: [String], key: PrivateKey) {
        let key = try PrivateKey.generate()
        var request = Certificate.Request(
            commonName: "localhost", notBefore: now.advanced(by: -30 * Self.day),
            notAfter: now.advanced(by: 397 * Self.day),
            hostNames: ["localhost"] + hosts.filter { !$0.isAddress }.map(\.text),
            addresses: ["127.0.0.1"] + hosts.filter(\.isAddress).map(\.text))
        switch kind {
        case .valid, .selfSigned: break
        case .expired: request.notAfter = now.advanced(by: -Self.day)
        case .wrongHost:
            request.commonName = "elsewhere.example"
            request.hostNames = ["elsewhere.example"]
            request.addresses = []
        }
        guard kind != .selfSigned else { return ([try Certificate(request, for: key, issuer: .itself).pem], key) }
        let certificate = try Certificate(
            request, for: key, issuer: .authority(certificate: authorityCertificate, key: authority))
        return ([certificate.pem, authorityCertificate], key)
    }
}
