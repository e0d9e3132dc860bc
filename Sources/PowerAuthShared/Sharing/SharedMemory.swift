import LabSystem
package import SimulatedDevice

/// The named memory of an instance, opened or created (sharing.md, section 5).
///
/// Every call happens under the status lock, which closes the window between the creation of the memory and its
/// first content.
package final class SharedMemory: Sendable {
    /// The name that the operating system knows the memory by.
    let name: String
    private let mapped: MappedMemory

    /// The fields. Valid as long as this object lives.
    var data: SharedData { SharedData(base: mapped.base) }

    /// Opens the memory, or creates and fills it. Existing content is checked and left as it is.
    ///
    /// - Parameters:
    ///   - names: the derived names.
    ///   - sandbox: the device.
    package init(names: SharedNames, sandbox: Sandbox) throws(InvalidConfiguration) {
        let name = names.memoryName
        self.name = name
        let isNew: Bool
        do {
            (mapped, isNew) = try Self.openOrCreate(name, sandbox)
        } catch {
            throw Self.cause(of: error, name: name)
        }
        let data = SharedData(base: mapped.base)
        if data.isUninitialized {
            data.initialize(instanceHash: names.instanceHash)
            sandbox.trace(isNew ? .memoryCreated(name: name) : .memoryRepaired(name: name, cause: .noContent))
            try? sandbox.pass(.memoryInitialised)
        } else {
            try data.validate(instanceHash: names.instanceHash, name: name)
            sandbox.trace(.memoryOpened(name: name))
        }
    }

    private static func openOrCreate(
        _ name: String, _ sandbox: Sandbox
    ) throws -> (memory: MappedMemory, isNew: Bool) {
        let space = sandbox.sharedMemory
        do {
            let existing = try space.open(name: name)
            if try existing.size() >= SharedData.size { return (try existing.map(), isNew: false) }
            // Its creator died before giving it a size: nobody can use it, and nobody else comes in between
            // (sharing.md, D11).
            try space.unlink(name: name)
            sandbox.trace(.memoryRepaired(name: name, cause: .noSize))
        } catch let error as SystemError where error.name == "ENOENT" {
            // Nobody shares yet.
        }
        do {
            let memory = try space.create(name: name, size: SharedData.size) { try? sandbox.pass(.memoryCreated) }
            try? sandbox.pass(.memorySized)
            return (try memory.map(), isNew: true)
        } catch let error as SystemError where error.name == "EEXIST" {
            // Somebody who uses other lock files was faster; the check of the content decides.
            return (try space.open(name: name).map(), isNew: false)
        }
    }

    private static func cause(of error: any Error, name: String) -> InvalidConfiguration {
        guard let error = error as? SystemError else {
            return .sharedMemoryUnavailable(name: name, reason: String(describing: error))
        }
        return switch error.name {
        case "ENAMETOOLONG":
            .sharedMemoryNameTooLong(limit: SharedNames.memoryNameLimit, actual: name.utf8.count)
        case "EPERM", "EACCES": .sharedMemoryNotPermitted(name: name)
        default: .sharedMemoryUnavailable(name: name, reason: error.description)
        }
    }
}
