// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem

/// The process that runs the tests: where its files are, and what happens when it ends.
///
/// Everything that tests make lies below one directory. A child process that does nothing but wait removes it when the
/// test process has ended, be it by SIGTERM, SIGKILL or a crash.
public enum TestProcess {
    /// The directory of this process's files. Its path is short, because those of Unix sockets in it have little room.
    public static var directory: String { files.directory }

    /// The variable that makes a test process started by a test use the test's directory, which exists longer.
    public static let directoryVariable = "LAB_TESTS_DIRECTORY"

    private static let files: ProcessFiles = {
        do {
            return try ProcessFiles()
        } catch {
            fatalError("The tests cannot make a directory for their files: \(error)")
        }
    }()
}

private struct ProcessFiles {
    let directory: String
    /// Only the kernel closes it, when the process ends; nil when the directory belongs to another process.
    private let endOfProcess: FileDescriptor?

    /// Waits for the end of its input and removes what is named by its argument, with the shared memory of the instances
    /// in it. The processes that tests started may still be writing there while they notice that they are alone.
    private static let guardian = """
        cat
        for object in /dev/shm/lab-*; do
            instance=${object#/dev/shm/lab-}
            [ -n "$(find "$1" -type d -name "${instance%%-*}")" ] && rm -f -- "$object"
        done
        for attempt in 1 2 3 4 5 6 7 8 9 10; do
            rm -rf -- "$1" && break
            sleep 1
        done
        """

    init() throws {
        if let given = getenv(TestProcess.directoryVariable) {
            (directory, endOfProcess) = (String(cString: given), nil)
            return
        }
        directory = "/tmp/lab-tests-\(getpid())"
        // A process of the same number may have left one when the machine lost power.
        try Files.removeTree(directory)
        try Files.createNewDirectory(directory)
        let (reading, writing) = try FileDescriptor.pipe()
        endOfProcess = writing
        // It must not end with a signal that a terminal sends to its process group, nor keep the tests' output open.
        _ = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", Self.guardian, "after-the-tests", directory],
            standardInput: .file(reading), standardOutput: .null, standardError: .null, newSession: true)
        // What makes files without asking, such as the instances of `LabTesting`, makes them there too.
        setenv("TMPDIR", directory, 1)
        setenv("LAB_RUNTIME_DIR", directory + "/i", 1)
    }
}
