// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("MobileSdkConfiguration", .endsInTime)
struct ConfigurationTests {
    private func configuration(key: Data) throws -> MobileSdkConfiguration {
        try MobileSdkConfiguration(
            applicationKey: counting(16, from: 0), applicationSecret: counting(16, from: 16),
            masterServerPublicKey: key)
    }

    @Test func `What is written is read again`() throws {
        let key = try LabExample.masterKey().publicKey
        for bytes in [key.compressed, key.uncompressed] {
            let original = try configuration(key: bytes)
            let read = try MobileSdkConfiguration(original.string)
            #expect(read == original)
            #expect(read.applicationKeyText == LabExample.applicationKeyText)
            #expect(read.applicationSecretText == LabExample.applicationSecretText)
            #expect(read.masterServerPublicKeyText == bytes.base64)
            #expect(try read.masterServerKey() == key)
            #expect(!"\(read)".contains(read.applicationSecretText))
        }
    }

    @Test func `Truncation at every byte is refused`() throws {
        let data = try configuration(key: LabExample.masterKey().publicKey.uncompressed).string.base64Decoded
        #expect(data.count == 103)
        for count in 0..<data.count {
            #expect(throws: ProtocolError.self, "\(count) bytes") {
                try MobileSdkConfiguration(data.prefix(count).base64)
            }
        }
        #expect(throws: Never.self) { try MobileSdkConfiguration((data + [1, 2, 3]).base64) }
    }

    @Test func `Unknown keys are skipped by the client only`() throws {
        let head = Data([1, 16]) + counting(16, from: 0) + [16] + counting(16, from: 16)
        let known = Data([1, 3, 7, 8, 9])
        let unknown = Data([9, 2, 1, 1])
        let both = (head + [2] + unknown + known).base64
        #expect(try MobileSdkConfiguration(both).masterServerPublicKey == Data([7, 8, 9]))
        #expect(throws: ProtocolError.self) { try MobileSdkConfiguration(both, reader: .server) }
        let twice = (head + [2] + known + [1, 1, 5]).base64
        #expect(try MobileSdkConfiguration(twice).masterServerPublicKey == Data([5]))
        #expect(throws: ProtocolError.self) { try MobileSdkConfiguration(twice, reader: .server) }
        for broken in [head + [1] + unknown, head + [0], head + [1, 1, 0]] {
            #expect(throws: ProtocolError.missing(field: "masterServerPublicKey")) {
                try MobileSdkConfiguration(broken.base64)
            }
        }
    }

    @Test func `Wrong parts are refused`() throws {
        let tail = Data([1, 1, 3, 7, 8, 9])
        let wrongVersion = Data([2, 16]) + Data(count: 16) + [16] + Data(count: 16) + tail
        #expect(throws: ProtocolError.self) { try MobileSdkConfiguration(wrongVersion.base64) }
        for (key, secret) in [(15, 16), (17, 16), (16, 15), (16, 17), (0, 16)] {
            let data = Data([1, UInt8(key)]) + Data(count: key) + [UInt8(secret)] + Data(count: secret) + tail
            #expect(throws: ProtocolError.self, "\(key), \(secret)") { try MobileSdkConfiguration(data.base64) }
        }
        for text in ["", "x", "A=", "AQ==", " "] {
            #expect(throws: ProtocolError.self, "\(text)") { try MobileSdkConfiguration(text) }
        }
        #expect(throws: ProtocolError.missing(field: "masterServerPublicKey")) { try configuration(key: Data()) }
        #expect(throws: ProtocolError.invalidKey("masterServerPublicKey")) {
            try configuration(key: Data([7])).masterServerKey()
        }
    }

    @Test func `Each of the three values is named when it is wrong`() {
        func error(_ key: String, _ secret: String, _ master: String) -> ProtocolError? {
            refusal {
                _ = try MobileSdkConfiguration(
                    applicationKeyText: key, applicationSecretText: secret, masterServerPublicKeyText: master)
            }
        }
        let (key, secret) = (LabExample.applicationKeyText, LabExample.applicationSecretText)
        #expect(error(key, secret, "AAAA") == nil)
        #expect(error("?", secret, "AAAA") == .invalidEncoding(field: "applicationKey"))
        #expect(error(key, "?", "AAAA") == .invalidEncoding(field: "applicationSecret"))
        #expect(error(key, secret, "?") == .invalidEncoding(field: "masterServerPublicKey"))
        #expect(error(key, secret, "") == .missing(field: "masterServerPublicKey"))
        for count in [0, 15, 17] {
            let text = Data(count: count).base64
            #expect(
                error(text, secret, "AAAA")
                    == .invalidLength(field: "applicationKey", expected: "16 bytes", actual: count))
            #expect(
                error(key, text, "AAAA")
                    == .invalidLength(field: "applicationSecret", expected: "16 bytes", actual: count))
        }
    }

    @Test func `A wrong string states its first mistake, and a key of any size is written`() throws {
        let head = Data([1, 16]) + counting(16, from: 0) + Data([16]) + counting(16, from: 16)
        func reason(_ data: Data, _ reader: MobileSdkConfiguration.Reader = .client) -> String? {
            do {
                _ = try MobileSdkConfiguration(data.base64, reader: reader)
                return nil
            } catch ProtocolError.invalidFormat(field: "configuration", reason: let reason) {
                return reason
            } catch {
                return "\(error)"
            }
        }
        let key = Data([1, 1, 3, 7, 8, 9])
        #expect(reason(head + key) == nil && reason(head + key, .server) == nil)
        #expect(reason(Data([0]) + head.dropFirst() + key) == "its version is not 1")
        #expect(reason(head) == "it ends too early" && reason(head + key.dropLast()) == "it ends too early")
        #expect(reason(head + Data([0]), .server) == "it must hold exactly one key")
        #expect(reason(head + Data([2]) + key.dropFirst() + key.dropFirst(), .server) == "it must hold exactly one key")
        #expect(reason(head + Data([1, 2, 3, 7, 8, 9]), .server) == "it holds a key of unknown kind")
        for count in [1, 127, 128, 16_383, 16_384] {
            let long = try configuration(key: Data(count: count))
            #expect(try MobileSdkConfiguration(long.string) == long, "\(count)")
        }
    }
}
