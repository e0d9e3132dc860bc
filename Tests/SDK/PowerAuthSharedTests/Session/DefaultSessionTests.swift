// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthShared

@Suite("A session without sharing (sharing.md, section 9)", .endsInTime)
struct DefaultSessionTests {
    @Test(
        arguments: [
            (errSecBadReq, "changed by a process that did not hold the status lock"),
            (errSecDuplicateItem, "changed by a process that did not hold the status lock"),
            (errSecItemNotFound, "changed by a process that did not hold the status lock"),
            (errSecMissingEntitlement, "not entitled to the keychain access group"),
            (errSecInteractionNotAllowed, "did not store the session state"),
        ])
    func `A state that is not stored reports the reason`(status: OSStatus, reason: String) {
        let text = SessionStateStore.SaveFailure(status: status).description
        #expect(text.contains(reason) && text.contains("(status \(status))"))
    }

    private let sandbox: Sandbox
    private let keychain: PowerAuthKeychain

    init() throws {
        sandbox = try Sandbox.temporary()
        keychain = PowerAuthKeychain(identifier: PowerAuthKeychain_Status, accessGroup: nil, system: sandbox.keychain)
    }

    private func start() throws -> DefaultSessionInterface {
        try Installed(in: sandbox, instanceId: "i").session(in: sandbox)
    }

    @Test
    func `The state is stored at the end of the outermost task with a write in it, and found after a restart`() throws {
        let interface = try start()
        #expect(interface.canStartActivation())
        try interface.read { _ in
            interface.writeVoidTask { _ = $0.deserializeState(StoredStates.version6) }
            #expect(keychain.data(forKey: "i") == nil)
        }
        #expect(keychain.data(forKey: "i") == StoredStates.version6)
        #expect(try start().activationIdentifier == StoredStates.activationId)
    }

    @Test func `A read task does not store`() throws {
        try start().readVoidTask { _ = $0.deserializeState(StoredStates.version6) }
        #expect(keychain.data(forKey: "i") == nil)
    }

    @Test func `An empty session is stored as three bytes`() throws {
        let interface = try start()
        try interface.write { _ = $0.deserializeState(StoredStates.version6) }
        interface.resetSession()
        #expect(keychain.data(forKey: "i") == StoredStates.empty)
    }

    @Test func `A task that throws stores its changes, and its error is passed on`() throws {
        let interface = try start()
        #expect(throws: CancellationError.self) {
            try interface.write { session in
                _ = session.deserializeState(StoredStates.version6)
                throw CancellationError()
            }
        }
        #expect(keychain.data(forKey: "i") == StoredStates.version6)
    }

    @Test func `A keychain that refuses makes the task fail, and the session holds the stored state again`() throws {
        let device = try TemporaryDevice()
        let sandbox = try device.sandbox()
        let interface = try Installed(in: sandbox, instanceId: "i").session(in: sandbox)
        try interface.write { _ = $0.deserializeState(StoredStates.version6) }
        try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        let error = #expect(throws: NSError.self) {
            try interface.write { _ = $0.deserializeState(StoredStates.counted(9)) }
        }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(try interface.read { $0.serializedState() } == StoredStates.version6)
    }

    @Test func `External operations start without effect, and tokens are never stale`() throws {
        let interface = try start()
        try interface.startExternalPendingOperation(.activation)
        #expect(interface.externalPendingOperation == nil)
        #expect(try !interface.lockTokenStore())
        interface.unlockTokenStore()
    }

    @Test func `While the stored state cannot be read, it is neither taken for absent nor overwritten`() throws {
        try sandbox.security.changeState { $0.reboot() }
        let interface = try start()
        let error = #expect(throws: NSError.self) { try interface.write { _ in } }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(throws: NSError.self) { try interface.read { _ in } }
        #expect(!interface.canStartActivation())
    }

    @Test
    func `Started before the first unlock of the device, it finds its state afterwards, and removes nothing`() throws {
        try start().write { _ = $0.deserializeState(StoredStates.version6) }
        try sandbox.security.changeState { $0.reboot() }
        let interface = try start()
        #expect(!interface.hasValidActivation())
        try sandbox.security.changeState { $0.unlock() }
        #expect(interface.activationIdentifier == StoredStates.activationId)
    }

    @Test func `Work outside of a task is done at once, and from inside of a task when it is over`() async throws {
        let interface = try start()
        let order = Mutex<[String]>([])
        func note(_ step: String) { order.withLock { $0.append(step) } }
        interface.executeOutside(ofTask: { note("at once") }, queue: .global())
        note("returned")
        #expect(order.withLock { $0 } == ["at once", "returned"])

        order.withLock { $0 = [] }
        await withCheckedContinuation { continuation in
            interface.writeVoidTask { _ in
                interface.executeOutside(
                    ofTask: {
                        note("outside")
                        continuation.resume()
                    }, queue: .global())
                note("inside")
            }
        }
        #expect(order.withLock { $0 } == ["inside", "outside"])
    }
}
