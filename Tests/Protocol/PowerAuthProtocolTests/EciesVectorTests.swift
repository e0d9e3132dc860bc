// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Vectors: ECIES 3.3", .endsInTime, Vectors.condition)
struct EciesVectorTests {
    struct Input: Decodable {
        let serverPrivateKey: Data
        let serverPublicKey: Data
        let sharedInfo1: Data
        let sharedInfo2: Data
        let applicationKey: String
        let temporaryKeyId: String
        let activationId: String
        let requestPlain: Data
        let responsePlain: Data
    }

    struct Output: Decodable {
        struct Request: Decodable {
            let ephemeralPublicKey: Data
            let encryptedData: Data
            let mac: Data
            let nonce: Data
            let timestamp: UInt64
        }
        let associatedData: Data
        let request: Request
        let response: EciesResponse
        let encKey: Data
        let macKey: Data
        let ivKey: Data
    }

    @Test func `Requests and responses have their known values`() throws {
        let file: Vectors.File<Input, Output> = try Vectors.read("ecies-v33")
        #expect(!file.data.isEmpty)
        for (index, record) in file.data.enumerated() {
            let (input, output) = (record.input, record.output)
            let parameters = parameters(input)
            #expect(parameters.associatedData == output.associatedData, "record \(index)")
            let serverKey = try PrivateKey(bigEndian: input.serverPrivateKey)
            #expect(try serverKey.publicKey == PublicKey(encoded: input.serverPublicKey))
            let server = EciesServerDecryptor(
                parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: input.sharedInfo2)
            let request = EciesRequest(
                temporaryKeyId: input.temporaryKeyId, ephemeralPublicKey: output.request.ephemeralPublicKey,
                encryptedData: output.request.encryptedData, mac: output.request.mac, nonce: output.request.nonce,
                timestamp: output.request.timestamp)
            let envelope = try server.envelope(ephemeralPublicKey: request.ephemeralPublicKey)
            #expect(envelope.rawData == output.encKey + output.macKey + output.ivKey)

            let (plaintext, encryptor) = try server.decrypt(request)
            #expect(plaintext == input.requestPlain, "record \(index)")
            let response = try encryptor.encrypt(
                input.responsePlain, timestamp: output.response.timestamp, nonce: output.response.nonce ?? Data())
            #expect(response == output.response, "record \(index)")
            let client = { (response: EciesResponse) throws -> Data in
                try EciesResponseDecryptor(
                    parameters: parameters, sharedInfo2: input.sharedInfo2, envelope: envelope,
                    requestNonce: request.nonce
                ).decrypt(response)
            }
            #expect(try client(output.response) == input.responsePlain)

            for twin in twins(of: request, bit: index) {
                #expect(throws: ProtocolError.self, "record \(index): \(twin)") { try server.decrypt(twin) }
            }
            for twin in twins(of: output.response, bit: index) {
                #expect(throws: ProtocolError.macMismatch, "record \(index): \(twin)") { try client(twin) }
            }
            let otherSharedInfo = EciesServerDecryptor(
                parameters: parameters, serverPrivateKey: serverKey,
                sharedInfo2: input.sharedInfo2.flippingBit(index))
            #expect(throws: ProtocolError.macMismatch) { try otherSharedInfo.decrypt(request) }
        }
    }

    private func parameters(_ input: Input) -> EciesParameters {
        EciesParameters(
            version: .v3_3, sharedInfo1: .init(rawValue: String(decoding: input.sharedInfo1, as: UTF8.self)),
            applicationKey: input.applicationKey, activationId: input.activationId,
            temporaryKeyId: input.temporaryKeyId)
    }

    private func twins(of request: EciesRequest, bit: Int) -> [EciesRequest] {
        var twins = [EciesRequest](repeating: request, count: 6)
        twins[0].encryptedData = request.encryptedData.flippingBit(bit)
        twins[1].mac = request.mac.flippingBit(bit)
        twins[2].nonce = request.nonce?.flippingBit(bit)
        twins[3].timestamp = request.timestamp.map { $0 ^ 1 << UInt64(bit % 40) }
        twins[4].ephemeralPublicKey = request.ephemeralPublicKey.flippingBit(bit)
        twins[5].temporaryKeyId = (request.temporaryKeyId ?? "") + "0"
        return twins
    }

    private func twins(of response: EciesResponse, bit: Int) -> [EciesResponse] {
        var twins = [EciesResponse](repeating: response, count: 4)
        twins[0].encryptedData = response.encryptedData.flippingBit(bit)
        twins[1].mac = response.mac.flippingBit(bit)
        twins[2].nonce = response.nonce?.flippingBit(bit)
        twins[3].timestamp = response.timestamp.map { $0 ^ 1 << UInt64(bit % 40) }
        return twins
    }
}
