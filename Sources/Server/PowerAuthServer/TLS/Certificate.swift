// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation
import GRDB
import PowerAuthProtocol

/// An X.509 certificate for a P-256 key (RFC 5280), as far as a lab needs one.
///
/// Written with OpenSSL, which the protocol uses anyway; swift-certificates would bring a second cryptographic library
/// into the server.
struct Certificate: Sendable {
    enum Issuer {
        case itself
        /// - Parameter certificate: PEM.
        case authority(certificate: String, key: PrivateKey)
    }

    struct Request {
        var commonName: String
        var notBefore: ServerTime
        var notAfter: ServerTime
        var isAuthority = false
        var hostNames: [String] = []
        /// As text, for example `127.0.0.1`.
        var addresses: [String] = []

        /// The extensions by their names in OpenSSL's configuration files, with values in the form that is used there.
        fileprivate var extensions: [(identifier: Int32, value: String)] {
            guard !isAuthority else {
                return [
                    (NID_basic_constraints, "critical,CA:TRUE"), (NID_subject_key_identifier, "hash"),
                    (NID_authority_key_identifier, "keyid"),
                ]
            }
            let names = hostNames.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
            return [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid"), (NID_subject_alt_name, names.joined(separator: ",")),
                // For servers, and for the clients that tests make of them.
                (NID_ext_key_usage, "serverAuth,clientAuth"),
            ]
        }
    }

    let der: Data

    /// Makes and signs a certificate.
    /// - Throws: `ProtocolError/cryptographicFailure` for lack of entropy or memory, and for an issuer whose
    ///   certificate cannot be read.
    init(_ request: Request, for key: PrivateKey, issuer: Issuer) throws {
        let certificate = try X509Owner()
        let issuerCertificate: X509Owner
        let issuerKey: PrivateKey
        switch issuer {
        case .itself: (issuerCertificate, issuerKey) = (certificate, key)
        case .authority(let text, let key): (issuerCertificate, issuerKey) = (try X509Owner(pem: text), key)
        }
        try certificate.describe(request)
        try key.withEVPKey { try Self.require(X509_set_pubkey(certificate.pointer, $0), "X509_set_pubkey") }
        try Self.require(
            X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuerCertificate.pointer)),
            "X509_set_issuer_name")
        for (identifier, value) in request.extensions {
            try certificate.add(identifier, value, issuer: issuerCertificate)
        }
        let signatureSize = issuerKey.withEVPKey { X509_sign(certificate.pointer, $0, EVP_sha256()) }
        try Self.require(signatureSize > 0 ? 1 : 0, "X509_sign")
        der = try PEM.der { i2d_X509(certificate.pointer, $0) }
    }

    /// The textual form of PEM files.
    var pem: String { PEM.text("CERTIFICATE", der) }

    fileprivate static func require(_ result: Int32, _ operation: String) throws {
        guard result == 1 else {
            ERR_clear_error()
            throw ProtocolError.cryptographicFailure(operation)
        }
    }
}

/// Owner of one `X509`. Thread rule: the thread that makes the certificate only.
private final class X509Owner {
    let pointer: OpaquePointer

    init() throws {
        guard let pointer = X509_new() else { throw ProtocolError.cryptographicFailure("X509_new") }
        self.pointer = pointer
    }

    init(pem text: String) throws {
        let armour = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let pointer = Data(base64Encoded: armour)?.withUnsafeBytes { der in
            var position = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return d2i_X509(nil, &position, der.count)
        }
        guard let pointer else {
            ERR_clear_error()
            throw ProtocolError.cryptographicFailure("reading the authority's certificate")
        }
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    /// Writes everything but key, issuer, extensions and signature.
    func describe(_ request: Certificate.Request) throws {
        try Certificate.require(X509_set_version(pointer, Int(X509_VERSION_3)), "X509_set_version")
        // The first byte keeps the number positive and of the same length always.
        let serial = Data([0x40]) + Random.bytes(15)
        let number = serial.withUnsafeBytes {
            BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count), nil)
        }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil,
            ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(request.notBefore.seconds)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(request.notAfter.seconds)) != nil
        else { throw ProtocolError.cryptographicFailure("a certificate's number or validity") }
        try Certificate.require(
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), "CN", MBSTRING_UTF8, Array(request.commonName.utf8),
                Int32(request.commonName.utf8.count), -1, 0), "X509_NAME_add_entry_by_txt")
    }

    /// Adds an extension from the text that OpenSSL's configuration files have for it.
    func add(_ identifier: Int32, _ value: String, issuer: X509Owner) throws {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, pointer, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            ERR_clear_error()
            throw ProtocolError.cryptographicFailure("a certificate's extension \(value)")
        }
        defer { X509_EXTENSION_free(made) }
        try Certificate.require(X509_add_ext(pointer, made, -1), "X509_add_ext")
    }
}

/// The text armour of keys and certificates (RFC 7468).
enum PEM {
    static func text(_ label: String, _ der: Data) -> String {
        let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    /// A P-256 private key in the form of RFC 5915.
    /// - Throws: `ProtocolError/cryptographicFailure` for lack of memory.
    static func text(_ key: PrivateKey) throws -> String {
        text("EC PRIVATE KEY", try key.withEVPKey { key in try der { i2d_PrivateKey(key, $0) } })
    }

    /// The output of one of OpenSSL's `i2d` functions: without a buffer it returns the size, with one it fills it and
    /// advances the pointer.
    fileprivate static func der(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) throws -> Data
    {
        let size = write(nil)
        guard size > 0 else {
            ERR_clear_error()
            throw ProtocolError.cryptographicFailure("writing DER")
        }
        var data = Data(count: Int(size))
        data.withUnsafeMutableBytes { buffer in
            var position = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = write(&position)
        }
        return data
    }
}

/// The libraries of the system that the server runs on.
public enum ServerLibraries {
    /// The versions that are loaded, by the libraries' names.
    ///
    /// - Throws: when no database can be opened in memory.
    public static func versions() throws -> [String: String] {
        let sqlite = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
        let openSSL = [OPENSSL_version_major(), OPENSSL_version_minor(), OPENSSL_version_patch()]
        return ["OpenSSL": openSSL.map(String.init).joined(separator: "."), "SQLite": sqlite ?? "unknown"]
    }
}
