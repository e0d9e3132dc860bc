import Glibc
import LabSystem
import TestSupport
import Testing

@testable import PowerAuthShared

@Suite("System calls for the shared memory that fail (sharing.md, sections 3.2 and 5)", .endsInTime)
struct MemoryFailureTests {
    /// Something that is no error of a system call.
    private struct Other: Error, CustomStringConvertible {
        let description = "something else"
    }

    @Test("Each failure is an invalid configuration that names the memory and the reason")
    func causes() {
        func failure(_ errno: Int32) -> SystemError { SystemError(call: "shm_open", errno: errno, path: "/n") }
        let rows: [(any Error, InvalidConfiguration)] = [
            (failure(EPERM), .sharedMemoryNotPermitted(name: "group")),
            (failure(EACCES), .sharedMemoryNotPermitted(name: "group")),
            (failure(ENAMETOOLONG), .sharedMemoryNameTooLong(limit: 31, actual: 5)),
            (failure(ENOSPC), .sharedMemoryUnavailable(name: "group", reason: failure(ENOSPC).description)),
            (Other(), .sharedMemoryUnavailable(name: "group", reason: "something else")),
        ]
        for (error, expected) in rows {
            #expect(throws: expected) { () throws in
                try SharedMemory.translated("group") { () throws -> Void in throw error }
            }
        }
    }
}
