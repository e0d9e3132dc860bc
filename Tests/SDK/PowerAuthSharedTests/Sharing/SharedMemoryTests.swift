// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem
import PowerAuthProtocol
import SimulatedDevice
import TestSupport
import Testing

@testable import PowerAuthShared

@Suite("The shared memory (sharing.md, sections 5 and 7.2)", .endsInTime)
struct SharedMemoryTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    private var name: String { SharingApp.appGroup + ".Ez3P" }

    @Test(.verifies("sharing.md", "I-1"))
    func `I-1: the first application makes exactly the documented 256 bytes`() throws {
        let app = try SharingApp("first", on: device)
        var expected = Data([0x4D, 0x50, 0x53, 0x31, 0, 0, 0, 0])
        expected += [1, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0]
        expected += Data(count: 48) + Data(count: 16)
        expected += [1, 0, 0, 0, 0, 0, 0, 0] + Data(count: 128)
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        expected += names.instanceHash
        #expect(expected.count == 256)
        #expect(try app.memoryBytes() == expected)
    }

    @Test(.verifies("sharing.md", "I-1")) func `I-1: a second application does not change a byte`() throws {
        let first = try SharingApp("first", on: device)
        try first.save(StoredStates.version6)
        let before = try first.memoryBytes()
        let second = try SharingApp("second", on: device)
        #expect(try second.memoryBytes() == before)
    }

    @Test(.verifies("sharing.md", "I-2"))
    func `I-2: memory of another instance is refused and unchanged, checked in the documented order`() throws {
        let app = try SharingApp("first", on: device)
        let memory = try app.memory()
        // Each step breaks one more field, from the last check to the first.
        memory.bytes[3] = UInt8(ascii: "9")
        expectRefusal(.sharedMemoryWrongVersion(name: name, version: UInt8(ascii: "9")))
        memory.bytes[224] ^= 1
        expectRefusal(.sharedMemoryForeignInstance(name: name))
        memory.bytes[0] = UInt8(ascii: "X")
        let before = try app.memoryBytes()
        expectRefusal(.sharedMemoryWrongMagic(name: name))
        #expect(try app.memoryBytes() == before)
        withExtendedLifetime(memory) {}
    }

    private func expectRefusal(_ cause: InvalidConfiguration) {
        #expect(throws: cause) { try SharingApp("second", on: device) }
    }

    // Creators that really die: `Scenarios/sharing/killed-while-it-makes-the-memory.yaml`.
    @Test func `Uninitialized memory is initialized by the next application`() throws {
        let sandbox = try SharingApp.sandbox("first", on: device, traceDirectory: traces)
        _ = try sandbox.sharedMemory.create(name: name, size: SharedData.size)
        let app = try SharingApp(in: sandbox, "first")
        #expect(try app.interface.snapshot().stateModifyCounter == 1)
        #expect(try memoryEvents() == [.memoryRepaired])
        #expect(try memoryEvents { $0.fields["cause"] == "noContent" && $0.fields["name"] == .string(name) }.count == 1)
    }

    @Test func `Memory that is too small is replaced`() throws {
        let sandbox = try SharingApp.sandbox("first", on: device, traceDirectory: traces)
        _ = try sandbox.sharedMemory.create(name: name, size: 16)
        let app = try SharingApp(in: sandbox, "first")
        #expect(try app.memory().count == 256)
        #expect(try memoryEvents() == [.memoryRepaired, .memoryCreated])
        #expect(try memoryEvents { $0.fields["cause"] == "noSize" }.count == 1)
    }

    @Test func `Memory that is in order is not reported as repaired`() throws {
        _ = try SharingApp("first", on: device, traceDirectory: traces)
        _ = try SharingApp("second", on: device, traceDirectory: traces)
        #expect(try memoryEvents() == [.memoryCreated, .memoryOpened])
    }

    private var traces: String { device.layout.root + "/run/traces" }

    /// What the traces tell about the memory.
    private func memoryEvents(where isWanted: (TraceEvent) -> Bool = { _ in true }) throws -> [TraceEventName] {
        try TraceReader.readAll(traces).filter { $0.name.rawValue.hasPrefix("memory.") && isWanted($0) }.map(\.name)
    }

    @Test func `An application identifier of 127 bytes fills its field`() throws {
        let long = String(repeating: "x", count: 127)
        let app = try SharingApp(in: SharingApp.sandbox("first", on: device), long)
        try app.startActivation()
        #expect(try app.interface.snapshot().operationApplication == long)
        let bytes = try app.memoryBytes()
        #expect(bytes[96 + 127] == 0)
    }

    @Test(.verifies("size", "SharedData.applicationIdentifierLimit"))
    func `A longer application identifier is cut and leaves the hash of the instance alone`() throws {
        let app = try SharingApp(in: SharingApp.sandbox("first", on: device), String(repeating: "x", count: 130))
        let before = try app.memoryBytes()
        try app.startActivation()
        let bytes = try app.memoryBytes()
        #expect(bytes[96 + 126] == UInt8(ascii: "x") && bytes[96 + 127] == 0)
        #expect(bytes[224...] == before[224...])
    }

    /// Something that is no error of a system call.
    private struct Other: Error, CustomStringConvertible {
        let description = "something else"
    }

    @Test func `Each failure is an invalid configuration that names the memory and the reason`() {
        func failure(_ errno: Int32) -> SystemError { SystemError(call: "shm_open", errno: errno, path: "/n") }
        let rows: [(any Error, InvalidConfiguration)] = [
            (failure(EPERM), .sharedMemoryNotPermitted(name: "group")),
            (failure(EACCES), .sharedMemoryNotPermitted(name: "group")),
            (failure(ENAMETOOLONG), .sharedMemoryNameTooLong(limit: 31, actual: 5)),
            (failure(ENOSPC), .sharedMemoryUnavailable(name: "group", reason: failure(ENOSPC).description)),
            (Other(), .sharedMemoryUnavailable(name: "group", reason: "something else")),
        ]
        for (error, expected) in rows {
            #expect(throws: expected) { () throws in
                try SharedMemory.translated("group") { () throws -> Void in throw error }
            }
        }
    }
}
