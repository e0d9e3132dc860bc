// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

/// What a faulty or hostile counterpart may send instead of a dictionary (watch.md, section 9.8).
@Suite("Content of watch messages", .endsInTime)
struct WatchContentTests {
    /// A binary property list of these objects, of which the first is the top.
    private func list(_ objects: [[UInt8]], referenceSize: UInt8 = 1, top: UInt8 = 0) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
        bytes += [0, 0, 0, 0, 0, 0, 2, referenceSize]
        bytes += [0, 0, 0, 0, 0, 0, UInt8(objects.count >> 8), UInt8(objects.count & 0xFF)]
        bytes += [0, 0, 0, 0, 0, 0, 0, top]
        bytes += [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
        return Data(bytes)
    }

    /// `{ "k": value }`
    private func dictionary(of value: [UInt8]) -> Data { list([[0xD1, 1, 2], [0x51, 0x6B], value]) }

    @Test func `The unchanged example is read, so that each variant is refused for its own reason`() throws {
        #expect(WatchContent.dictionary(in: dictionary(of: [0x51, 0x61]))?["k"] as? String == "a")
        #expect(WatchContent.dictionary(in: dictionary(of: [0x10, 7]))?["k"] as? Int == 7)
        #expect(WatchContent.dictionary(in: list([[0xD0]]))?.isEmpty == true)
    }

    @Test(
        arguments: [
            ("null", [0x00]), ("fill", [0x0F]), ("identifier of an archive", [0x80, 5]), ("set", [0xC1, 1]),
            ("ordered set", [0xB1, 1]), ("date that is no number", [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
            ("infinite date", [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]), ("date that is cut off", [0x33, 0x7F]),
            ("text longer than the list", [0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]), ("unknown type", [0x70]),
            ("array that holds itself", [0xA1, 2]), ("array of what is not there", [0xA1, 9]),
            ("dictionary with a number as key", [0xD1, 2, 1]),
        ] as [(String, [UInt8])])
    func `A value that no message may have is refused, also one for which Foundation ends the process`(
        _ name: String, _ value: [UInt8]
    ) {
        #expect(WatchContent.dictionary(in: dictionary(of: value)) == nil, "\(name)")
    }

    @Test func `A list that grows without end during traversal is refused`() {
        let doubling = (2..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] }
        #expect(WatchContent.dictionary(in: list([[0xD1, 1, 2], [0x51, 0x6B]] + doubling + [[0x51, 0x61]])) == nil)
    }

    @Test(.verifies("size", "BinaryPropertyList.greatestDepth"))
    func `Containers may lie in each other, but not without end`() throws {
        func nested(_ depth: Int) throws -> Data {
            var value: Any = 1
            for _ in 0..<depth { value = [value] }
            return try PropertyListSerialization.data(fromPropertyList: ["k": value], format: .binary, options: 0)
        }
        #expect(WatchContent.dictionary(in: try nested(127)) != nil)
        #expect(WatchContent.dictionary(in: try nested(128)) == nil)
    }

    @Test func `Only a binary list is read: texts, other formats and damaged ends are refused`() throws {
        let xml = try PropertyListSerialization.data(fromPropertyList: ["k": 1], format: .xml, options: 0)
        let binary = try PropertyListSerialization.data(fromPropertyList: ["k": 1], format: .binary, options: 0)
        for data in [
            Data(), Data("{ k = 1; }".utf8), xml, Data("bplist00".utf8), list([[0xA0]]), list([[0xD0]], top: 9),
        ] {
            #expect(WatchContent.dictionary(in: data) == nil, "\(Array(data.prefix(20)))")
        }
        for length in 0..<binary.count {
            #expect(WatchContent.dictionary(in: binary.prefix(length)) == nil, "the first \(length) bytes")
        }
        #expect(WatchContent.problem(in: xml, isPropertyList: true, limit: 1_000) == 7010)
        #expect(WatchContent.problem(in: xml, isPropertyList: false, limit: 1_000) == nil)
        #expect(WatchContent.problem(in: binary, isPropertyList: true, limit: binary.count - 1) == 7009)
    }
}
