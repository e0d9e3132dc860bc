// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Symmetric signatures", .endsInTime)
struct SignatureTests {
    let keys = DerivedKeys(masterSecret: .random())
    let counter = CounterData.random()
    let data = "data".utf8Data

    @Test func `Empty bodies leave an empty field`() {
        let data = SymmetricSignature.normalize(
            method: "post", uriId: "/pa/activation/remove", nonce: LabExample.nonceText, body: Data(),
            applicationSecretText: LabExample.applicationSecretText)
        let text = "POST&L3BhL2FjdGl2YXRpb24vcmVtb3Zl&ICEiIyQlJicoKSorLC0uLw==&&EBESExQVFhcYGRobHB0eHw=="
        #expect(String(decoding: data, as: UTF8.self) == text)
        #expect(SymmetricSignature.appendSecret("offline", to: "POST&&&".utf8Data) == "POST&&&&offline".utf8Data)
    }

    @Test(arguments: SignatureType.allCases, ProtocolVersion.allCases)
    func `The server accepts every factor combination`(type: SignatureType, version: ProtocolVersion) throws {
        let factors = SignatureKeys(keys, factors: type.factors)
        #expect(factors.factors == type.factors)
        #expect(SignatureType(type.factors) == type)
        for distance in [0, 1, 19] {
            let signature = try SymmetricSignature.online(
                version: version, keys: factors, counter: counter.advanced(by: distance), data: data)
            let match = try ServerSignatureVerification.match(
                signature: signature, version: version, keys: factors, data: data, counter: counter, lookAhead: 20)
            #expect(match?.distance == distance)
            #expect(match?.nextCounter == counter.advanced(by: distance + 1))
        }
        for distance in [20, 21] {
            let signature = try SymmetricSignature.online(
                version: version, keys: factors, counter: counter.advanced(by: distance), data: data)
            #expect(
                try ServerSignatureVerification.match(
                    signature: signature, version: version, keys: factors, data: data, counter: counter,
                    lookAhead: 20) == nil)
        }
    }

    @Test func `A wrong key or text never matches`() throws {
        let factors = SignatureKeys(keys, factors: [.possession, .knowledge])
        let wrong = SignatureKeys(possession: keys.possession, knowledge: .random())
        let signature = try SymmetricSignature.online(version: .v3_3, keys: wrong, counter: counter, data: data)
        for received in [signature, "", "12345678", String(repeating: "A", count: 100_000)] {
            #expect(
                try ServerSignatureVerification.match(
                    signature: received, version: .v3_3, keys: factors, data: data, counter: counter,
                    lookAhead: 20) == nil)
        }
        let right = try SymmetricSignature.online(version: .v3_3, keys: factors, counter: counter, data: data)
        for lookAhead in [0, -1] {
            #expect(
                try ServerSignatureVerification.match(
                    signature: right, version: .v3_3, keys: factors, data: data, counter: counter,
                    lookAhead: lookAhead) == nil)
        }
    }

    @Test func `Offline verification tries every candidate`() throws {
        let biometry = SignatureKeys(keys, factors: [.possession, .biometry])
        let signature = try SymmetricSignature.offline(
            keys: biometry, counter: counter.next(), uriId: "/operation/authorize/offline",
            nonce: LabExample.nonceText, body: "A2".utf8Data)
        let data = SymmetricSignature.normalize(
            method: "POST", uriId: "/operation/authorize/offline", nonce: LabExample.nonceText, body: "A2".utf8Data,
            applicationSecretText: SymmetricSignature.offlineSecretText)
        let candidates = [SignatureFactors([.possession, .knowledge]), [.possession, .biometry]].map {
            ServerSignatureVerification.Candidate(keys: SignatureKeys(keys, factors: $0), data: data)
        }
        let match = try ServerSignatureVerification.match(
            signature: signature, form: .decimal(length: 8), candidates: candidates, counter: counter, lookAhead: 20)
        #expect(match?.candidate == 1 && match?.distance == 1)
        #expect(
            try ServerSignatureVerification.match(
                signature: signature, form: .decimal(length: 8), candidates: [candidates[0]], counter: counter,
                lookAhead: 20) == nil)
    }

    @Test func `Offline parameters are checked`() throws {
        let possession = SignatureKeys(keys, factors: .possession)
        func sign(nonce: String = LabExample.nonceText, length: Int = 8) throws -> String {
            try SymmetricSignature.offline(
                keys: possession, counter: counter, uriId: "/x", nonce: nonce, body: Data(), length: length)
        }
        #expect(try sign(length: 4).count == 4)
        #expect(try sign().count == 8)
        for length in [3, 9, 0, -1] { #expect(throws: ProtocolError.self) { try sign(length: length) } }
        // 24 characters that hold 16, 17 and 18 bytes: only the first is a nonce.
        #expect(throws: Never.self) { try sign(nonce: Data(count: 16).base64) }
        for size in [17, 18] {
            #expect(throws: ProtocolError.invalidEncoding(field: "nonce")) { try sign(nonce: Data(count: size).base64) }
        }
        #expect(throws: ProtocolError.invalidEncoding(field: "nonce")) { try sign(nonce: "????????????????????????") }
        #expect(throws: ProtocolError.self) { try sign(nonce: Data(count: 15).base64) }
    }

    @Test func `Invalid factor combinations are refused`() {
        for factors in [SignatureFactors([]), [.knowledge, .biometry]] {
            #expect(!factors.isValid)
            #expect(throws: ProtocolError.self) {
                try SymmetricSignature.components(
                    keys: SignatureKeys(keys, factors: factors), counter: counter, data: data)
            }
        }
        #expect(!SignatureFactors(rawValue: 0x1001).isValid)
        #expect(SignatureType(header: "Possession_KNOWLEDGE") == .possessionKnowledge)
        #expect(SignatureType(header: "possession_transport") == nil)
    }

    @Test func `Components of thirty-two bytes are written by their ends, and no others are`() throws {
        let components = [counting(32, from: 0), counting(32, from: 100)]
        let halves = counting(16, from: 16) + counting(16, from: 116)
        #expect(try SignatureForm.base64.format(components) == halves.base64)
        let numbers: [UInt32] = [0x1C1D_1E1F, 0x8081_8283 & 0x7FFF_FFFF]
        let decimal = numbers.map { String(String(format: "%010u", $0).suffix(6)) }.joined(separator: "-")
        #expect(try SignatureForm.decimal(length: 6).format(components) == decimal)
        for (sizes, longest) in [([31], 31), ([32, 33], 33), ([0, 32], 32)] {
            let error = ProtocolError.invalidLength(field: "signature component", expected: "32 bytes", actual: longest)
            #expect(throws: error) { try SignatureForm.base64.format(sizes.map { Data(count: $0) }) }
        }
        #expect(throws: ProtocolError.invalidLength(field: "nonce", expected: "24 characters", actual: 20)) {
            try SymmetricSignature.validateNonce(Data(count: 15).base64)
        }
        #expect(SymmetricSignature.randomNonce().count == 24)
    }

    @Test func `Client requests need method and identifier`() {
        for method in ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH"] {
            #expect(throws: Never.self) { try SymmetricSignature.validateRequest(method: method, uriId: "/x") }
        }
        #expect(throws: ProtocolError.missing(field: "uriId")) {
            try SymmetricSignature.validateRequest(method: "GET", uriId: "")
        }
        for (method, uriId) in [("", "/x"), ("get", "/x"), ("TRACE", "/x"), ("GET", "")] {
            #expect(throws: ProtocolError.self) { try SymmetricSignature.validateRequest(method: method, uriId: uriId) }
        }
    }

    @Test func `Queries are made canonical`() throws {
        func canonical(_ parameters: [(String, String)]) -> String {
            String(decoding: SymmetricSignature.canonicalQuery(parameters), as: UTF8.self)
        }
        #expect(canonical([("b", "x y"), ("a", "1*2")]) == "a=1*2&b=x+y")
        #expect(
            canonical([
                ("zingly", "is da best"), ("420", "is equal to 10*42"), ("hello", "world"), ("hell0", "w0rld"),
            ]) == "420=is+equal+to+10*42&hell0=w0rld&hello=world&zingly=is+da+best")
        #expect(canonical([]).isEmpty)
        #expect(canonical([("a", "2"), ("a", "1"), ("a", "")]) == "a=&a=1&a=2")
        #expect(canonical([("~", "ěš&=")]) == "%7E=%C4%9B%C5%A1%26%3D")
        // Bytes, not UTF-16 units, decide the order above U+FFFF.
        #expect(canonical([("\u{1F600}", "2"), ("\u{FF5E}", "1")]) == "%EF%BD%9E=1&%F0%9F%98%80=2")

        func canonical(raw: String) throws -> String {
            String(decoding: try SymmetricSignature.canonicalQuery(rawQuery: raw), as: UTF8.self)
        }
        #expect(try canonical(raw: "b=x+y&a=1*2&dropped&") == "a=1*2&b=x+y")
        #expect(try canonical(raw: "v=%26%2B%25&w=a=b") == "v=%26%2B%25&w=a%3Db", "decoded exactly once")
        #expect(try canonical(raw: "") == "")
        #expect(try canonical(raw: "a=%c4%9b") == "a=%C4%9B")
        for raw in ["a=%", "a=%4", "a=%zz", "%=1"] {
            #expect(throws: ProtocolError.invalidEncoding(field: "query")) { try canonical(raw: raw) }
        }
    }
}
