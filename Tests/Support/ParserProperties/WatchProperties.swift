// SPDX-License-Identifier: Apache-2.0

import DeviceAgent
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
            // Kind, sequence number, and the body that an agent of another device sends, which also contains numbers.
            ParserProperty("agentBody", examples: ListeningLink.examples.map(bodyExample)) { input in
                guard let kind = input.first.flatMap(WatchFrame.Kind.init), input.count >= 10 else { return }
                let numbers = input.dropFirst().prefix(9)
                let sequence = numbers.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                var link = ListeningLink()
                for sequence in [sequence, sequence &+ 1] {
                    link.hear(
                        WatchFrame(
                            kind, epoch: UInt64(numbers.first ?? 0), sequence: sequence, app: "main",
                            body: Data(input.dropFirst(10))))
                }
                try require(link.canGreet(), "an end of a link can greet, whatever it has heard", input)
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
            ParserProperty("watchContent", examples: [try content(), try manifoldContent()]) { input in
                guard let content = WatchContent.dictionary(in: input) else { return }
                _ = String(describing: content)
                let again = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
                try require(
                    WatchContent.dictionary(in: again).map { $0 as NSDictionary } == content as NSDictionary,
                    "content that was read is written as it was read", input)
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

    private static func manifoldContent() throws -> Data {
        let content: [String: Any] = [
            "text": "a", "umlaut": "ä", "number": 70_000, "real": 1.5, "truth": true,
            "moment": Date(timeIntervalSince1970: 1),
            "data": Data(count: 20), "list": [1, "b"] as [Any], "inner": ["n": 1],
        ]
        return try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
    }

    private static func bodyExample(_ frame: WatchFrame) -> Data {
        let sequence = (0..<8).map { UInt8(truncatingIfNeeded: frame.sequence >> (56 - 8 * $0)) }
        return Data([frame.kind.rawValue, UInt8(truncatingIfNeeded: frame.epoch)] + sequence) + frame.body
    }

    private static func joined(_ parts: [Data]) -> Data {
        Data([UInt8(clamping: parts[0].count)]) + parts[0] + parts[1]
    }
}
