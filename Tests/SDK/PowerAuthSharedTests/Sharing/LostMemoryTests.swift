// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Loss of shared memory and locks in use (sharing.md, sections 5 to 7)", .endsInTime)
struct LostMemoryTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    private let name = SharingApp.appGroup + ".Ez3P"
    private var traces: String { device.layout.root + "/run/traces" }

    /// The name by which the machine knows the memory.
    private func physicalName() throws -> String {
        let boot = try DeviceRegistry(layout: device.layout, device: device.spec.name).boot()
        return BootNames(layout: device.layout, device: device.spec.name, boot: boot).physicalName(of: name)
    }

    private func cut(to size: Int) throws { try SharedMemoryObject.open(name: physicalName()).truncate(to: size) }

    private func repairs() throws -> [JSONValue?] {
        try TraceReader.readAll(traces).filter { $0.name == .memoryRepaired }.map { $0.fields["cause"] }
    }

    @Test func `They meet in one memory after its name was removed, in either order`() throws {
        let main = try SharingApp("main", on: device, traceDirectory: traces)
        let wallet = try SharingApp("wallet", on: device, traceDirectory: traces)
        try main.save(StoredStates.version6)
        #expect(wallet.interface.hasValidActivation())
        try SharedMemoryObject.unlink(name: physicalName())
        let late = try SharingApp("late", on: device)
        try late.save(StoredStates.counted(9))
        #expect(try main.state() == StoredStates.counted(9))
        try main.save(StoredStates.counted(10))
        #expect(try wallet.state() == StoredStates.counted(10))
        #expect(try late.state() == StoredStates.counted(10))
        #expect(try repairs() == [], "only the late application has made memory")

        try SharedMemoryObject.unlink(name: physicalName())
        try wallet.save(StoredStates.counted(11))
        #expect(try main.state() == StoredStates.counted(11))
        #expect(try repairs() == ["noName"])
    }

    @Test func `Equal counters of two memories do not hide a change`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        #expect(try main.interface.snapshot().stateModifyCounter == 2)
        try SharedMemoryObject.unlink(name: physicalName())
        try SharingApp("late", on: device).save(StoredStates.counted(9))
        #expect(try main.state() == StoredStates.counted(9))
        #expect(try main.interface.snapshot().stateModifyCounter == 2)
    }

    @Test(arguments: [0, 100, 255])
    func `Truncated memory is created again, before and inside a task`(size: Int) throws {
        let main = try SharingApp("main", on: device, traceDirectory: traces)
        let wallet = try SharingApp("wallet", on: device)
        try main.save(StoredStates.version6)
        try cut(to: size)
        try main.save(StoredStates.counted(9))
        #expect(try wallet.state() == StoredStates.counted(9))
        try wallet.interface.write { session in
            _ = session.deserializeState(StoredStates.counted(10))
            try cut(to: size)
        }
        #expect(try main.state() == StoredStates.counted(10))
        #expect(try main.memory().count == SharedData.size)
        #expect(try repairs() == ["noSize"])
    }

    @Test func `Tokens are read again after the memory was lost`() throws {
        let main = try TokenApp("main", on: device)
        let wallet = try TokenApp("wallet", on: device)
        try main.app.save(StoredStates.version6)
        main.put("T")
        #expect(wallet.store.hasLocalToken(withName: "T"))
        try SharedMemoryObject.unlink(name: physicalName())
        main.store.removeLocalToken(withName: "T")
        #expect(!wallet.store.hasLocalToken(withName: "T"))
    }

    @Test func `A pending activation and its operation survive the loss of the memory`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        try SharedMemoryObject.unlink(name: physicalName())
        let error = try #require(throws: NSError.self) { try wallet.startActivation() }
        #expect(error.powerAuthErrorCode == .externalPendingOperation)
        #expect(main.interface.hasPendingActivation())
        #expect(wallet.interface.externalPendingOperation?.externalApplicationId == "main")
        try main.save(StoredStates.version6)
        #expect(wallet.interface.externalPendingOperation == nil)
        #expect(wallet.interface.hasValidActivation())
    }

    @Test
    func
        `A name taken by another instance meanwhile is a named error, reported once each time, until it is free again`()
        throws
    {
        let main = try SharingApp("main", on: device, traceDirectory: traces)
        try main.save(StoredStates.version6)
        let own = try main.memoryBytes()
        for time in 1...2 {
            try SharedMemoryObject.unlink(name: physicalName())
            let foreign = try main.sandbox.sharedMemory.create(name: name, size: SharedData.size).map()
            foreign.bytes.copyBytes(from: own)
            foreign.bytes[224] ^= 1
            for _ in 0..<3 {
                let error = try #require(throws: NSError.self) { try main.state() }
                #expect(error.powerAuthErrorCode == .invalidActivationState)
                #expect(
                    error.userInfo[NSUnderlyingErrorKey] as? InvalidConfiguration
                        == .sharedMemoryForeignInstance(name: name))
            }
            #expect(try TraceReader.readAll(traces).filter { $0.name == .configurationRejected }.count == time)
            try SharedMemoryObject.unlink(name: physicalName())
            #expect(try main.state() == StoredStates.version6)
        }
    }

    @Test func `Two applications exclude each other after their container was deleted`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.save(StoredStates.version6)
        let container = try #require(main.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        try Files.removeTree(container)
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        try main.interface.write { session in
            let outsider = try FileLock(path: container + "/" + names.statusLock)
            #expect(try !outsider.tryLock(), "the status lock is that of a deleted file")
            _ = session.deserializeState(StoredStates.counted(9))
        }
        #expect(try wallet.state() == StoredStates.counted(9))
        #expect(throws: InvalidConfiguration.self, "the memory's name was not recorded again") {
            try SharingApp("third", on: device, memoryIdentifier: "zz")
        }
    }

    @Test func `Counters at their greatest value continue at one that no application can be in step with`() throws {
        let main = try TokenApp("main", on: device)
        let wallet = try TokenApp("wallet", on: device)
        let memory = try main.app.memory()
        for place in [8..<24, 88..<96].joined() { memory.bytes[place] = 0xFF }
        try main.app.save(StoredStates.version6)
        #expect(try wallet.app.state() == StoredStates.version6)
        main.put("T")
        #expect(wallet.store.hasLocalToken(withName: "T"))
        main.store.removeLocalToken(withName: "T")
        #expect(!wallet.store.hasLocalToken(withName: "T"))
        wallet.app.interface.resetSession()
        try main.app.startActivation()
        let snapshot = try wallet.app.interface.snapshot()
        let first: UInt64 = 1 << 62
        #expect(snapshot.stateModifyCounter == first + 1)
        #expect(snapshot.tokenModifyCounter == first)
        #expect(snapshot.operationTicket == first)
        #expect(wallet.app.interface.externalPendingOperation?.externalApplicationId == "main")
        withExtendedLifetime(memory) {}
    }

    @Test(arguments: [0x00, 0xFF] as [UInt8])
    func `No byte value in the memory crashes a process`(value: UInt8) throws {
        let main = try TokenApp("main", on: device)
        let memory = try main.app.memory()
        var rounds = 0
        for place in 0..<SharedData.size {
            let before = memory.bytes[place]
            memory.bytes[place] = value
            try main.app.save(place.isMultiple(of: 2) ? StoredStates.version6 : StoredStates.counted(9))
            main.store.removeAllLocalTokens()
            _ = main.app.interface.externalPendingOperation
            main.app.interface.resetSession()
            try? main.app.startActivation()
            main.app.interface.resetSession()
            if place < 8 || place >= 224 { memory.bytes[place] = before }
            rounds += 1
        }
        #expect(rounds == SharedData.size)
        try main.app.save(StoredStates.version6)
        #expect(try SharingApp("late", on: device).state() == StoredStates.version6)
        withExtendedLifetime(memory) {}
    }
}
