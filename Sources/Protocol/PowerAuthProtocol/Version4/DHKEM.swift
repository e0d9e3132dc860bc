// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// The key agreement of the curve: HPKE in base mode with DHKEM(P-384, HKDF-SHA384), HKDF-SHA384 and the AEAD "export
/// only" (RFC 9180; protocol-4.md, section 3). Its result is an export of 48 bytes, not the secret of the KEM.
enum DHKEM {
    /// What the sender gets.
    struct Encapsulation {
        /// The sender's ephemeral point, 97 bytes.
        let encapsulated: Data
        /// The exported secret, 48 bytes.
        let secret: SecretBytes
    }

    /// The sender's side, with a fresh ephemeral key.
    static func encapsulate(to recipient: P384PublicKey) throws -> Encapsulation {
        let ephemeral = try P384PrivateKey.generate()
        let encapsulated = ephemeral.publicKey.uncompressed
        return Encapsulation(
            encapsulated: encapsulated,
            secret: export(
                try ephemeral.sharedSecret(with: recipient), encapsulated: encapsulated,
                recipient: recipient.uncompressed))
    }

    /// The recipient's side.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for anything but a point of 97 bytes.
    static func decapsulate(_ encapsulated: Data, by key: P384PrivateKey) throws -> SecretBytes {
        let sender = try P384PublicKey(encoded: encapsulated, field: "encapsulatedKeys[0]")
        return export(
            try key.sharedSecret(with: sender), encapsulated: sender.uncompressed,
            recipient: key.publicKey.uncompressed)
    }

    /// From the ECDH secret to the export: `ExtractAndExpand`, the key schedule, `Export`.
    private static func export(_ secret: SecretBytes, encapsulated: Data, recipient: Data) -> SecretBytes {
        let kem = HKDF(suite: "KEM".utf8 + [0x00, 0x11])
        let hpke = HKDF(suite: "HPKE".utf8 + [0x00, 0x11, 0x00, 0x02, 0xFF, 0xFF])
        let context = Data("DHKEM-P384".utf8)
        let common = kem.expand(
            kem.extract(salt: nil, label: "eae_prk", secret), label: "shared_secret", info: encapsulated + recipient)
        // Mode 0: no pre-shared key, whose identifier and value are empty.
        let nothing = SecretBytes(Data())
        let schedule =
            Data([0]) + hpke.extract(salt: nil, label: "psk_id_hash", nothing).rawData
            + hpke.extract(salt: nil, label: "info_hash", SecretBytes(context)).rawData
        let exporter = hpke.expand(
            hpke.extract(salt: common, label: "secret", nothing), label: "exp", info: schedule)
        return hpke.expand(exporter, label: "sec", info: context)
    }

    /// `LabeledExtract` and `LabeledExpand` of a suite. Every output has 48 bytes, which is one block of the expansion.
    private struct HKDF {
        let suite: [UInt8]

        init(suite: [UInt8]) { self.suite = suite }

        private static let version = Array("HPKE-v1".utf8)
        private static let size = 48

        /// - Parameter salt: nil for the empty salt, which is the same key as a block of zeros.
        func extract(salt: SecretBytes?, label: String, _ input: SecretBytes) -> SecretBytes {
            let prefix = Self.version + suite + Array(label.utf8)
            return hmac(key: salt ?? SecretBytes(Data(count: Self.size)), prefix, input, [])
        }

        func expand(_ key: SecretBytes, label: String, info: Data) -> SecretBytes {
            // The length of the output, and the number of the only block.
            let prefix = [0, UInt8(Self.size)] + Self.version + suite + Array(label.utf8)
            return hmac(key: key, prefix, SecretBytes(info), [1])
        }

        private func hmac(key: SecretBytes, _ prefix: [UInt8], _ secret: SecretBytes, _ suffix: [UInt8]) -> SecretBytes
        {
            SecretBytes(count: Self.size) { output in
                let count = prefix.count + secret.count + suffix.count
                withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { message in
                    defer { OPENSSL_cleanse(message.baseAddress, message.count) }
                    message.copyBytes(from: prefix)
                    secret.withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: message[prefix.count...]).copyMemory(from: $0)
                    }
                    UnsafeMutableRawBufferPointer(rebasing: message[(prefix.count + secret.count)...])
                        .copyBytes(from: suffix)
                    key.withUnsafeBytes { HMACSHA384.code(key: $0, UnsafeRawBufferPointer(message), into: output) }
                }
            }
        }
    }
}
