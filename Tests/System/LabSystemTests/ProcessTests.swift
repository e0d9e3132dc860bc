import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Processes", .endsInTime)
struct ProcessTests {
    private func sleeper() throws -> ChildProcess {
        try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
    }

    @Test("A child runs until it has ended, and is reaped once")
    func ended() throws {
        let child = try sleeper()
        let watch = try ProcessWatch(pid: child.pid)
        #expect(try child.poll() == nil)
        #expect(try child.wait(timeoutNanoseconds: 0) == nil)
        #expect(!watch.hasEnded)
        #expect(ProcessTable.isAlive(child.pid))
        try child.signal(SIGKILL)
        #expect(try watch.waitForExit())
        #expect(watch.hasEnded)
        #expect(!ProcessTable.isAlive(child.pid), "it has ended, although it was not reaped")
        #expect(try Polling.waitReadable([child.rawDescriptor, watch.rawDescriptor]) == [true, true])
        #expect(try child.wait(timeoutNanoseconds: 10_000_000_000) == .signaled(SIGKILL))
        let error = #expect(throws: SystemError.self) { try child.poll() }
        #expect(error == SystemError(call: "waitid", errno: ECHILD, path: "pid \(child.pid)"))
        try watch.signal(SIGKILL)
        #expect(watch.hasEnded)
    }

    @Test("A signal that does not exist is refused, by a child and by a watch")
    func wrongSignal() throws {
        let child = try sleeper()
        let watch = try ProcessWatch(pid: child.pid)
        let expected = SystemError(call: "pidfd_send_signal", errno: EINVAL, path: "pid \(child.pid)")
        #expect(throws: expected) { try child.signal(1_000) }
        #expect(throws: expected) { try watch.signal(1_000) }
        try child.signal(SIGTERM)
        #expect(try child.wait() == .signaled(SIGTERM))
        let error = #expect(throws: SystemError.self) { try ProcessWatch(pid: child.pid) }
        #expect(error == SystemError(call: "pidfd_open", errno: ESRCH, path: "pid \(child.pid)"))
    }

    @Test("A process counts as stopped from its stop until it is continued")
    func stopped() throws {
        let child = try sleeper()
        #expect(!ProcessTable.isStopped(child.pid))
        try child.signal(SIGSTOP)
        // The suite's time limit ends a wait for a state that never comes.
        while !ProcessTable.isStopped(child.pid) { sched_yield() }
        #expect(ProcessTable.isAlive(child.pid))
        try child.signal(SIGCONT)
        while ProcessTable.isStopped(child.pid) { sched_yield() }
        try child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
        #expect(!ProcessTable.isStopped(child.pid))
    }

    @Test("A process has its own children only")
    func children() throws {
        let child = try sleeper()
        #expect(ProcessTable.children(of: getpid()).contains(child.pid))
        #expect(ProcessTable.children(of: child.pid) == [])
        try child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
        #expect(!ProcessTable.children(of: getpid()).contains(child.pid))
    }

    @Test("Shared memory that a process has mapped is listed, also without a name, until the last mapping has gone")
    func mappedMemory() throws {
        let name = "/labsystemtest-\(UUID().uuidString.prefix(12))"
        #expect(!ProcessTable.mappedSharedMemory().contains(name))
        do {
            let memory = try SharedMemoryObject.create(name: name, size: 4_096).map()
            #expect(ProcessTable.mappedSharedMemory().contains(name))
            try SharedMemoryObject.unlink(name: name)
            #expect(ProcessTable.mappedSharedMemory().contains(name))
            withExtendedLifetime(memory) {}
        }
        #expect(!ProcessTable.mappedSharedMemory().contains(name))
    }

    @Test("The end of a process is described by its code, or by the name of the signal")
    func endings() {
        #expect(LabSystem.ExitStatus.exited(3).description == "exited with code 3")
        #expect(LabSystem.ExitStatus.signaled(SIGTERM).description == "ended by SIGTERM")
    }

    @Test("A process that cannot become another program learns why, and continues as the user who started it")
    func replaced() async throws {
        let path = "/nonexistent/program"
        let error = try await onThread { try ProcessImage.replace(path, ["a"]) }
        #expect(error == SystemError(call: "execv", errno: ENOENT, path: path))
        #expect(CurrentUser.id == getuid())
    }
}
