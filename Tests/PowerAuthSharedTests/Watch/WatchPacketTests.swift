import Foundation
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

    @Test("3.9: the status request of 72 bytes")
    func statusRequestVector() throws {
        let data = hex(
            "50417763317b22746172676574223a2273657373696f6e3a636f6d2e6578616d706c652e62616e6b222c2261637469766174696f6e"
                + "436d64223a226765745f73657373696f6e227d")
        #expect(data.count == 72)
        let packet = try packet(data)
        #expect(packet.target == "session:com.example.bank")
        #expect(packet.payload() == WatchStatusPayload(.get))
    }

    @Test("3.9: the success reply of 35 bytes, also the bytes that we write")
    func successVector() throws {
        let data = hex("50417763317b22746172676574223a222a222c2273756363657373436f6465223a317d")
        #expect(data.count == 35)
        let packet = try packet(data)
        #expect(packet.target == "*")
        #expect(packet.payload() == WatchSuccessPayload())
        let written = WatchPacket(target: "*", payload: WatchSuccessPayload()).serialized()
        #expect(written.count == 35)
    }

    @Test("3.9: the token push of 296 bytes")
    func tokenVector() throws {
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
        #expect(TokenRecord(blob)?.factors == 1)
    }

    @Test("W1: short data and other magics belong to somebody else")
    func foreignData() {
        for data in [Data(), Data("PAwc1{\"a\":\"b\"}".utf8), Data("PAwc2{\"target\":\"x\"}".utf8), Data(count: 100)] {
            guard case .foreign = WatchPacket.read(data) else {
                Issue.record("\(data.count) bytes were taken for a packet")
                continue
            }
        }
        // Seventeen bytes are enough to be ours.
        #expect(bytes("{\"target\":\"\"}").count == 18)
        if case .foreign = WatchPacket.read(bytes("{\"target\":\"\"}")) { Issue.record("18 bytes were refused") }
    }

    @Test(
        "W3: no object, and no textual target, make no packet",
        arguments: [
            "[1,2,3,4,5,6]", "{\"target\":12345}", "{\"target\":null }", "{\"other\":\"xxx\"}", "{\"target\":\"cut off",
        ])
    func malformed(json: String) {
        guard case .malformed = WatchPacket.read(bytes(json)) else {
            Issue.record("\(json) was accepted")
            return
        }
    }

    @Test("W5: members of the wrong type count as missing")
    func illTypedMembers() throws {
        let put = try packet(bytes("{\"target\":\"session:i\",\"activationCmd\":\"put_session\",\"activationId\":7}"))
        #expect(put.payload() == WatchStatusPayload(.put))
        let none = try packet(bytes("{\"target\":\"session:i\",\"activationCmd\":null}"))
        #expect(none.payload(WatchStatusPayload.self) == nil)
        let token = try packet(
            bytes("{\"target\":\"token:i\",\"tokenCmd\":\"put_token\",\"tokenName\":\"T\",\"tokenData\":\"a b\"}"))
        #expect(token.payload(WatchTokenPayload.self) == nil)
    }

    @Test("W6: any numeric code makes an error, zero included, without a payload")
    func errors() throws {
        let zero = try packet(bytes("{\"target\":\"*\",\"errorCode\":0}"))
        #expect(zero.error?.code == 0)
        #expect(zero.error?.domain == PowerAuthErrorDomain)
        let full = try packet(
            bytes("{\"target\":\"*\",\"errorCode\":6,\"errorDomain\":\"D\",\"errorMsg\":\"text\"}"))
        #expect(full.error?.domain == "D")
        #expect(full.error?.localizedDescription == "text")
        #expect(try packet(bytes("{\"target\":\"*\",\"errorCode\":true}")).error?.code == 1)
        #expect(try packet(bytes("{\"target\":\"*\",\"errorCode\":\"6\"}")).error == nil)
        let written = try packet(WatchPacket(error: .powerAuth(.missingActivation, "gone")).serialized())
        #expect(written.error?.code == 6)
        #expect(written.error?.localizedDescription == "gone")
        #expect(written.target == "*")
    }

    @Test("A token that was not found needs no data; any true number says so", arguments: ["true", "1", "0.5", "-3"])
    func tokenNotFound(value: String) throws {
        let reply = try packet(
            bytes("{\"target\":\"*\",\"tokenCmd\":\"put_token\",\"tokenName\":\"T\",\"tokenNotFound\":\(value)}"))
        #expect(reply.payload(WatchTokenPayload.self)?.isNotFound == true)
    }

    @Test("W16: no activation means no member, not an empty one")
    func absentActivation() throws {
        let text = String(
            decoding: WatchPacket(target: "session:i", payload: WatchStatusPayload(.put)).serialized(), as: UTF8.self)
        #expect(!text.contains("activationId"))
    }

    @Test("Every member order, slash form and escape is accepted")
    func legalForms() throws {
        let packet = try packet(
            bytes("{ \"activationCmd\" : \"put_session\",\n\"target\":\"session:a\\/b\\u002fc\", \"x\": [1] }"))
        #expect(packet.target == "session:a/b/c")
        #expect(packet.payload() == WatchStatusPayload(.put))
    }

    @Test("Broken packets of every kind are refused without a crash")
    func damagedPackets() {
        let whole = WatchPacket(
            target: "token:i",
            payload: WatchTokenPayload(.put, tokenName: "T", tokenData: Data("{}".utf8), isNotFound: true)
        ).serialized()
        for index in whole.indices {
            _ = WatchPacket.read(whole.prefix(index))
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << UInt8(bit)
                _ = WatchPacket.read(damaged)
            }
        }
    }
}
