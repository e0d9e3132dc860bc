// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Right requests with one byte changed anywhere, chosen by a seed.
@Suite("Changed bytes in device requests", .ends(withinSeconds: 600))
struct DeviceMutationTests {
    private static let seed: UInt64 = 0x5EED_0F_DE71CE
    /// Envelopes of 3.1 have no timestamp, so that one and the same can be sent again and again; those of 3.3 are
    /// made anew each time, because the second arrival would be refused as a replay and for nothing else.
    private static let counts: [(version: ProtocolVersion, count: Int)] = [(.v3_1, 140), (.v3_3, 60)]

    @Test(arguments: counts) func `One changed byte is never an accident and never accepted where it matters`(
        version: ProtocolVersion, count: Int
    ) async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, version) { rig in
            let call = rig.call
            var generator = SeededGenerator(seed: Self.seed ^ UInt64(call.rawValue.count) ^ UInt64(count))
            let isReusable = version == .v3_1 && ![.token, .tokenAndSealed].contains(call.form)
            var counter = rig.device.counter
            var right = try await rig.request()
            for _ in 0..<count {
                if !isReusable {
                    rig.device.counter = counter
                    right = try await rig.request()
                }
                let (changed, what) = Self.change(right, &generator)
                let answer = try await changed.send(rig.client)
                guard answer.status == 200 else {
                    Self.expectDocumented(answer, call, what)
                    continue
                }
                #expect(Self.isEquivalent(changed, right, call, version), "accepted: \(what)")
                // The request was used up; what follows would be refused for that.
                rig = try await DeviceRig(rig.client, call, version)
                counter = rig.device.counter
                right = try await rig.request()
            }
            // The refusals were for the changes, not for what they left behind.
            if !isReusable {
                rig.device.counter = counter
                right = try await rig.request()
            }
            try await right.expectAccepted(rig.client)
        }
    }

    /// Changes one byte of a header's value or of the body, each as likely as it is long.
    static func change(
        _ request: WireRequest, _ generator: inout SeededGenerator
    ) -> (request: WireRequest, what: String) {
        var changed = request
        var place = Int.random(
            in: 0..<(request.headers.reduce(request.body.count) { $0 + $1.value.utf8.count }), using: &generator)
        for (index, header) in request.headers.enumerated() {
            guard place >= header.value.utf8.count else {
                var bytes = Array(header.value.utf8)
                // Other bytes do not get through HTTP; the live tests send those.
                bytes[place] = other(than: bytes[place], in: 0x20...0x7E, &generator)
                changed.headers[index].value = String(decoding: bytes, as: UTF8.self)
                return (changed, "\(header.name): \(changed.headers[index].value)")
            }
            place -= header.value.utf8.count
        }
        changed.body[place] = other(than: request.body[place], in: 0...0xFF, &generator)
        return (changed, "byte \(place) of \(String(decoding: request.body, as: UTF8.self)) is \(changed.body[place])")
    }

    private static func other(
        than byte: UInt8, in range: ClosedRange<UInt8>, _ generator: inout SeededGenerator
    ) -> UInt8 {
        while true {
            let candidate = UInt8.random(in: range, using: &generator)
            if candidate != byte { return candidate }
        }
    }

    private static func expectDocumented(_ answer: Answer, _ call: DeviceCall, _ what: String) {
        let isDocumented = call.documented.contains {
            let failure = $0.response(on: .device)
            return failure.status == answer.status && failure.body == answer.body
        }
        #expect(isDocumented, "\(what) answered \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }

    /// The protected part of an envelope; nil without an envelope.
    private static func envelope(_ request: WireRequest, _ version: ProtocolVersion) -> EciesRequest? {
        var envelope = try? JSONDecoder().decode(EciesRequest.self, from: request.body)
        // The MAC covers the nonce from 3.2 on (protocol.md, section 7.2). Before, another nonce makes another plain
        // text, whose padding is right once in 256 times; if its content is not read, the request is accepted.
        if version < .v3_2 { envelope?.nonce = Data() }
        return envelope
    }

    /// Whether both requests say the same, or differ only in what nothing protects.
    private static func isEquivalent(
        _ changed: WireRequest, _ right: WireRequest, _ call: DeviceCall, _ version: ProtocolVersion
    ) -> Bool {
        // Nothing protects the body of a status request.
        if call == .activationStatus || call == .serverStatus { return true }
        // Base64 has bits that are not read, so that one envelope has several spellings.
        let isSameBody =
            changed.body == right.body
            || ([.sealed(.application), .sealed(.activation), .tokenAndSealed, .signedThenSealed].contains(call.form)
                && envelope(changed, version) != nil
                && envelope(changed, version) == envelope(right, version))
        guard isSameBody else { return false }
        return zip(changed.headers, right.headers).allSatisfy { changed, right in
            switch changed.name {
            case SignatureHeader.name:
                guard let a = try? SignatureHeader(parsing: changed.value),
                    let b = try? SignatureHeader(parsing: right.value)
                else { return false }
                // Signatures of 3.1 and later are computed alike; the version is covered by the envelope, if any.
                let isSameVersion = a.version == b.version || (call.form == .signed && a.version >= .v3_1)
                return isSameVersion && a.activationId == b.activationId && a.applicationKey == b.applicationKey
                    && a.nonce == b.nonce && a.signatureType == b.signatureType
                    && StrictBase64.decode(a.signature) == StrictBase64.decode(b.signature)
            case TokenHeader.name:
                guard let a = try? TokenHeader(parsing: changed.value),
                    let b = try? TokenHeader(parsing: right.value)
                else { return false }
                // Digests before 3.2 do not cover the version.
                let isSameVersion = a.version == b.version || (version < .v3_2 && a.version < .v3_2)
                return isSameVersion && a.tokenId == b.tokenId && a.tokenDigest == b.tokenDigest
                    && a.nonce == b.nonce && a.timestampText == b.timestampText
            default:
                guard let a = try? EncryptionHeader(parsing: changed.value, scope: .activation),
                    let b = try? EncryptionHeader(parsing: right.value, scope: .activation)
                else {
                    return (try? EncryptionHeader(parsing: changed.value, scope: .application))
                        == (try? EncryptionHeader(parsing: right.value, scope: .application))
                }
                return a == b
            }
        }
    }
}
