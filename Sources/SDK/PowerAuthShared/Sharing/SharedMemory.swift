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

    /// The fields. Valid until the next call of ``rejoin(_:)``.
    var data: SharedData { SharedData(base: page.memory.base) }

    /// Opens the memory, or creates and fills it. Existing content is checked and left as it is.
    ///
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
    ///
    /// - Parameter statusLock: the lock, held by the caller.
    /// - Returns: whether anything was replaced, which invalidates the caller's counters and tickets.
    /// - Throws: why no memory can be used; the fields must not be touched then.
    func rejoin(_ statusLock: SharedLock) throws(InvalidConfiguration) -> Bool {
        let replacements = statusLock.replacements
        do throws(InvalidConfiguration) {
            let state = try Self.translated(name) { try page.state }
            if state == .usable, replacements == lockReplacements { return false }
            page = try Self.join(names, container, sandbox)
            if state == .withoutName, page.object.created {
                sandbox.trace(.memoryRepaired(name: name, cause: .noName))
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
