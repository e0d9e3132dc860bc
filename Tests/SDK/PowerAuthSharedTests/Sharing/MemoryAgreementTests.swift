import Foundation
import LabKit
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Applications agree on one memory (sharing.md, D15 and D16)", .endsInTime)
struct MemoryAgreementTests {
    private let device: TemporaryDevice

    init() throws {
        device = try TemporaryDevice()
    }

    @Test("An instance whose computed identifier is taken works with another one")
    func otherIdentifier() throws {
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

    @Test("A recorded name of another instance blocks no application")
    func recordOfAnotherInstance() throws {
        let first = try SharingApp("first", on: device, instanceId: "inst7617")
        let names = SharedNames(instanceId: "inst7741", appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(first.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        try Files.write(Data(names.memoryName.utf8), to: container + "/" + names.memoryRecord)
        let second = try SharingApp("second", on: device, instanceId: "inst7741", memoryIdentifier: "own")
        try second.save(StoredStates.version6)
        #expect(try first.interface.snapshot().stateModifyCounter == 1)
    }

    @Test("An identifier changes when the old memory is unused, which is removed")
    func changedIdentifier() throws {
        try SharingApp("main", on: device).save(StoredStates.version6)
        let updated = try SharingApp("main", on: device, memoryIdentifier: "new")
        #expect(try updated.state() == StoredStates.version6)
        #expect(throws: SystemError.self) { try updated.sandbox.sharedMemory.open(name: SharingApp.appGroup + ".Ez3P") }
        #expect(throws: InvalidConfiguration.self) { try SharingApp("old", on: device) }
        withExtendedLifetime(updated) {}
    }

    @Test("An invalid recorded name is replaced", arguments: ["", "group.example.other", "x".padded(to: 40)])
    func damagedRecord(text: String) throws {
        let first = try SharingApp("first", on: device)
        let names = SharedNames(
            instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(first.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        let record = container + "/" + names.memoryRecord
        try Files.write(Data(text.utf8), to: record)
        _ = try SharingApp("second", on: device)
        #expect(try Files.read(record) == Data(names.memoryName.utf8))
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        padding(toLength: count, withPad: "x", startingAt: 0)
    }
}
