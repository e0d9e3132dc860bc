// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabPoints
import LabSystem
import PowerAuthProtocol
import SimulatedDevice

/// The named memory of an instance (sharing.md, section 5).
///
/// Opened or created at the beginning, and again after its name or the locks beside it were removed: a process that
/// kept the old memory would count where no other process looks. Every process that uses the memory marks it as used;
/// so applications with different identifiers never work side by side, while an identifier can change as soon as the
/// old memory is unused (sharing.md, D15).
///
/// Thread rule: every call happens under the status lock, which also closes the window between the creation of the memory
/// and its first content.
package final class SharedMemory: @unchecked Sendable {
    // Safe: the mutable properties are touched only while the status lock is held; the others are constants.

    private let names: SharedNames
    private let container: AppGroupContainer
    private let sandbox: Sandbox
    private var page: Page
    private var lockReplacements: Int
    /// What the last call of ``rejoin(_:)`` has refused, reported once.
    private var refusal: InvalidConfiguration?

    /// An open object and its mapped bytes.
    struct Page {
        let object: DeviceSharedMemory
        let memory: MappedMemory

        enum State {
            /// Others find these bytes under the name, and all of them may be touched.
            case usable
            /// Others find another object, or none.
            case withoutName
            /// Accessing the truncated part kills the process.
            case cut
        }

        var state: State {
            get throws {
                guard let size = try object.sizeIfNamed() else { return .withoutName }
                return size < SharedData.size ? .cut : .usable
            }
        }
    }

    /// The name that the operating system knows the memory by.
    var name: String { names.memoryName }
    /// The fields, to read them. Valid until the next call of ``rejoin(_:)``, and until a fault point is passed.
    var data: SharedData { fields(writing: false) }
    /// The fields, to change them. Valid as ``data``.
    var writableData: SharedData { fields(writing: true) }

    private func fields(writing: Bool) -> SharedData {
        sandbox.touch(.memory, writing: writing)
        return SharedData(base: page.memory.base)
    }

    /// Opens the memory, or creates and fills it. Existing content is checked and left as it is.
    /// - Parameters:
    ///   - names: the derived names.
    ///   - container: where the applications record the name that they use.
    ///   - statusLock: the lock, held by the caller.
    ///   - sandbox: the device.
    init(
        names: SharedNames, container: AppGroupContainer, statusLock: SharedLock, sandbox: Sandbox
    ) throws(InvalidConfiguration) {
        self.names = names
        self.container = container
        self.sandbox = sandbox
        page = try Self.join(names, container, sandbox)
        lockReplacements = statusLock.replacements
    }

    /// Continues with the memory that has the name now. Call before the fields are used in a task.
    /// - Parameter statusLock: the lock, held by the caller.
    /// - Returns: whether anything was replaced, which invalidates the caller's counters and tickets.
    /// - Throws: why no memory can be used; the fields must not be touched then.
    func rejoin(_ statusLock: SharedLock) throws(InvalidConfiguration) -> Bool {
        let replacements = statusLock.replacements
        sandbox.touch(.memory, writing: false)
        do throws(InvalidConfiguration) {
            let state = try Self.translated(name) { try page.state }
            if state == .usable, replacements == lockReplacements { return false }
            page = try Self.join(names, container, sandbox)
            if state == .withoutName, page.object.created {
                sandbox.trace(.memoryRepaired, [.memory: .text(name), .damage: .word(MemoryDamage.noName)])
            }
        } catch {
            if error != refusal { error.report(in: sandbox) }
            refusal = error
            throw error
        }
        refusal = nil
        lockReplacements = replacements
        return true
    }
}

/// How an application comes to the memory that the others use, or makes the first.
extension SharedMemory {
    /// Opens or makes the memory, after the applications agree on its name.
    ///
    /// The name is recorded last: one that turned out to be taken must not stand in the way of the other identifier that
    /// the error asks for (sharing.md, D15 and D16).
    static func join(
        _ names: SharedNames, _ container: AppGroupContainer, _ sandbox: Sandbox
    ) throws(InvalidConfiguration) -> Page {
        // The name and who uses the memory; again after each fault point below.
        sandbox.touch(.memory, writing: true)
        let name = names.memoryName
        let recorded = sandbox.keeps(.memoryNamesMayDiffer) ? name : container.recordedMemoryName(names)
        if let recorded, recorded != name {
            let isOver = try translated(recorded) { try endUnused(recorded, names, sandbox) }
            guard isOver else { throw .sharedMemoryNameDiffers(used: name, expected: recorded) }
        }
        let page = try translated(name) { () throws in
            let page = try openOrCreate(name, sandbox)
            try page.object.markAsUsed()
            return page
        }
        let data = SharedData(base: page.memory.base)
        if data.isUninitialized {
            data.initialize(instanceHash: names.instanceHash)
            if page.object.created {
                sandbox.trace(.memoryCreated, [.memory: .text(name)])
            } else {
                sandbox.trace(.memoryRepaired, [.memory: .text(name), .damage: .word(MemoryDamage.noContent)])
            }
            try? sandbox.pass(.memoryInitialised)
        } else {
            try data.validate(instanceHash: names.instanceHash, name: name)
            sandbox.trace(.memoryOpened, [.memory: .text(name)])
        }
        if recorded != name { container.recordMemoryName(names) }
        return page
    }

    /// Removes the memory that the applications used under another identifier, if it is no longer in use: it is from an
    /// earlier version of them, or from an earlier boot.
    /// - Returns: false while it is in use.
    private static func endUnused(_ name: String, _ names: SharedNames, _ sandbox: Sandbox) throws -> Bool {
        // What cannot be opened is of an earlier boot, or no name at all.
        guard let object = try? sandbox.sharedMemory.open(name: name) else { return true }
        // A name recorded by a version that did so before it looked can be that of another instance's memory.
        if try isForeign(object, names) { return true }
        if try object.isInUse() { return false }
        try sandbox.sharedMemory.unlink(name: name)
        return true
    }

    private static func isForeign(_ object: DeviceSharedMemory, _ names: SharedNames) throws -> Bool {
        guard try object.size() >= SharedData.size else { return false }
        let page = try mapped(object)
        do {
            try SharedData(base: page.memory.base).validate(instanceHash: names.instanceHash, name: object.name)
        } catch .sharedMemoryForeignInstance {
            return true
        } catch {
            // Damaged, so not of another instance either.
        }
        return false
    }

    private static func openOrCreate(_ name: String, _ sandbox: Sandbox) throws -> Page {
        let space = sandbox.sharedMemory
        do {
            let existing = try space.open(name: name)
            if try existing.size() >= SharedData.size { return try mapped(existing) }
            // Its creator died before giving it a size, or another process truncated it: it is unusable, and the lock
            // keeps other processes out (sharing.md, D11).
            try space.unlink(name: name)
            sandbox.trace(.memoryRepaired, [.memory: .text(name), .damage: .word(MemoryDamage.noSize)])
        } catch let error as SystemError where error.errno == ENOENT {
            // Not shared yet.
        }
        do {
            let memory = try space.create(name: name, size: SharedData.size) {
                try? sandbox.pass(.memoryCreated)
                sandbox.touch(.memory, writing: true)
            }
            try? sandbox.pass(.memorySized)
            sandbox.touch(.memory, writing: true)
            return try mapped(memory)
        } catch let error as SystemError where error.errno == EEXIST {
            // A process with other lock files was faster; the check of the content decides.
            return try mapped(try space.open(name: name))
        }
    }

    private static func mapped(_ object: DeviceSharedMemory) throws -> Page {
        Page(object: object, memory: try object.map(count: SharedData.size))
    }

    /// Runs system calls and translates their failures into errors of the memory with the name.
    static func translated<T>(_ name: String, _ calls: () throws -> T) throws(InvalidConfiguration) -> T {
        do {
            return try calls()
        } catch {
            throw cause(of: error, name: name)
        }
    }

    private static func cause(of error: any Error, name: String) -> InvalidConfiguration {
        guard let error = error as? SystemError else {
            return .sharedMemoryUnavailable(name: name, reason: String(describing: error))
        }
        return switch error.errno {
        case ENAMETOOLONG: .sharedMemoryNameTooLong(limit: SharedNames.memoryNameLimit, actual: name.utf8.count)
        case EPERM, EACCES: .sharedMemoryNotPermitted(name: name)
        default: .sharedMemoryUnavailable(name: name, reason: error.description)
        }
    }
}

extension SharedData {
    /// Checks that the memory was made by this SDK for the instance: magic, instance hash, version.
    /// - Parameters:
    ///   - instanceHash: 32 bytes.
    ///   - name: the memory's name, for the error.
    func validate(instanceHash: Data, name: String) throws(InvalidConfiguration) {
        guard hasMagic else { throw .sharedMemoryWrongMagic(name: name) }
        guard self.instanceHash == instanceHash else { throw .sharedMemoryForeignInstance(name: name) }
        guard hasKnownVersion else { throw .sharedMemoryWrongVersion(name: name, version: version) }
    }
}

/// The content of the shared memory, for diagnostics (sharing.md, section 7.2).
package struct SharedStateSnapshot: Sendable, Equatable {
    /// Number of state changes that were saved, from 1.
    package let stateModifyCounter: UInt64
    /// Number of accesses that changed tokens, from 1.
    package let tokenModifyCounter: UInt64
    /// Number of external operations ever started, from 1.
    package let operationTicket: UInt64
    /// Raw value of the running external operation, 0 for none.
    package let operationType: Int64
    /// When its owner last gave a sign of life, or nil (sharing.md, D3).
    package let operationTouched: Date?
    /// Identifier of its owner, empty for none.
    package let operationApplication: String?
}

extension SharedSessionInterface {
    /// The fields of the shared memory, read under the status lock.
    package func snapshot() throws -> SharedStateSnapshot {
        try read { _ in
            let shared = memory.data
            return SharedStateSnapshot(
                stateModifyCounter: shared.stateModifyCounter, tokenModifyCounter: shared.tokenModifyCounter,
                operationTicket: shared.operationTicket, operationType: shared.operationType,
                operationTouched: shared.operationStart == 0
                    ? nil : Date(timeIntervalSince1970: shared.operationStart),
                operationApplication: shared.operationApplication)
        }
    }
}
