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

@Suite("One application starts an activation (sharing.md, sections 8 and 19.3)", .endsInTime)
struct ExternalOperationTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    @Test(.verifies("sharing.md", "S-5"))
    func `S-5: the others see the operation and its owner, and cannot start one`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        #expect(main.interface.externalPendingOperation == nil)
        let seen = try #require(wallet.interface.externalPendingOperation)
        #expect(seen.externalOperationType == .activation)
        #expect(seen.externalApplicationId == "main")

        let error = try #require(throws: NSError.self) { try wallet.startActivation() }
        #expect(error.powerAuthErrorCode == .externalPendingOperation)
        #expect(error.localizedDescription == "Other application does critical operation")
        #expect(error.powerAuthExternalPendingOperation?.externalApplicationId == "main")
        #expect(error.powerAuthExternalPendingOperation?.externalOperationType == .activation)
        #expect(!wallet.interface.hasPendingActivation())
        #expect(main.interface.hasPendingActivation())
    }

    @Test(.verifies("sharing.md", "I-6"))
    func `I-6: a start counts the ticket, the end clears type, time and application`() throws {
        let main = try SharingApp("main", on: device)
        try main.startActivation()
        let running = try main.interface.snapshot()
        #expect(running.operationTicket == 2)
        #expect(running.operationType == 1)
        #expect(running.operationTouched != nil)
        main.interface.resetSession()
        let ended = try main.interface.snapshot()
        #expect(ended.operationTicket == 2)
        #expect(ended.operationType == 0)
        #expect(ended.operationTouched == nil)
        #expect(ended.operationApplication == "")
    }

    @Test func `The end of the owner's activation lets the others start`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        main.interface.resetSession()
        #expect(wallet.interface.externalPendingOperation == nil)
        try wallet.startActivation()
        #expect(main.interface.externalPendingOperation?.externalApplicationId == "wallet")
    }

    @Test func `Each start asks for the operation lock, and only one that no other application keeps from it takes it`()
        throws
    {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        for point in [FaultPoint.operationLockTake, .operationLockTaken] {
            try device.faults.arm(FaultRule(point: point, process: "wallet", action: .delay(.zero), limit: 0))
        }
        try main.startActivation()
        #expect(throws: NSError.self) { try wallet.startActivation() }
        #expect(device.faults.rules().map(\.passed) == [1, 0])
        main.interface.resetSession()
        try wallet.startActivation()
        #expect(device.faults.rules().map(\.passed) == [2, 1])
    }

    @Test func `Persisting ends the operation in the same task`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        try main.save(StoredStates.version6)
        #expect(wallet.interface.externalPendingOperation == nil)
        #expect(wallet.interface.hasValidActivation())
    }

    @Test func `A second start by the owner is refused as already started`() throws {
        let main = try SharingApp("main", on: device)
        try main.startActivation()
        let error = try #require(throws: NSError.self) {
            try main.interface.write { _ in try main.interface.startExternalPendingOperation(.activation) }
        }
        #expect(error.powerAuthErrorCode == .operationCancelled)
    }

    @Test func `The operation of a dead owner is removed`() throws {
        let traces = device.layout.root + "/run/traces"
        let wallet = try SharingApp("wallet", on: device, traceDirectory: traces)
        try startAndDie(quirks: [])
        #expect(wallet.interface.externalPendingOperation == nil)
        #expect(try wallet.interface.snapshot().operationType == 0)
        let repairs = try TraceReader.readAll(traces).filter { $0.name == .memoryRepaired }
        #expect(repairs.map { $0.fields["cause"] } == ["deadOwner"])
        try wallet.startActivation()
    }

    @Test func `Starting an operation over that of a dead owner reports the repair, too`() throws {
        let traces = device.layout.root + "/run/traces"
        let wallet = try SharingApp("wallet", on: device, traceDirectory: traces)
        try startAndDie(quirks: [])
        try wallet.startActivation()
        let repairs = try TraceReader.readAll(traces).filter { $0.name == .memoryRepaired }
        #expect(repairs.map { $0.fields["cause"] } == ["deadOwner"])
    }

    @Test
    func `The trace shows the operation lock: from the start of an operation to its end, or to that of its owner`()
        throws
    {
        let traces = device.layout.root + "/run/traces"
        func told() throws -> [TraceEventName] {
            try TraceReader.readAll(traces).filter { $0.fields["lock"] == "operation" }.map(\.name)
        }
        do {
            let main = try SharingApp("main", on: device, traceDirectory: traces)
            try main.startActivation()
            #expect(try told() == [.lockTaken])
            main.interface.resetSession()
            #expect(try told() == [.lockTaken, .lockReleased])
            try main.startActivation()
        }
        #expect(try told() == [.lockTaken, .lockReleased, .lockTaken, .lockReleased])
    }

    @Test func `Clearing the operation of a dead owner does not keep it for the clearing application`() throws {
        let wallet = try SharingApp("wallet", on: device)
        try startAndDie(quirks: [])
        #expect(wallet.interface.externalPendingOperation == nil)
        try SharingApp("main", on: device).startActivation()
    }

    /// How an owner loses its operation to another process.
    enum Loss: CaseIterable, Sendable {
        case ticket, type, lockFile
    }

    @Test(arguments: Loss.allCases)
    func
        `An owner whose operation was taken over leaves the new one alone and gives its own lock back (sharing.md, D13)`(
            loss: Loss
        ) throws
    {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        let memory = try main.memory()
        var newHolder: FileLock?
        switch loss {
        case .ticket: memory.bytes[88] += 1
        case .type: memory.bytes[72] = 2
        case .lockFile:
            let path = try operationLockPath(main)
            try Files.remove(path)
            newHolder = try FileLock(path: path)
            #expect(try newHolder?.tryLock() == true)
        }
        main.interface.resetSession()
        #expect(try wallet.interface.snapshot().operationType == (loss == .type ? 2 : 1))
        withExtendedLifetime((memory, newHolder)) {}
        try newHolder?.unlock()
        #expect(wallet.interface.externalPendingOperation == nil, "no process holds the lock")
        try wallet.startActivation()
        #expect(main.interface.externalPendingOperation?.externalApplicationId == "wallet")
    }

    private func operationLockPath(_ app: SharingApp) throws -> String {
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(app.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        return container + "/" + names.operationLock
    }

    @Test func `A restarted owner does not get its own operation reported`() throws {
        try startAndDie(quirks: [])
        let main = try SharingApp("main", on: device)
        #expect(try main.interface.snapshot().operationType == 0)
        #expect(main.interface.externalPendingOperation == nil)
        #expect(!main.interface.hasPendingActivation())
    }

    @Test func `With the quirk sharing.D1 a dead owner is reported until an operation starts`() throws {
        let wallet = try SharingApp("wallet", on: device, quirks: ["sharing.D1"])
        try startAndDie(quirks: ["sharing.D1"])
        #expect(wallet.interface.externalPendingOperation?.externalApplicationId == "main")
        let main = try SharingApp("main", on: device, quirks: ["sharing.D1"])
        #expect(main.interface.externalPendingOperation?.externalApplicationId == "main")
        try wallet.startActivation()
        #expect(main.interface.externalPendingOperation?.externalApplicationId == "wallet")
    }

    @Test func `A held lock without information is reported as such`() throws {
        let main = try SharingApp("main", on: device)
        let lock = try FileLock(path: operationLockPath(main))
        #expect(try lock.tryLock())
        let error = try #require(throws: NSError.self) { try main.startActivation() }
        #expect(error.powerAuthErrorCode == .externalPendingOperation)
        #expect(error.powerAuthExternalPendingOperation == nil)
        #expect(error.localizedDescription.hasSuffix("no additional information is provided."))
    }

    /// An application starts an activation and its object is released: the descriptors close, the memory keeps its
    /// content. So this shows how the others handle that state. That the kernel closes the descriptors of a killed
    /// process, at any point, is shown by `Scenarios/sharing/owner-of-pending-activation-is-killed.yaml` and
    /// `Scenarios/sharing/killed-while-it-*.yaml`.
    private func startAndDie(quirks: [String]) throws {
        let main = try SharingApp("main", on: device, quirks: quirks)
        try main.startActivation()
    }
}
