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

    @Test("Each name has its own number")
    func numbers() {
        let numbers: [String: Int32] = [
            "EPERM": EPERM, "ENOENT": ENOENT, "ESRCH": ESRCH, "EINTR": EINTR, "EIO": EIO, "ENXIO": ENXIO,
            "E2BIG": E2BIG, "ENOEXEC": ENOEXEC, "EBADF": EBADF, "ECHILD": ECHILD, "EAGAIN": EAGAIN,
            "ENOMEM": ENOMEM, "EACCES": EACCES, "EFAULT": EFAULT, "EBUSY": EBUSY, "EEXIST": EEXIST, "EXDEV": EXDEV,
            "ENODEV": ENODEV, "ENOTDIR": ENOTDIR, "EISDIR": EISDIR, "EINVAL": EINVAL, "ENFILE": ENFILE,
            "EMFILE": EMFILE, "ENOTTY": ENOTTY, "ETXTBSY": ETXTBSY, "EFBIG": EFBIG, "ENOSPC": ENOSPC,
            "ESPIPE": ESPIPE, "EROFS": EROFS, "EMLINK": EMLINK, "EPIPE": EPIPE, "EDEADLK": EDEADLK,
            "ENAMETOOLONG": ENAMETOOLONG, "ENOLCK": ENOLCK, "ENOSYS": ENOSYS, "ENOTEMPTY": ENOTEMPTY, "ELOOP": ELOOP,
            "EOVERFLOW": EOVERFLOW, "ENOTSUP": ENOTSUP, "EADDRINUSE": EADDRINUSE, "EADDRNOTAVAIL": EADDRNOTAVAIL,
            "ENETUNREACH": ENETUNREACH, "ECONNRESET": ECONNRESET, "ECONNREFUSED": ECONNREFUSED,
            "EHOSTUNREACH": EHOSTUNREACH, "ETIMEDOUT": ETIMEDOUT, "EDQUOT": EDQUOT, "ECANCELED": ECANCELED,
        ]
        #expect(Errno.names == numbers.keys.sorted())
        for (name, number) in numbers {
            #expect(Errno.number(named: name) == number, "\(name)")
            // The texts of the C library are for another kind of reader.
            #expect(SystemError(call: "x", errno: number).sentence != String(cString: strerror(number)), "\(name)")
        }
    }

    @Test("An error without an object has only its call and its reason")
    func withoutObject() {
        let error = SystemError(call: "pipe2", errno: EMFILE)
        #expect(error.description == "pipe2: the process has too many open files (see `ulimit -n`) (EMFILE)")
        #expect(error.localizedDescription == error.description)
    }

    @Test("An unknown number keeps the library's text")
    func anUnknownNumberKeepsTheLibrarysText() {
        let error = SystemError(call: "test", errno: EPROTO)
        #expect(error.name == "errno \(EPROTO)")
        #expect(error.sentence == String(cString: strerror(EPROTO)))
    }
}
