// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// An elliptic curve of NIST, with what keys on it need from OpenSSL.
///
/// Thread rule: the two curves are complete before they are shared and never changed.
// Unchecked: the pointers are constants, never freed, and what they point to is only read; see the thread rule.
final class Curve: @unchecked Sendable {
    /// P-256, whose signatures hash with SHA-256 (protocol versions 3.x).
    static let p256 = Curve(
        name: "P-256", coordinateSize: 32, digest: OpenSSL.sha256,
        order: [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ])
    /// P-384, whose signatures hash with SHA-384 (protocol version 4.0).
    static let p384 = Curve(
        name: "P-384", coordinateSize: 48, digest: OpenSSL.sha384,
        order: [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF,
            0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ])

    let name: StaticString
    /// Bytes of a coordinate, of a scalar, and of the hash that is signed.
    let coordinateSize: Int
    /// The order of the base point, most significant byte first.
    let order: [UInt8]
    let group: OpaquePointer
    /// A key that carries the domain parameters only. Copying them is much cheaper than building the group by name for
    /// every key.
    let parameters: OpaquePointer
    private let digest: OpaquePointer

    private init(name: StaticString, coordinateSize: Int, digest: OpaquePointer, order: [UInt8]) {
        self.name = name
        self.coordinateSize = coordinateSize
        self.digest = digest
        self.order = order
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        OpenSSL.must(EVP_PKEY_paramgen_init(context), "EVP_PKEY_paramgen_init")
        OpenSSL.must(EVP_PKEY_CTX_set_group_name(context, cString(name)), "EVP_PKEY_CTX_set_group_name")
        OpenSSL.must(EVP_PKEY_paramgen(context, &key), "EVP_PKEY_paramgen")
        parameters = OpenSSL.fetched(key, name)
        group = OpenSSL.fetched(EC_GROUP_new_by_curve_name(EC_curve_nist2nid(cString(name))), name)
    }

    /// Bytes of an uncompressed point.
    var pointSize: Int { 1 + 2 * coordinateSize }

    /// The hash that ECDSA signs, as many bytes as a coordinate.
    func hash(_ message: Data) -> Data {
        var output = Data(count: coordinateSize)
        output.withUnsafeMutableBytes { output in
            let target = output.octets
            message.withUnsafeBytes {
                OpenSSL.must(EVP_Digest($0.baseAddress, $0.count, target, nil, digest, nil), "EVP_Digest")
            }
        }
        return output
    }

    /// The digits of a scalar without leading zero bytes, for the time of the call; nil unless 1 ≤ scalar < order.
    func digits(of scalar: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let first = scalar.firstIndex { $0 != 0 } ?? scalar.endIndex
        let digits = UnsafeRawBufferPointer(rebasing: scalar[first...])
        guard !digits.isEmpty, digits.count <= coordinateSize,
            digits.count < coordinateSize || digits.lexicographicallyPrecedes(order)
        else { return nil }
        return digits
    }
}
