// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Two applications share a session (sharing.md, sections 7 and 19.10)", .endsInTime)
struct SharedSessionTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    @Test func `A state saved by one application is visible to the other at its next task`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        #expect(!wallet.interface.hasValidActivation())
        try main.save(StoredStates.version6)
        #expect(wallet.interface.hasValidActivation())
        #expect(wallet.interface.activationIdentifier == StoredStates.activationId)
        wallet.interface.resetSession()
        #expect(!main.interface.hasValidActivation())
        #expect(main.interface.activationIdentifier == nil)
    }

    @Test(.verifies("sharing.md", "S-2")) func `S-2: an application that starts later finds the activation`() throws {
        try SharingApp("main", on: device).save(StoredStates.version6)
        #expect(try SharingApp("main", on: device).state() == StoredStates.version6)
    }

    @Test(.verifies("sharing.md", "I-3"))
    func `I-3: reading never counts, and neither does a write task that changes nothing`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let before = try main.interface.snapshot()
        _ = try main.state()
        _ = main.interface.hasValidActivation()
        try main.save(StoredStates.version6)
        #expect(try main.interface.snapshot() == before)
    }

    @Test(.verifies("sharing.md", "I-4"))
    func `I-4: a changed state counts once, however deep the tasks were nested`() throws {
        let main = try SharingApp("main", on: device)
        try main.interface.read { _ in
            try main.save(StoredStates.version6)
            try main.interface.write { _ in try main.save(StoredStates.counted(9)) }
            #expect(try main.interface.snapshot().stateModifyCounter == 1)
        }
        #expect(try main.interface.snapshot().stateModifyCounter == 2)
    }

    @Test func `Starting an activation is not saved, so no other application sees it in the state`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.startActivation()
        #expect(main.interface.hasPendingActivation())
        #expect(!wallet.interface.hasPendingActivation())
        #expect(wallet.interface.canStartActivation())
        #expect(try wallet.interface.snapshot().stateModifyCounter == 1)
    }

    @Test(.verifies("sharing.md", "I-7"))
    func `I-7: while one application is inside a task, the other waits and then sees the result`() async throws {
        //  main                         wallet
        //  enter task ---- entered ---> start task (blocks in the status lock)
        //  save, leave                  task runs, sees the new state
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(main.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        let outsider = try FileLock(path: container + "/" + names.statusLock)
        let mainInterface = main.interface
        let walletInterface = wallet.interface
        let seen = try await onThread {
            let result = Mutex<Bool?>(nil)
            let finished = DispatchSemaphore(value: 0)
            try mainInterface.write { session in
                let isFree = try outsider.tryLock()
                #expect(!isFree, "the status lock is not held inside a task")
                let thread = Thread {
                    let sees = walletInterface.hasValidActivation()
                    result.withLock { $0 = sees }
                    finished.signal()
                }
                thread.start()
                _ = session.deserializeState(StoredStates.version6)
                #expect(result.withLock { $0 } == nil)
            }
            finished.wait()
            return result.withLock { $0 }
        }
        #expect(seen == true)
        #expect(try outsider.tryLock())
    }

    @Test
    func `A thread that enters a second object of the same instance inside a task is refused, not stuck`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.interface.read { _ in
            let error = #expect(throws: NSError.self) { try wallet.interface.read { _ in } }
            #expect(error?.powerAuthErrorCode == .invalidActivationState)
            #expect(error?.localizedDescription.contains("another SDK object of the same instanceId") == true)
        }
        #expect(!wallet.interface.hasValidActivation())
    }

    @Test func `A thread that has given the lock back waits for another process like any other thread`() throws {
        let (path, traces) = (device.layout.root + "/lock", device.layout.root + "/run/traces")
        let sandbox = try SharingApp.sandbox("main", on: device, traceDirectory: traces)
        let lock = try SharedLock(path: path, report: LockReport(.status, sandbox: sandbox))
        let other = try FileLock(path: path)
        try lock.lock()
        lock.unlock()
        try other.lock()
        Thread.detachNewThread {
            while (try? TraceReader.readAll(traces).contains { $0.name == .lockRequested }) != true {}
            try? other.unlock()
        }
        try lock.lock()
        lock.unlock()
        #expect(
            try TraceReader.readAll(traces).map(\.name)
                == [.lockTaken, .lockReleased, .lockRequested, .lockTaken, .lockReleased])
    }

    @Test func `Work for outside of a task runs after the task, or at once without one`() async throws {
        let main = try SharingApp("main", on: device)
        let interface = main.interface
        let order = Mutex<[String]>([])
        interface.executeOutsideOfTask(queue: .global()) { order.withLock { $0.append("at once") } }
        #expect(order.withLock { $0 } == ["at once"])
        try await onThread {
            let finished = DispatchSemaphore(value: 0)
            try interface.read { _ in
                interface.executeOutsideOfTask(queue: .global()) {
                    order.withLock { $0.append("outside") }
                    finished.signal()
                }
                order.withLock { $0.append("task") }
            }
            finished.wait()
        }
        #expect(order.withLock { $0 } == ["at once", "task", "outside"])
    }
}

/// Keychain and system refuse a step of a save, and the process lives on. Processes that die there are in
/// `Scenarios/quirks/death-after-a-save-*.yaml` and `EndToEndTests/Peers/SharingTests.swift`.
@Suite("A save fails (sharing.md, D7 and D8)", .endsInTime)
struct InterruptedSaveTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    private func arm(_ point: FaultPoint, _ process: String = "main") throws {
        _ = try device.faults.arm(FaultRule(point: point, process: process, action: .fail("EIO")))
    }

    @Test func `A save that fails behind the keychain leaves no application with an old state`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.save(StoredStates.version6)
        #expect(try wallet.state() == StoredStates.version6)
        try arm(.stateSaved)
        #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(try wallet.state() == StoredStates.counted(9))
    }

    @Test func `With the quirk sharing.D7 the other application continues with the old state`() throws {
        let main = try SharingApp("main", on: device, quirks: ["sharing.D7"])
        let wallet = try SharingApp("wallet", on: device, quirks: ["sharing.D7"])
        try main.save(StoredStates.version6)
        #expect(try wallet.state() == StoredStates.version6)
        try arm(.stateSaved)
        #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(try wallet.state() == StoredStates.version6)
    }

    @Test func `A keychain that refuses makes the task fail, and the session holds the stored state again`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        try arm(.keychainWrite)
        let error = #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(try main.state() == StoredStates.version6)
        try main.save(StoredStates.counted(10))
        #expect(try main.state() == StoredStates.counted(10))
    }

    @Test func `A task that cannot ask for the lock fails and changes nothing, and the next one has its turn`() throws {
        let main = try SharingApp("main", on: device)
        let wallet = try SharingApp("wallet", on: device)
        try main.save(StoredStates.version6)
        try arm(.statusLockTake)
        let error = #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(try wallet.state() == StoredStates.version6)
        try main.save(StoredStates.counted(9))
        #expect(try wallet.state() == StoredStates.counted(9))
        try arm(.statusLockTake, "widget")
        #expect(throws: InvalidConfiguration.self) { try SharingApp("widget", on: device) }
    }

    @Test func `A temporarily unreadable state is not taken for a missing one, and is readable afterwards`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let wallet = try SharingApp("wallet", on: device)
        try arm(.keychainRead, "wallet")
        #expect(!wallet.interface.canStartActivation())
        #expect(try wallet.state() == StoredStates.version6)
        #expect(!wallet.interface.canStartActivation(), "there is an activation")

        try main.save(StoredStates.empty)
        try arm(.keychainRead, "wallet")
        let error = #expect(throws: NSError.self) { try wallet.state() }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(wallet.interface.canStartActivation())
    }

    @Test func `A save that fails before anything was counted leaves the stored state in the session`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        try arm(.counterBumped)
        #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(try main.state() == StoredStates.version6)
    }

    @Test func `With the quirk sharing.D7 a refused save looks like a success`() throws {
        let main = try SharingApp("main", on: device, quirks: ["sharing.D7"])
        try main.save(StoredStates.version6)
        try arm(.keychainWrite)
        try main.save(StoredStates.counted(9))
        #expect(try main.state() == StoredStates.counted(9))
        #expect(try SharingApp("wallet", on: device).state() == StoredStates.version6)
    }

    @Test func `A state that was changed without the lock is not overwritten`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: SharingApp.accessGroup, system: main.sandbox.keychain)
        keychain.updateValue(StoredStates.counted(7), forKey: SharingApp.instanceId)
        #expect(throws: NSError.self) { try main.save(StoredStates.counted(9)) }
        #expect(try main.state() == StoredStates.counted(7))
    }
}
