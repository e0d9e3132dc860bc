import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("System errors", .endsInTime)
struct SystemErrorTests {
    @Test("An error names the call, the object and the reason")
    func namesTheCallTheObjectAndTheReason() throws {
        let error = #expect(throws: SystemError.self) { try Files.read("/nonexistent/file") }
        #expect(error?.description == "open '/nonexistent/file': there is no such file, directory or name (ENOENT)")
    }

    @Test("Names are found in both directions")
    func namesAreFoundInBothDirections() {
        for name in Errno.names {
            let number = Errno.number(named: name)
            #expect(number.map(Errno.name(of:)) == name)
            #expect(name.wholeMatch(of: /E[A-Z0-9]+/) != nil)
        }
        #expect(Errno.number(named: "ENOSPC") == ENOSPC)
        #expect(Errno.number(named: "EXYZ") == nil)
    }

    @Test("An unknown number keeps the library's text")
    func anUnknownNumberKeepsTheLibrarysText() {
        let error = SystemError(call: "test", errno: EPROTO)
        #expect(error.name == "errno \(EPROTO)")
        #expect(error.sentence == String(cString: strerror(EPROTO)))
    }
}
