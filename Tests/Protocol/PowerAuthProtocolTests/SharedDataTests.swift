// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// Every field at its place, in memory that only the test sees (sharing.md, section 7.2).
@Suite("Fields of the shared memory", .endsInTime)
struct SharedDataTests {
    /// Memory for one page, freed with the object.
    private final class Memory {
        let start = UnsafeMutableRawPointer.allocate(byteCount: SharedData.size, alignment: 8)

        /// - Parameter byte: the value of every byte.
        init(filledWith byte: UInt8 = 0) {
            start.initializeMemory(as: UInt8.self, repeating: byte, count: SharedData.size)
        }

        deinit { start.deallocate() }

        var shared: SharedData { SharedData(base: start) }
        var bytes: Data { Data(bytes: start, count: SharedData.size) }

        func set(_ byte: UInt8, at place: Int) { start.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
    }

    private let hash = counting(32, from: 0x40)

    /// The bytes of a number as this machine has them in memory.
    private func native(_ number: UInt64) -> Data { withUnsafeBytes(of: number) { Data($0) } }

    @Test func `A page has 256 bytes, and each field its own of them`() {
        let memory = Memory()
        let shared = memory.shared
        shared.initialize(instanceHash: hash)
        shared.stateModifyCounter = 0x0102_0304_0506_0708
        shared.tokenModifyCounter = 0x1112_1314_1516_1718
        shared.operationType = 0x2122_2324_2526_2728
        shared.operationStart = 1_735_689_600.25
        shared.operationTicket = 0x3132_3334_3536_3738
        shared.operationApplication = "main"
        var expected = Data("MPS1".utf8) + Data(count: 4)
        expected += native(0x0102_0304_0506_0708) + native(0x1112_1314_1516_1718) + Data(count: 48)
        expected += native(0x2122_2324_2526_2728) + native((1_735_689_600.25).bitPattern)
        expected += native(0x3132_3334_3536_3738) + Data("main".utf8) + Data(count: 124) + hash
        #expect(expected.count == SharedData.size && SharedData.size == 256)
        #expect(memory.bytes == expected)
        #expect(shared.stateModifyCounter == 0x0102_0304_0506_0708 && shared.operationType == 0x2122_2324_2526_2728)
        #expect(shared.tokenModifyCounter == 0x1112_1314_1516_1718 && shared.operationStart == 1_735_689_600.25)
        #expect(shared.operationTicket == 0x3132_3334_3536_3738 && shared.operationApplication == "main")
        #expect(shared.instanceHash == hash && shared.magic == Data("MPS".utf8) && shared.version == 0x31)
    }

    @Test func `New memory is filled from any content, and its counters begin with one`() {
        let (zero, used) = (Memory(), Memory(filledWith: 0xEE))
        for memory in [zero, used] { memory.shared.initialize(instanceHash: hash) }
        #expect(zero.bytes == used.bytes)
        #expect(zero.shared.stateModifyCounter == 1 && zero.shared.tokenModifyCounter == 1)
        #expect(zero.shared.operationTicket == 1 && zero.shared.operationType == 0 && zero.shared.operationStart == 0)
        #expect(zero.shared.operationApplication == "")
    }

    @Test func `A page is recognised by all bytes of its beginning`() {
        let memory = Memory()
        #expect(memory.shared.isUninitialized && !memory.shared.hasMagic && !memory.shared.hasKnownVersion)
        memory.set(0x31, at: 3)
        #expect(memory.shared.isUninitialized && memory.shared.hasKnownVersion, "the version is no part of the magic")
        for place in 0..<3 {
            let empty = Memory()
            empty.set(1, at: place)
            #expect(!empty.shared.isUninitialized, "byte \(place)")
            let page = Memory()
            page.shared.initialize(instanceHash: hash)
            #expect(page.shared.hasMagic && page.shared.hasKnownVersion && !page.shared.isUninitialized)
            page.set(0, at: place)
            #expect(!page.shared.hasMagic, "byte \(place)")
        }
        for version in [UInt8(0x30), 0x32] {
            memory.set(version, at: 3)
            #expect(!memory.shared.hasKnownVersion && memory.shared.version == version)
        }
    }

    @Test
    func `A count changes its own counter by one, and the greatest value is followed by one that none began with`() {
        let first = UInt64(1) << 62
        for (value, next) in [(1, 2), (first - 1, first), (UInt64.max - 1, UInt64.max), (UInt64.max, first)] {
            let memory = Memory()
            let shared = memory.shared
            shared.stateModifyCounter = value
            shared.tokenModifyCounter = value
            shared.operationTicket = value
            shared.countStateChange()
            #expect(shared.stateModifyCounter == next && shared.tokenModifyCounter == value)
            shared.countTokenChange()
            #expect(shared.tokenModifyCounter == next && shared.operationTicket == value)
            #expect(shared.countOperation() == next && shared.operationTicket == next)
            #expect(shared.stateModifyCounter == next)
        }
    }

    @Test func `The name of an application ends with a zero byte, is cut at 127 bytes, and may be damaged`() {
        for count in Sizes.around(SharedData.applicationIdentifierLimit) {
            let memory = Memory(filledWith: 0xEE)
            memory.shared.operationApplication = String(repeating: "x", count: count)
            #expect(memory.shared.operationApplication == String(repeating: "x", count: min(count, 127)), "\(count)")
            #expect(memory.bytes[224...] == Data(repeating: 0xEE, count: 32), "the hash is another field")
        }
        let memory = Memory()
        memory.shared.operationApplication = "wallet"
        memory.shared.operationApplication = "ab"
        #expect(memory.bytes[96..<103] == Data("ab\0let\0".utf8), "the rest of a longer name stays")
        #expect(memory.shared.operationApplication == "ab")
        memory.set(0xFF, at: 97)
        #expect(memory.shared.operationApplication == nil, "it is no UTF-8")
        memory.shared.operationApplication = nil
        #expect(memory.shared.operationApplication == "")
        // Without a terminating zero the name ends with its field.
        let endless = Memory(filledWith: UInt8(ascii: "y"))
        #expect(endless.shared.operationApplication == String(repeating: "y", count: 128))
    }

    @Test func `The end of an operation clears its type, its time and its application, and nothing else`() {
        let memory = Memory(filledWith: 0xEE)
        memory.shared.clearOperation()
        for (place, byte) in memory.bytes.enumerated() {
            let isCleared = (72..<88).contains(place) || (96..<224).contains(place)
            #expect(byte == (isCleared ? 0 : 0xEE), "byte \(place)")
        }
    }

    @Test func `Every name that applications share is made of the instance identifier with a purpose of its own`() {
        let names = SharedNames(
            instanceId: "com.wultra.lab.shared", appGroup: "group.com.example.lab", memoryIdentifier: "own")
        #expect(names.memoryIdentifier == "own" && names.memoryName == "group.com.example.lab.own")
        #expect(names.memoryRecord == "PowerAuthSharedMemory-uTf1jxrE3cby0r+uPsUDEtL5y2c3gyGG8n-4aCLOHds")
        #expect(names.instanceHash.hexText == "133dcfc28cbe9c5e8259ee762e3a66ff6aea7a7ea366bbaf064a0fd388f7e12e")
        #expect(Set([names.statusLock, names.operationLock, names.queueLock, names.memoryRecord]).count == 4)
        let computed = SharedNames(instanceId: "com.wultra.lab.shared", appGroup: "g", memoryIdentifier: nil)
        #expect(computed.memoryIdentifier == "Ez3P" && computed.memoryName == "g.Ez3P")
        #expect(computed.statusLock == names.statusLock, "the memory identifier does not matter to the locks")
    }
}
