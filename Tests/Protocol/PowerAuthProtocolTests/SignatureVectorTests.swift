// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Public vectors: symmetric signatures", .endsInTime, Vectors.condition)
struct SignatureVectorTests {
    @Test(arguments: [("signatures-v31", ProtocolVersion.v3_1), ("signatures-v3", .v3_0)])
    func `Online signatures have their known values`(file: String, version: ProtocolVersion) throws {
        let records = try Vectors.texts(file)
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            try check(input, expected: output.text("signature"), form: .online(version), index: index)
        }
    }

    @Test func `Offline signatures have their known values`() throws {
        let records = try Vectors.texts("signatures-offline")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let length = try #require(Int(input.text("signatureComponentLength")))
            try check(input, expected: output.text("signature"), form: .decimal(length: length), index: index)
        }
    }

    /// The signature, its acceptance by the server, and twins with one bit changed in each input.
    private func check(_ input: [String: String], expected: String, form: SignatureForm, index: Int) throws {
        let type = try #require(SignatureType(rawValue: input.text("signatureType")))
        let counterBytes = try input.bytes("counterData")
        let data = try input.bytes("data")

        func keys(flipping name: String? = nil) throws -> SignatureKeys {
            func bytes(_ key: String) throws -> Data {
                let bytes = try input.bytes(key)
                return key == name ? bytes.flippingBit(index) : bytes
            }
            let all = try SignatureKeys(
                possession: PossessionKey(bytes("signaturePossessionKey")),
                knowledge: KnowledgeKey(bytes("signatureKnowledgeKey")),
                biometry: BiometryKey(bytes("signatureBiometryKey")))
            return SignatureKeys(
                possession: type.factors.contains(.possession) ? all.possession : nil,
                knowledge: type.factors.contains(.knowledge) ? all.knowledge : nil,
                biometry: type.factors.contains(.biometry) ? all.biometry : nil)
        }
        func signature(_ keys: SignatureKeys, _ counter: Data, _ data: Data) throws -> String {
            try form.format(SymmetricSignature.components(keys: keys, counter: CounterData(counter), data: data))
        }

        #expect(try signature(keys(), counterBytes, data) == expected, "record \(index)")
        let counter = try CounterData(counterBytes)
        let candidates = [ServerSignatureVerification.Candidate(keys: try keys(), data: data)]
        let match = try ServerSignatureVerification.match(
            signature: expected, form: form, candidates: candidates, counter: counter, lookAhead: 1)
        #expect(match?.distance == 0)
        #expect(match?.nextCounter == counter.next())
        let twin = String(decoding: expected.utf8Data.flippingBit(index), as: UTF8.self)
        #expect(
            try ServerSignatureVerification.match(
                signature: twin, form: form, candidates: candidates, counter: counter, lookAhead: 1) == nil)

        #expect(try signature(keys(), counterBytes.flippingBit(index), data) != expected, "record \(index)")
        #expect(try signature(keys(), counterBytes, data.flippingBit(index)) != expected, "record \(index)")
        for (factor, name) in [
            (SignatureFactors.possession, "signaturePossessionKey"), (.knowledge, "signatureKnowledgeKey"),
            (.biometry, "signatureBiometryKey"),
        ] where type.factors.contains(factor) {
            #expect(try signature(keys(flipping: name), counterBytes, data) != expected, "record \(index), \(name)")
        }
    }
}
