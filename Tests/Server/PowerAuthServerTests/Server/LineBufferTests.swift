import Dispatch
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The buffer of the log", .endsInTime)
struct LineBufferTests {
    @Test("A line is written at once; lines added during a write do not wait and are written together")
    func linesGoOutTogether() async throws {
        try await onThread {
            let written = Mutex<[String]>([])
            let (isWriting, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isSlow = Mutex(false)
            let buffer = LineBuffer { lines in
                if isSlow.withLock({ $0 }) {
                    isSlow.withLock { $0 = false }
                    isWriting.signal()
                    mayGoOn.wait()
                }
                written.withLock { $0.append(String(decoding: lines, as: UTF8.self)) }
            }
            buffer.add("one\n".utf8)
            #expect(written.withLock { $0 } == ["one\n"])
            isSlow.withLock { $0 = true }
            let isDone = DispatchSemaphore(value: 0)
            _ = runOnThread(name: "slow writer", stackSize: 1 << 20) {
                buffer.add("two\n".utf8)
                isDone.signal()
            }
            isWriting.wait()
            buffer.add("three\n".utf8)
            buffer.add("four\n".utf8)
            #expect(written.withLock { $0 } == ["one\n"])
            mayGoOn.signal()
            isDone.wait()
            #expect(written.withLock { $0 } == ["one\n", "two\n", "three\nfour\n"])
        }
    }
}
