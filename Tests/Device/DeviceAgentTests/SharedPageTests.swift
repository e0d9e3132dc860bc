// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import LabVocabulary
import PowerAuthProtocol
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Reports of the device about shared memory of apps", .endsInTime)
struct SharedPageTests {
    private let name = "/sharedpagetest-\(UUID().uuidString.prefix(12))"
    private let hash = Data(repeating: 7, count: 32)

    /// Makes memory, changes it from outside, and reads it.
    private func page(damage: (SharedData, SharedMemoryObject) throws -> Void = { _, _ in }) throws -> SharedPage {
        let object = try SharedMemoryObject.create(name: name, size: SharedData.size)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let memory = try object.map()
        try withExtendedLifetime(memory) {
            let fields = SharedData(base: memory.base)
            fields.initialize(instanceHash: hash)
            try damage(fields, object)
        }
        return try SharedPage("group.a.b", physicalName: name)
    }

    private func state(of page: SharedPage) -> InspectSharing.MemoryState {
        page.reported(instanceHash: hash, isRecorded: true).state
    }

    @Test func `The fields of memory in use`() throws {
        let page = try page { fields, _ in
            fields.countStateChange()
            fields.countTokenChange()
            _ = fields.countOperation()
            fields.operationType = 2
            fields.operationStart = 1000
            fields.operationApplication = "main"
        }
        let memory = page.reported(instanceHash: hash, isRecorded: false)
        #expect(memory.name == "group.a.b" && memory.state == .usable && memory.size == 256 && !memory.isRecorded)
        #expect(memory.magic == "MPS" && memory.version == "1")
        #expect(memory.instanceHash == String(repeating: "07", count: 32))
        #expect(memory.stateModifyCounter == 2 && memory.tokenModifyCounter == 2 && memory.operationTicket == 2)
        let operation = try #require(page.operation(now: Date(timeIntervalSince1970: 1001.5)))
        #expect(operation.type == "protocolUpgrade" && operation.application == "main" && operation.age == 1500)
    }

    @Test func `No operation, and one with impossible numbers`() throws {
        #expect(try page().operation(now: Date()) == nil)
        for start in [Double.nan, .infinity, -.infinity, 1e300] {
            let operation = try page { fields, _ in
                fields.operationType = 99
                fields.operationStart = start
            }.operation(now: Date())
            #expect(operation?.type == "99" && operation?.age == nil)
        }
    }

    @Test func `Memory that apps refuse, and memory that they recreate`() throws {
        let bytes = { (object: SharedMemoryObject, offset: Int, byte: UInt8) in
            let memory = try object.map()
            withExtendedLifetime(memory) { memory.bytes[offset] = byte }
        }
        #expect(try state(of: page { try bytes($1, 0, 0x41) }) == .wrongMagic)
        #expect(try page { try bytes($1, 0, 1) }.reported(instanceHash: hash, isRecorded: true).magic == "\\x01PS")
        #expect(try state(of: page { try bytes($1, 224, 0) }) == .otherInstance)
        #expect(try state(of: page { try bytes($1, 3, 0x32) }) == .wrongVersion)
        #expect(try state(of: page { for offset in 0..<3 { try bytes($1, offset, 0) } }) == .unfinished)
        let cut = try page { try $1.truncate(to: 100) }
        #expect(state(of: cut) == .tooShort && cut.size == 100 && cut.operation(now: Date()) == nil)
        let missing = try SharedPage("group.a.b", physicalName: name)
        #expect(state(of: missing) == .missing && missing.size == nil && missing.operation(now: Date()) == nil)
    }
}
