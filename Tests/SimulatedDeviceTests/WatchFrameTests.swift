import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Frames of the watch link", .endsInTime)
struct WatchFrameTests {
    private let frame = WatchFrame(
        .userInfo, flags: [.propertyList, .retransmission], messageId: UUID(), correlationId: UUID(), epoch: 0x0102,
        sequence: 77, timeToLive: 5_000, app: "main", body: Data([1, 2, 3]))

    @Test("A frame survives the wire")
    func roundTrip() throws {
        #expect(try WatchFrame(parts: frame.parts) == frame)
    }

    @Test("The header has the fields where the protocol puts them")
    func header() {
        let header = [UInt8](frame.parts[0])
        #expect(header.count == 64 + 4)
        #expect(Array(header[0..<8]) == Array("WCL1".utf8) + [1, 0, 0x20, 0x06])
        #expect(
            Array(header[40..<64]) == [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0x13, 0x88, 0, 0, 0, 3])
    }

    @Test("Foreign, short, newer and inconsistent messages are told apart")
    func malformed() {
        func error(_ change: (inout [Data]) -> Void) -> WatchFrame.Malformed? {
            var parts = frame.parts
            change(&parts)
            do {
                _ = try WatchFrame(parts: parts)
                return nil
            } catch {
                return error
            }
        }
        #expect(error { $0.removeLast() } == .notAFrame)
        #expect(error { $0[0] = $0[0].prefix(63) } == .notAFrame)
        #expect(error { $0[0][0] = 0 } == .notAFrame)
        #expect(error { $0[0][4] = 2 } == .version(2))
        #expect(error { $0[0][6] = 0x7F } == .unknownKind(0x7F))
        #expect(error { $0[1].append(0) } == .bodyLength)
    }

    @Test("No change of a single header byte makes reading crash")
    func everyByte() {
        for index in 0..<64 {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var parts = frame.parts
                parts[0][index] = value
                _ = try? WatchFrame(parts: parts)
            }
        }
    }
}
