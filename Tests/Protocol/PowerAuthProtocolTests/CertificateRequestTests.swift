// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// protocol.md, section 10.1. Every request is read by OpenSSL, which has no part in writing it.
@Suite("Certificate requests", .endsInTime)
struct CertificateRequestTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate() }

    /// A request as OpenSSL reads it.
    private struct ReadRequest {
        /// Whether its signature is by the key that it is about.
        let isAuthentic: Bool
        let commonName: String?
        /// All of it, printed.
        let text: String

        init?(_ encoded: Data) {
            let request = encoded.withUnsafeBytes { bytes -> OpaquePointer? in
                var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return d2i_X509_REQ(nil, &cursor, bytes.count)
            }
            guard let request, let output = BIO_new(BIO_s_mem()) else { return nil }
            defer {
                X509_REQ_free(request)
                BIO_free(output)
            }
            isAuthentic = X509_REQ_verify(request, X509_REQ_get0_pubkey(request)) == 1
            var name = [CChar](repeating: 0, count: 512)
            let length = X509_NAME_get_text_by_NID(
                X509_REQ_get_subject_name(request), NID_commonName, &name, Int32(name.count))
            let bytes = name.prefix(Int(max(length, 0))).map { UInt8(bitPattern: $0) }
            commonName = length < 0 ? nil : String(decoding: bytes, as: UTF8.self)
            X509_REQ_print(output, request)
            var printed = Data(count: 1 << 20)
            let count = printed.withUnsafeMutableBytes { BIO_read(output, $0.baseAddress, Int32($0.count)) }
            text = String(decoding: printed.prefix(Int(max(count, 0))), as: UTF8.self)
        }
    }

    private func read(_ names: [String: String], _ others: [String] = []) throws -> ReadRequest {
        let request = try CertificateRequest(distinguishedNames: names, subjectAltNames: others).signed(by: key)
        #expect(request.range(of: key.publicKey.uncompressed) != nil, "it has the public key")
        return try #require(ReadRequest(request), "OpenSSL cannot read it")
    }

    @Test func `OpenSSL reads every name as it was given, and finds the signature of the key`() throws {
        let request = try read(
            ["CN": "Žofie Nováková", "c": "CZ", "O": "Bank, a. s.", "emailAddress": "eva@example.com"],
            [
                "DNS:*.example.com", "example.org", "IP:192.0.2.1", "2001:db8::1", "email:eva@example.com",
                "adam@example.com", "URI:urn:uuid:1", "https://example.com/x",
            ])
        #expect(request.isAuthentic && request.commonName == "Žofie Nováková")
        for part in [
            "C = CZ, O = ", "Bank, a. s.", "emailAddress = eva@example.com", "DNS:*.example.com, DNS:example.org",
            "IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1", "email:eva@example.com, email:adam@example.com",
            "URI:urn:uuid:1, URI:https://example.com/x", "ecdsa-with-SHA256", "prime256v1",
        ] {
            // Versions of OpenSSL put spaces around the equals signs or not.
            let found = request.text.replacing(" = ", with: "=").contains(part.replacing(" = ", with: "="))
            #expect(found, "\(part) is not in \(request.text)")
        }
        #expect(!request.text.contains("critical"))
    }

    @Test func `A request for a key of protocol 4 is signed by that key`() throws {
        let key = try P384PrivateKey.generate()
        let encoded = try CertificateRequest(distinguishedNames: ["CN": "Eva"]).signed(by: key)
        let request = try #require(ReadRequest(encoded), "OpenSSL cannot read it")
        #expect(request.isAuthentic && request.commonName == "Eva")
        for part in ["ecdsa-with-SHA384", "secp384r1"] {
            #expect(request.text.contains(part), "\(part) is not in \(request.text)")
        }
        #expect(encoded.range(of: key.publicKey.uncompressed) != nil, "it has the public key")
    }

    @Test func `A subject without a name has others, which a reader must not ignore`() throws {
        let request = try read([:], ["example.org"])
        #expect(request.isAuthentic && request.commonName == nil)
        #expect(request.text.contains("Subject Alternative Name: critical") && request.text.contains("DNS:example.org"))
        #expect(try read(["CN": "a"]).isAuthentic, "a request without other names has no attribute")
    }

    @Test func `A request of any size is read: lengths of one, two and three bytes`() throws {
        for count in [1, 10, 100, 5000] {
            let request = try read([:], (0..<count).map { "host-\($0).example.com" })
            #expect(request.isAuthentic && request.text.contains("DNS:host-\(count - 1).example.com"), "\(count) names")
        }
    }

    @Test(arguments: CertificateRequest.subjectParts)
    func `Each part of a subject has its length, counted in characters`(part: String) throws {
        func isAccepted(_ count: Int, _ character: String = "a") -> Bool {
            let value = String(repeating: character, count: count)
            return (try? CertificateRequest(distinguishedNames: [part: value])) != nil
        }
        let accepted = (0...300).filter { isAccepted($0) }
        let longest = try #require(accepted.last)
        let limits = [
            "C": 2, "DC": 63, "ST": 128, "L": 128, "STREET": 128, "UID": 256, "emailAddress": 255,
        ]
        #expect(longest == limits[part] ?? 64)
        #expect(accepted == Array((part == "C" ? 2 : 1)...longest))
        // What is no text of UTF-8 in a certificate is of ASCII.
        let isASCII = ["C", "DC", "serialNumber", "emailAddress"].contains(part)
        #expect(isAccepted(longest, "á") == !isASCII && !isAccepted(longest + 1, "á"))
        #expect(try read([part: String(repeating: "a", count: longest)]).isAuthentic)
        #expect(!isAccepted(longest, "\u{7}"), "a control character")
    }

    @Test(
        arguments: [
            ([:], []), (["X": "1"], []), (["CN": "a\u{0}b"], []), (["CN": "a", "cn": "b"], []),
            (["serialNumber": "a_b"], []), ([:], ["žluť.cz"]), ([:], ["IP:1"]), ([:], ["IP:example.com"]), ([:], [""]),
            ([:], ["DNS:-a"]), ([:], ["a-"]), ([:], ["a..b"]), ([:], ["a_b"]), ([:], ["*"]), ([:], ["a.*.b"]),
            ([:], ["email:eva"]), ([:], ["@example.com"]), ([:], ["a@b@c"]), ([:], ["URI:/path"]), ([:], ["URI:a b:c"]),
        ] as [([String: String], [String])])
    func `What no certificate can have is refused, with the name that is wrong`(
        names: [String: String], others: [String]
    ) throws {
        let error = #expect(throws: ProtocolError.self) {
            try CertificateRequest(distinguishedNames: names, subjectAltNames: others)
        }
        let text = try #require(error).description
        #expect(text.contains("subject") || text.contains("distinguished name"), "\(text)")
    }

    @Test(arguments: [(62, true), (63, true), (64, false)])
    func `A label of a host has at most 63 characters, and a host 253`(count: Int, isUsable: Bool) throws {
        func isAccepted(_ host: String) -> Bool {
            (try? CertificateRequest(distinguishedNames: [:], subjectAltNames: [host])) != nil
        }
        #expect(isAccepted(String(repeating: "a", count: count) + ".cz") == isUsable)
        // Three labels of 63 characters and their dots are 192; the last one fills up.
        let long = String(repeating: String(repeating: "a", count: 63) + ".", count: 3)
        #expect(isAccepted(long + String(repeating: "b", count: count - 2)) == isUsable, "\(count + 190) characters")
    }

    @Test func `A request as text is PEM: lines of at most 64 characters between its two borders`() throws {
        let encoded = try CertificateRequest(distinguishedNames: ["CN": "Eva"]).signed(by: key)
        let lines = CertificateRequest.pem(encoded).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN CERTIFICATE REQUEST-----")
        #expect(lines.suffix(2) == ["-----END CERTIFICATE REQUEST-----", ""])
        let body = lines.dropFirst().dropLast(2)
        #expect(body.dropLast().allSatisfy { $0.utf8.count == 64 } && (1...64).contains(body.last?.utf8.count ?? 0))
        #expect(Data(base64Encoded: body.joined()) == encoded)
    }
}
