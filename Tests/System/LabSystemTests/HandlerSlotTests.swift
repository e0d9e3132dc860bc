import LabSystem
import Synchronization
import TestSupport
import Testing

@Suite("A place for a handler", .endsInTime)
struct HandlerSlotTests {
    @Test("A hundred thousand calls need no more stack than the first one")
    func flatStack() async throws {
        try await onThread {
            let slot = HandlerSlot<Int>()
            // The address of a local variable of the handler shows how deep the stack is.
            let depths = Mutex<Set<UInt>>([])
            slot.set { number in
                var local = number
                let depth = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
                depths.withLock { _ = $0.insert(depth) }
            }
            for number in 0..<100_000 { slot(number) }
            #expect(depths.withLock { $0.count } == 1)
        }
    }

    @Test("A call reaches the handler that was set last, and none before the first is set")
    func replaced() {
        let slot = HandlerSlot<Void>()
        let calls = Mutex<[String]>([])
        slot()
        slot.set { calls.withLock { $0.append("first") } }
        slot()
        slot.set { calls.withLock { $0.append("second") } }
        slot()
        #expect(calls.withLock { $0 } == ["first", "second"])
    }
}
