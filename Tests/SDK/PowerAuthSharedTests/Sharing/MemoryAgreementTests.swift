// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Applications agree on one memory (sharing.md, D15 and D16)", .endsInTime)
struct MemoryAgreementTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    @Test func `An instance whose computed identifier is taken works with another one`() throws {
        let first = try SharingApp("first", on: device, instanceId: "inst7617")
        #expect(throws: InvalidConfiguration.sharedMemoryForeignInstance(name: SharingApp.appGroup + ".pT1l")) {
            try SharingApp("second", on: device, instanceId: "inst7741")
        }
        let second = try SharingApp("second", on: device, instanceId: "inst7741", memoryIdentifier: "own")
        try second.save(StoredStates.version6)
        #expect(try first.interface.snapshot().stateModifyCounter == 1)
        #expect(
            throws: InvalidConfiguration.sharedMemoryNameDiffers(
                used: SharingApp.appGroup + ".pT1l", expected: SharingApp.appGroup + ".own")
        ) {
            try SharingApp("third", on: device, instanceId: "inst7741")
        }
    }

    @Test func `A recorded name of another instance blocks no application`() throws {
        let first = try SharingApp("first", on: device, instanceId: "inst7617")
        let names = SharedNames(instanceId: "inst7741", appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(first.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        try Files.write(Data(names.memoryName.utf8), to: container + "/" + names.memoryRecord)
        let second = try SharingApp("second", on: device, instanceId: "inst7741", memoryIdentifier: "own")
        try second.save(StoredStates.version6)
        #expect(try first.interface.snapshot().stateModifyCounter == 1)
    }

    @Test func `An identifier changes when the old memory is unused, which is removed`() throws {
        try SharingApp("main", on: device).save(StoredStates.version6)
        let updated = try SharingApp("main", on: device, memoryIdentifier: "new")
        #expect(try updated.state() == StoredStates.version6)
        #expect(throws: SystemError.self) { try updated.sandbox.sharedMemory.open(name: SharingApp.appGroup + ".Ez3P") }
        #expect(throws: InvalidConfiguration.self) { try SharingApp("old", on: device) }
        withExtendedLifetime(updated) {}
    }

    @Test(arguments: ["", "group.example.other", "x".padded(to: 40)])
    func `An invalid recorded name is replaced`(text: String) throws {
        let first = try SharingApp("first", on: device)
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(first.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        let record = container + "/" + names.memoryRecord
        try Files.write(Data(text.utf8), to: record)
        _ = try SharingApp("second", on: device)
        #expect(try Files.read(record) == Data(names.memoryName.utf8))
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { padding(toLength: count, withPad: "x", startingAt: 0) }
}

@Suite("Names that sharing applications derive (sharing.md, sections 3.4 and 3.5)", .endsInTime)
struct SharedNamesTests {
    @Test(
        .verifies("size", "SharedNames.computedIdentifierLength"),
        arguments: [
            ("SharedInstanceTests", "FVv7", "FVv7QfQ9L+6Ru2FPKInmMm7XvA-rnf00lJWMXIl0jsQ"),
            ("com.wultra.lab.shared", "Ez3P", "Ez3Pwoy+nF6CWe52Ljpm-2rqen6jZruvBkoP04j34S4"),
            ("SharedInstance", "w32-", "w32-cnLgyuzlpxJbCTCYUKo+saExf1QKPw6Bm9Hkau8"),
        ])
    func `The memory identifier is the beginning of the instance identifier's hash`(
        instanceId: String, short: String, hash: String
    ) {
        #expect(SharedNames.hash(instanceId) == hash)
        #expect(SharedNames.computedMemoryIdentifier(instanceId: instanceId) == short)
    }

    @Test func `A slash becomes a minus, a plus stays`() {
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst32") == "q+-Z")
    }

    @Test func `Two instance identifiers can have one computed identifier`() {
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst7617") == "pT1l")
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst7741") == "pT1l")
    }

    @Test func `Lock files and memory of the worked example`() {
        let names = SharedNames(
            instanceId: "com.wultra.lab.shared", appGroup: "group.com.example.lab", memoryIdentifier: nil)
        #expect(names.statusLock == "PowerAuthSharedLock-cf1OLbsExY28PFnoY1N18AJZA88fDmgATQcyPR35nDU")
        #expect(names.operationLock == "PowerAuthSharedLock-CsOyW3w29D5ytxoIf0kmqjWO1HgnthffsVnuC2xm2zA")
        #expect(names.queueLock == "PowerAuthSharedLock-Ew9VKhvy2xaW+pDEK+v5jhrPbksekv9pZOFp1RT7g7Q")
        #expect(names.memoryName == "group.com.example.lab.Ez3P")
    }

    @Test(.verifies("size", "SharedNames.memoryNameLimit")) func `The longest memory name has 31 bytes`() {
        let names = SharedNames(
            instanceId: "SharedInstanceTests", appGroup: "group.com.wultra.testGroup", memoryIdentifier: nil)
        #expect(names.memoryName == "group.com.wultra.testGroup.FVv7")
        #expect(names.memoryName.utf8.count == SharedNames.memoryNameLimit)
    }
}
