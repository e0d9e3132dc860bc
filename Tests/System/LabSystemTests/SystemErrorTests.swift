// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("System errors", .endsInTime)
struct SystemErrorTests {
    @Test func `An error names the call, the object and the reason`() throws {
        let error = #expect(throws: SystemError.self) { try Files.read("/nonexistent/file") }
        #expect(error?.description == "open '/nonexistent/file': there is no such file, directory or name (ENOENT)")
    }

    @Test func `Names are found in both directions`() {
        for name in Errno.names {
            let number = Errno.number(named: name)
            #expect(number.map(Errno.name(of:)) == name)
            #expect(name.wholeMatch(of: /E[A-Z0-9]+/) != nil)
        }
        #expect(Errno.number(named: "ENOSPC") == ENOSPC)
        #expect(Errno.number(named: "EXYZ") == nil)
    }

    @Test func `Each name has its own number`() {
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

    @Test func `An error without an object has only its call and its reason`() {
        let error = SystemError(call: "pipe2", errno: EMFILE)
        #expect(error.description == "pipe2: the process has too many open files (see `ulimit -n`) (EMFILE)")
        #expect(error.localizedDescription == error.description)
    }

    @Test func `An unknown number keeps the library's text`() {
        let error = SystemError(call: "test", errno: EPROTO)
        #expect(error.name == "errno \(EPROTO)")
        #expect(error.sentence == String(cString: strerror(EPROTO)))
    }
}
