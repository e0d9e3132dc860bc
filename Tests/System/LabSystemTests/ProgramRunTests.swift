import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Runs of programs", .endsInTime)
struct ProgramRunTests {
    /// Far beyond what a program needs here, in nanoseconds.
    private static let patience: Int64 = 3_600_000_000_000

    private func run(_ script: String, limit: Int = 100) throws -> ProgramRun {
        try ProgramRun("/bin/sh", ["-c", script], timeoutNanoseconds: Self.patience, limit: limit)
    }

    @Test("A run has the output, the last line of the errors, and the end of the program")
    func whole() throws {
        let run = try run("echo out; echo first >&2; echo last >&2; exit 3")
        #expect(run.output == Data("out\n".utf8))
        #expect(run.lastWords == "last")
        #expect(run.end == .ended(.exited(3)))
        let killed = try self.run("kill -TERM $$")
        #expect(killed.output.isEmpty && killed.lastWords.isEmpty)
        #expect(killed.end == .ended(.signaled(SIGTERM)))
    }

    @Test("A program has no input")
    func input() throws {
        let run = try run("cat; echo end")
        #expect(run.output == Data("end\n".utf8) && run.end == .ended(.exited(0)))
    }

    @Test("As many bytes as the limit are taken of each stream, one more ends the program", arguments: Sizes.around(10))
    func limit(count: Int) throws {
        let expected: ProgramRun.End = count <= 10 ? .ended(.exited(0)) : .tooLong
        for stream in 1...2 {
            let run = try run("printf '%0\(count)d' 0 >&\(stream)", limit: 10)
            #expect(run.end == expected, "stream \(stream)")
            #expect(run.output.count == (stream == 1 ? count : 0))
        }
    }

    @Test("A program that does not end in its time is killed")
    func endless() throws {
        let run = try ProgramRun("/bin/sleep", ["1000"], timeoutNanoseconds: 1_000_000, limit: 10)
        #expect(run.end == .stillRunning)
    }

    @Test("A program that cannot be started is an error")
    func missing() {
        let error = #expect(throws: SystemError.self) {
            try ProgramRun("/nonexistent/program", [], timeoutNanoseconds: Self.patience, limit: 10)
        }
        #expect(error == SystemError(call: "execve", errno: ENOENT, path: "/nonexistent/program"))
    }
}
