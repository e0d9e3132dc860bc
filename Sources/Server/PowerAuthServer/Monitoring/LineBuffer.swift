import Synchronization

/// Lines that several threads write, whole and in one order.
///
/// One thread writes; lines added meanwhile by others are combined in its next write, and their threads do not wait. If
/// no other thread is writing, a line is written when ``add(_:)`` returns.
///
/// Thread rule: any thread.
final class LineBuffer: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
    }

    /// How many bytes may wait for a slow reader: beyond that, threads wait to add lines.
    private static let capacity = 1 << 20

    private let state = Mutex(State())
    private let write: @Sendable ([UInt8]) -> Void
    /// Held by the writing thread.
    private let writing = Mutex(())

    /// - Parameter write: takes some lines; called by one thread at a time.
    init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Adds lines, each with its end.
    func add(_ lines: some Sequence<UInt8> & Sendable) {
        let (mustWrite, isFull) = state.withLock { state in
            state.waiting.append(contentsOf: lines)
            defer { state.isWriting = true }
            return (!state.isWriting, state.waiting.count > Self.capacity)
        }
        if mustWrite {
            writing.withLock { _ in
                while let lines = next() { write(lines) }
            }
        } else if isFull {
            writing.withLock { _ in }
        }
    }

    /// Nil when nothing is left; then another thread may write.
    private func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
