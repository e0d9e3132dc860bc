// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import PowerAuthShared
import TestSupport
import Testing

@Suite("Packets of the watch link (watch.md, section 3)", .endsInTime)
struct WatchPacketTests {
    private func bytes(_ json: String) -> Data { Data(("PAwc1" + json).utf8) }

    private func packet(_ data: Data) throws -> WatchPacket {
        guard case .packet(let packet) = WatchPacket.read(data) else { throw CocoaError(.fileReadCorruptFile) }
        return packet
    }

    private func hex(_ text: String) -> Data {
        let digits = Array(text)
        return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! })
    }

    @Test func `3.9: the status request of 72 bytes`() throws {
        let data = hex(
            "50417763317b22746172676574223a2273657373696f6e3a636f6d2e6578616d706c652e62616e6b222c2261637469766174696f6e"
                + "436d64223a226765745f73657373696f6e227d")
        #expect(data.count == 72)
        let packet = try packet(data)
        #expect(packet.target == "session:com.example.bank")
        #expect(packet.payload() == WatchStatusPayload(.get))
    }

    @Test func `3.9: the success reply of 35 bytes, also the bytes that we write`() throws {
        let data = hex("50417763317b22746172676574223a222a222c2273756363657373436f6465223a317d")
        #expect(data.count == 35)
        let packet = try packet(data)
        #expect(packet.target == "*")
        #expect(packet.payload() == WatchSuccessPayload())
        let written = WatchPacket(target: "*", payload: WatchSuccessPayload()).serialized()
        // A writer's order of keys may differ, and nothing else.
        #expect(written.count == 35 && written.prefix(5) == data.prefix(5))
        #expect(try JSONValue.parse(written.dropFirst(5)) == JSONValue.parse(data.dropFirst(5)))
    }

    @Test func `3.9: the token push of 296 bytes`() throws {
        let data = bytes(
            "{\"target\":\"token:com.example.bank\",\"tokenCmd\":\"put_token\",\"tokenName\":\"MyToken\",\"tokenData\":\""
                + "eyJuYW1lIjoiTXlUb2tlbiIsImlkIjoiOGU2YTljMmItMmIxZi00ZjRmLTliNjEtM2YwZDVhMGQ3YzExIiwiYWlkIjoiYzU2NGU3"
                + "MDAtN2U4Ni00YTg3LWI2YzgtYTVhMGNjODk2ODNmIiwiYWYiOjEsInNlYyI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHc9PSJ9\"}")
        #expect(data.count == 296)
        let payload: WatchTokenPayload = try #require(try packet(data).payload())
        #expect(payload.command == .put)
        #expect(payload.tokenName == "MyToken")
        let blob = try #require(payload.tokenData)
        #expect(blob.count == 147)
        #expect(TokenRecord(blob)?.identifier == "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11")
        let record = try #require(TokenRecord(blob))
        #expect(record.factors == 1 && record.name == "MyToken")
        #expect(record.activationId == "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        #expect(record.secret == hex("000102030405060708090a0b0c0d0e0f"))
        #expect(try JSONValue.parse(record.serialized()) == JSONValue.parse(blob))
    }

    @Test(
        arguments: [
            (.v3_0, "F6eqsI+cE1PNMSFT0wdIvyzOrmxdzwhsgVgN0eEIB2g="),
            (.v3_1, "F6eqsI+cE1PNMSFT0wdIvyzOrmxdzwhsgVgN0eEIB2g="),
            (.v3_2, "amIBwIEv1yLu58WlTRSu+YjBAYeX7+7wT+c6IjwVPrk="),
            (.v3_3, "lYx+2mjJmZ9EkpVEqjoX3iSvqtsTJ4jKhl6NhUJZ55c="),
        ] as [(ProtocolVersion, String)])
    func `3.9: the digests of a token header`(version: ProtocolVersion, digest: String) throws {
        let nonce = try #require(Data(base64Encoded: "oKGio6SlpqeoqaqrrK2urw=="))
        #expect(nonce == Data(0xA0...0xAF))
        let computed = TokenDigest.compute(
            secret: try TokenSecret(hex("000102030405060708090a0b0c0d0e0f")), nonce: nonce,
            timestampText: "1728388800000", version: version)
        #expect(computed.base64EncodedString() == digest)
    }

    @Test func `W1: short data and other magics belong to another protocol`() {
        for data in [Data(), Data("PAwc1{\"a\":\"b\"}".utf8), Data("PAwc2{\"target\":\"x\"}".utf8), Data(count: 100)] {
            guard case .foreign = WatchPacket.read(data) else {
                Issue.record("\(data.count) bytes were taken for a packet")
                continue
            }
        }
    }

    @Test(.verifies("size", "WatchPacket.minimumSize"))
    func `W1: seventeen bytes with the magic are ours, even if broken; sixteen are not`() throws {
        let ours = bytes("{\"target\":1}")
        #expect(ours.count == 17)
        guard case .malformed = WatchPacket.read(ours)
        else { throw Unexpected("17 bytes are \(WatchPacket.read(ours))") }
        guard case .foreign = WatchPacket.read(ours.dropLast())
        else { throw Unexpected("16 bytes are \(WatchPacket.read(ours.dropLast()))") }
        #expect(try packet(bytes("{\"target\":\"\"}")).target == "")
    }

    @Test(
        arguments: [
            "[1,2,3,4,5,6]", "{\"target\":12345}", "{\"target\":null }", "{\"other\":\"xxx\"}", "{\"target\":\"cut off",
        ])
    func `W3: no object, and no textual target, make no packet`(json: String) throws {
        guard case .malformed = WatchPacket.read(bytes(json)) else { throw Unexpected("\(json) was accepted") }
    }

    @Test func `W5: members of the wrong type count as missing`() throws {
        let put = try packet(bytes("{\"target\":\"session:i\",\"activationCmd\":\"put_session\",\"activationId\":7}"))
        #expect(put.payload() == WatchStatusPayload(.put))
        let none = try packet(bytes("{\"target\":\"session:i\",\"activationCmd\":null}"))
        #expect(none.payload(WatchStatusPayload.self) == nil)
        let token = try packet(
            bytes("{\"target\":\"token:i\",\"tokenCmd\":\"put_token\",\"tokenName\":\"T\",\"tokenData\":\"a b\"}"))
        #expect(token.payload(WatchTokenPayload.self) == nil)
    }

    @Test func `W6: any numeric code makes an error, zero included, without a payload`() throws {
        let zero = try packet(bytes("{\"target\":\"*\",\"errorCode\":0}"))
        #expect(zero.error?.code == 0)
        #expect(zero.error?.domain == PowerAuthErrorDomain)
        let full = try packet(bytes("{\"target\":\"*\",\"errorCode\":6,\"errorDomain\":\"D\",\"errorMsg\":\"text\"}"))
        #expect(full.error?.domain == "D")
        #expect(full.error?.localizedDescription == "text")
        #expect(try packet(bytes("{\"target\":\"*\",\"errorCode\":true}")).error?.code == 1)
        #expect(try packet(bytes("{\"target\":\"*\",\"errorCode\":\"6\"}")).error == nil)
        let written = try packet(WatchPacket(error: .powerAuth(.missingActivation, "gone")).serialized())
        #expect(written.error?.code == 6)
        #expect(written.error?.localizedDescription == "gone")
        #expect(written.target == "*")
    }

    @Test(arguments: ["true", "1", "0.5", "-3"])
    func `A token that was not found needs no data; any true number means it`(value: String) throws {
        let reply = try packet(
            bytes("{\"target\":\"*\",\"tokenCmd\":\"put_token\",\"tokenName\":\"T\",\"tokenNotFound\":\(value)}"))
        #expect(reply.payload(WatchTokenPayload.self)?.isNotFound == true)
    }

    @Test func `W16: no activation means no member, not an empty one`() throws {
        let text = String(
            decoding: WatchPacket(target: "session:i", payload: WatchStatusPayload(.put)).serialized(), as: UTF8.self)
        #expect(!text.contains("activationId"))
    }

    @Test func `Every member order, slash form and escape is accepted`() throws {
        let packet = try packet(
            bytes("{ \"activationCmd\" : \"put_session\",\n\"target\":\"session:a\\/b\\u002fc\", \"x\": [1] }"))
        #expect(packet.target == "session:a/b/c")
        #expect(packet.payload() == WatchStatusPayload(.put))
    }

    @Test func `A packet with one changed bit or a missing end is foreign, malformed or different`() throws {
        // Three bytes, so that every bit of their Base64 text counts.
        let payload = WatchTokenPayload(.put, tokenName: "T", tokenData: Data("{ }".utf8), isNotFound: true)
        let whole = WatchPacket(target: "token:i", payload: payload).serialized()
        for index in whole.indices {
            switch WatchPacket.read(whole.prefix(index)) {
            case .foreign: #expect(index < 17)
            case .malformed: #expect(index >= 17)
            case .packet: Issue.record("the first \(index) bytes were taken for a packet")
            }
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << UInt8(bit)
                switch WatchPacket.read(damaged) {
                case .foreign: #expect(index < 5, "byte \(index), bit \(bit)")
                case .malformed: #expect(index >= 5, "byte \(index), bit \(bit)")
                case .packet(let packet):
                    #expect(index >= 5 && (packet.target != "token:i" || packet.payload() != payload))
                }
            }
        }
    }

    @Test func `A member of a packet is read back as it was set, and removed by nil`() {
        var fields = WatchFields()
        #expect(fields[.target] == nil)
        fields[.target] = .text("t")
        fields[.successCode] = .integer(1)
        #expect(fields[.target] == .text("t") && fields[.successCode] == .integer(1) && fields[.tokenName] == nil)
        fields[.target] = nil
        #expect(fields[.target] == nil && fields.number(.successCode) == 1)
    }
}
