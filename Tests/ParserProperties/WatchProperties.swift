import Foundation
import PowerAuthShared
import SimulatedDevice

extension ParserProperty {
    /// What comes over the link between a phone and a watch.
    static func watch() throws -> [ParserProperty] {
        let frame = WatchFrame(
            .userInfo, flags: .propertyList, messageId: UUID(), epoch: 7, sequence: 1, app: "companion",
            body: try content())
        let status = WatchPacket(
            target: "session:i", payload: WatchStatusPayload(.put, activationId: Example.activationId))
        let record = TokenRecord(
            name: "T", identifier: "x", secret: Data(count: 16), activationId: Example.activationId, factors: 1)
        let token = WatchPacket(
            target: "token:i",
            payload: WatchTokenPayload(
                .put, tokenName: "T", tokenData: record?.serialized(), order: WatchOrder(origin: "o", number: 1)))
        return [
            // Both parts in one, the first with its length before it.
            ParserProperty("watchFrame", examples: [joined(frame.parts)]) { input in
                let length = Int(input.first ?? 0)
                let parts = [input.dropFirst().prefix(length), input.dropFirst().dropFirst(length)].map { Data($0) }
                guard let frame = try? WatchFrame(parts: parts) else { return }
                try require(frame.body == parts[1], "a frame carries the body that it was sent with", input)
                let again = try? WatchFrame(parts: frame.parts)
                try require(again == frame, "a frame that was read is written so that it reads the same", input)
            },
            ParserProperty("watchPacket", examples: [status.serialized(), token.serialized()]) { input in
                guard case .packet(let packet) = WatchPacket.read(input) else { return }
                let status = packet.payload(WatchStatusPayload.self)
                let token = packet.payload(WatchTokenPayload.self)
                try require(token?.tokenName.isEmpty != true, "a token has a name", input)
                guard packet.error == nil, case .packet(let again) = WatchPacket.read(packet.serialized()) else {
                    return
                }
                try require(
                    again.target == packet.target, "a packet that was read is written for the same target", input)
                try require(
                    again.payload(WatchStatusPayload.self) == status, "a status is written as it was read", input)
                try require(again.payload(WatchTokenPayload.self) == token, "a token is written as it was read", input)
            },
            ParserProperty("tokenRecord", examples: [record?.serialized() ?? Data()]) { input in
                guard let record = TokenRecord(input) else { return }
                try require(TokenRecord(record.serialized()) == record, "a record is written as it was read", input)
            },
        ]
    }

    private static func content() throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: ["n": 1], format: .binary, options: 0)
    }

    private static func joined(_ parts: [Data]) -> Data {
        Data([UInt8(clamping: parts[0].count)]) + parts[0] + parts[1]
    }
}
