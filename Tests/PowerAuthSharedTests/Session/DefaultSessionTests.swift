import Foundation
import LabKit
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A session that nobody shares (sharing.md, section 9)", .endsInTime)
struct DefaultSessionTests {
    private let sandbox: Sandbox
    private let keychain: PowerAuthKeychain

    init() throws {
        sandbox = try Sandbox.temporary()
        keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: nil, system: sandbox.keychain)
    }

    private func start() -> DefaultSessionInterface {
        DefaultSessionInterface(
            session: SharingApp.newSession(), store: SessionStateStore(keychain: keychain, account: "i"),
            installation: InstallationCheck(keychains: [keychain], suiteName: nil, sandbox: sandbox), sandbox: sandbox)
    }

    @Test("The state is stored at the end of the outermost task with a write in it, and found after a restart")
    func storesState() throws {
        let interface = start()
        #expect(interface.canStartActivation())
        try interface.read { _ in
            interface.writeVoidTask { _ = $0.deserializeState(StoredStates.version6) }
            #expect(keychain.data(forKey: "i") == nil)
        }
        #expect(keychain.data(forKey: "i") == StoredStates.version6)
        #expect(start().activationIdentifier == StoredStates.activationId)
    }

    @Test("A read task does not store")
    func readTaskDoesNotStore() {
        start().readVoidTask { _ = $0.deserializeState(StoredStates.version6) }
        #expect(keychain.data(forKey: "i") == nil)
    }

    @Test("An empty session is stored as three bytes")
    func emptySession() throws {
        let interface = start()
        try interface.write { _ = $0.deserializeState(StoredStates.version6) }
        interface.resetSession()
        #expect(keychain.data(forKey: "i") == StoredStates.empty)
    }

    @Test("A task that throws stores what it changed, and its error comes through")
    func throwingTask() throws {
        let interface = start()
        #expect(throws: CancellationError.self) {
            try interface.write { session in
                _ = session.deserializeState(StoredStates.version6)
                throw CancellationError()
            }
        }
        #expect(keychain.data(forKey: "i") == StoredStates.version6)
    }

    @Test("A keychain that refuses makes the task fail, and the session holds the stored state again")
    func refusedSave() throws {
        let device = try TemporaryDevice()
        let sandbox = try device.sandbox()
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: nil, system: sandbox.keychain)
        let interface = DefaultSessionInterface(
            session: SharingApp.newSession(), store: SessionStateStore(keychain: keychain, account: "i"),
            installation: InstallationCheck(keychains: [keychain], suiteName: nil, sandbox: sandbox), sandbox: sandbox)
        try interface.write { _ = $0.deserializeState(StoredStates.version6) }
        try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        let error = #expect(throws: NSError.self) {
            try interface.write { _ = $0.deserializeState(StoredStates.counted(9)) }
        }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(try interface.read { $0.serializedState() } == StoredStates.version6)
    }

    @Test("External operations start without effect, and tokens are never stale")
    func nothingExternal() throws {
        let interface = start()
        try interface.startExternalPendingOperation(.activation)
        #expect(interface.externalPendingOperation == nil)
        #expect(try !interface.lockTokenStore())
        interface.unlockTokenStore()
    }

    @Test("While the stored state cannot be read, it is neither taken for absent nor overwritten")
    func unavailableState() throws {
        let foreign = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: "LABTEAM001.foreign", system: sandbox.keychain)
        let interface = DefaultSessionInterface(
            session: SharingApp.newSession(), store: SessionStateStore(keychain: foreign, account: "i"),
            installation: InstallationCheck(keychains: [], suiteName: nil, sandbox: sandbox), sandbox: sandbox)
        let error = #expect(throws: NSError.self) { try interface.write { _ in } }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(throws: NSError.self) { try interface.read { _ in } }
        #expect(!interface.canStartActivation())
    }

    @Test("Work outside of a task is done at once, and from inside of a task when it is over")
    func outsideOfATask() async throws {
        let interface = start()
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
