import Glibc
import LabSystem
import PowerAuthProtocol
import SimulatedDevice

/// How an application comes to the memory that the others use, or makes the first.
extension SharedMemory {
    /// Opens or makes the memory, after the applications agree on its name.
    ///
    /// The name is recorded last: one that turned out to be taken must not stand in the way of the other identifier that
    /// the error asks for (sharing.md, D15 and D16).
    static func join(
        _ names: SharedNames, _ container: AppGroupContainer, _ sandbox: Sandbox
    ) throws(InvalidConfiguration) -> Page {
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
            sandbox.trace(
                page.object.created ? .memoryCreated(name: name) : .memoryRepaired(name: name, cause: .noContent))
            try? sandbox.pass(.memoryInitialised)
        } else {
            try data.validate(instanceHash: names.instanceHash, name: name)
            sandbox.trace(.memoryOpened(name: name))
        }
        if recorded != name { container.recordMemoryName(names) }
        return page
    }

    /// Removes the memory that the applications used under another identifier, if it is no longer in use: it is from an
    /// earlier version of them, or from an earlier boot.
    ///
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
            sandbox.trace(.memoryRepaired(name: name, cause: .noSize))
        } catch let error as SystemError where error.errno == ENOENT {
            // Not shared yet.
        }
        do {
            let memory = try space.create(name: name, size: SharedData.size) { try? sandbox.pass(.memoryCreated) }
            try? sandbox.pass(.memorySized)
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
        case ENAMETOOLONG:
            .sharedMemoryNameTooLong(limit: SharedNames.memoryNameLimit, actual: name.utf8.count)
        case EPERM, EACCES: .sharedMemoryNotPermitted(name: name)
        default: .sharedMemoryUnavailable(name: name, reason: error.description)
        }
    }
}
