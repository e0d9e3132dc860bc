// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Frames of the watch link", .endsInTime)
struct WatchFrameTests {
    private let frame = WatchFrame(
        .userInfo, flags: [.propertyList, .retransmission], messageId: UUID(), correlationId: UUID(), epoch: 0x0102,
        sequence: 77, timeToLive: 5_000, app: "main", body: Data([1, 2, 3]))

    @Test func `A frame survives the wire`() throws {
        #expect(try WatchFrame(parts: frame.parts) == frame)
    }

    @Test func `The header has the fields where the protocol puts them`() {
        let header = [UInt8](frame.parts[0])
        #expect(header.count == 64 + 8 + 4)
        #expect(String(decoding: header[72...], as: UTF8.self) == "main")
        #expect(Array(header[0..<8]) == Array("WCL1".utf8) + [1, 0, 0x20, 0x06])
        #expect(
            Array(header[40..<64]) == [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0x13, 0x88, 0, 0, 0, 3])
    }

    @Test func `Each flag has the bit of the protocol`() {
        let flags: [WatchFrame.Flags] = [.expectsReply, .propertyList, .retransmission, .file, .complication]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
    }

    /// What reading says about changed parts; nil when they are a frame.
    private func error(_ change: (inout [Data]) -> Void, isResealed: Bool = false) -> WatchFrame.Malformed? {
        var parts = frame.parts
        change(&parts)
        if isResealed {
            let checksum = WatchFrame.checksum(of: [UInt8](parts[0]), parts[1])
            withUnsafeBytes(of: checksum.bigEndian) { parts[0].replaceSubrange(64..<72, with: $0) }
        }
        return thrown { _ = try WatchFrame(parts: parts) } as? WatchFrame.Malformed
    }

    @Test func `Foreign, short, newer and inconsistent messages are distinguished`() {
        #expect(error { $0.removeLast() } == .notAFrame)
        #expect(error { $0[0] = $0[0].prefix(71) } == .notAFrame)
        #expect(error { $0[0][0] = 0 } == .notAFrame)
        #expect(error({ $0[0][4] = 2 }, isResealed: true) == .version(2))
        #expect(error({ $0[0][6] = 0x7F }, isResealed: true) == .unknownKind(0x7F))
        #expect(error({ $0[1].append(0) }, isResealed: true) == .bodyLength)
    }

    @Test func `A frame of which any byte was changed is refused`() {
        for (part, length) in frame.parts.map(\.count).enumerated() {
            for index in 0..<length {
                for change in [0x01, 0x80, 0xFF] as [UInt8] {
                    let reason = error { $0[part][index] ^= change }
                    #expect(reason == (part == 0 && index < 4 ? .notAFrame : .damaged), "byte \(index) of part \(part)")
                }
            }
        }
    }

    @Test func `No header makes reading crash`() {
        for index in 0..<64 {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                _ = error({ $0[0][index] = value }, isResealed: true)
            }
        }
    }
}
