// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Changes of tokens are counted between applications (sharing.md, section 7.7)", .endsInTime)
struct TokenCountingTests {
    private let device: TemporaryDevice
    private let main: SharingApp
    private let memoryName = SharingApp.appGroup + ".Ez3P"

    init() throws {
        device = try TemporaryDevice()
        main = try SharingApp("main", on: device)
    }

    /// The lock of an extension of the applications.
    private func extensionLock() throws -> SharedTokenLock {
        try SharedTokenLock(
            sharing: PowerAuthSharingConfiguration(
                appGroup: SharingApp.appGroup, appIdentifier: "extension",
                keychainAccessGroup: SharingApp.accessGroup),
            instanceId: SharingApp.instanceId, sandbox: SharingApp.sandbox("extension", on: device))
    }

    /// One access to the tokens.
    ///
    /// - Parameter changes: how often it announces a change.
    /// - Returns: whether cached tokens were stale.
    private func access(_ lock: any TokenStoreLock, changes: Int = 0) throws -> Bool {
        let isStale = try lock.lockTokenStore()
        for _ in 0..<changes { lock.tokenStoreWillChange() }
        lock.unlockTokenStore()
        return isStale
    }

    /// What the memory has counted, from 1.
    private func counted() throws -> UInt64 { try main.interface.snapshot().tokenModifyCounter }

    /// The lock that every process takes for a task, as another process sees it.
    private func statusLockOfOthers() throws -> FileLock {
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let container = try #require(main.sandbox.containerPath(forAppGroup: SharingApp.appGroup))
        return try FileLock(path: container + "/" + names.statusLock)
    }

    @Test
    func `An application finds its tokens stale once after each access that changed some in another one`() throws {
        let wallet = try SharingApp("wallet", on: device)
        #expect(try access(main.interface), "it knows nothing yet")
        #expect(try !access(main.interface))
        #expect(try access(wallet.interface, changes: 2))
        #expect(try counted() == 2, "an access counts once, however much it changes")
        #expect(try !access(wallet.interface), "the change is its own")
        #expect(try access(main.interface))
        #expect(try !access(main.interface, changes: 1))
        #expect(try counted() == 3)
        #expect(try !access(main.interface))
        #expect(try access(wallet.interface))
        #expect(try !access(wallet.interface))
    }

    @Test func `An extension counts as an application does, and always finds its tokens stale`() throws {
        let lock = try extensionLock()
        #expect(try access(main.interface))
        #expect(try access(lock))
        #expect(try access(lock))
        #expect(try counted() == 1)
        #expect(try !access(main.interface))
        #expect(try access(lock, changes: 2))
        #expect(try counted() == 2)
        #expect(try access(lock, changes: 1))
        #expect(try counted() == 3)
        #expect(try access(main.interface))
    }

    @Test func `An access of an extension excludes the applications until it ends`() throws {
        let (lock, outsider) = (try extensionLock(), try statusLockOfOthers())
        #expect(try outsider.tryLock())
        try outsider.unlock()
        _ = try lock.lockTokenStore()
        #expect(try !outsider.tryLock())
        lock.unlockTokenStore()
        #expect(try outsider.tryLock())
    }

    @Test func `An extension counts in the memory that the applications use now`() throws {
        let lock = try extensionLock()
        #expect(try access(main.interface, changes: 3))
        #expect(try counted() == 2)
        try main.sandbox.sharedMemory.unlink(name: memoryName)
        #expect(try counted() == 1, "the application has made new memory")
        _ = try access(main.interface)
        #expect(try access(lock, changes: 1))
        #expect(try counted() == 2)
        #expect(try access(main.interface))
    }

    @Test func `An access that finds no usable memory locks nothing`() throws {
        let (lock, outsider) = (try extensionLock(), try statusLockOfOthers())
        let own = try main.memoryBytes()
        try main.sandbox.sharedMemory.unlink(name: memoryName)
        let foreign = try main.sandbox.sharedMemory.create(name: memoryName, size: SharedData.size).map()
        foreign.bytes.copyBytes(from: own)
        foreign.bytes[224] ^= 1
        for lock in [lock, main.interface] as [any TokenStoreLock] {
            let error = #expect(throws: NSError.self) { try lock.lockTokenStore() }
            #expect(error?.powerAuthErrorCode == .invalidActivationState)
            #expect(try outsider.tryLock())
            try outsider.unlock()
        }
        try main.sandbox.sharedMemory.unlink(name: memoryName)
        #expect(try access(lock))
        #expect(try access(main.interface))
    }
}
