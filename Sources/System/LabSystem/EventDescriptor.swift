import CLabSystem
import Glibc

/// A descriptor that becomes readable when signalled: wakes a thread that waits in `poll`.
///
/// Thread rule: any thread may signal and drain.
public final class EventDescriptor: Sendable {
    private let file: FileDescriptor

    /// Makes an event that is not signalled.
    public init() throws {
        file = FileDescriptor(owning: try SystemError.check(csystem_eventfd(), "eventfd"))
    }

    /// The descriptor to poll for reading.
    public var rawDescriptor: Int32 { file.rawValue }

    /// Makes the descriptor readable until the next `drain()`.
    public func signal() {
        var one: UInt64 = 1
        // Fails only when the count is at its maximum, and then the descriptor is readable already.
        _ = retryingInterrupts { write(file.rawValue, &one, 8) }
    }

    /// Makes the descriptor unreadable again; returns whether it had been signalled.
    @discardableResult
    public func drain() -> Bool {
        var count: UInt64 = 0
        return retryingInterrupts { read(file.rawValue, &count, 8) } == 8
    }

    /// Waits until the event is signalled and drains it.
    ///
    /// - Parameter timeoutNanoseconds: how long at most; nil waits without end.
    /// - Returns: false when the time is over.
    public func wait(timeoutNanoseconds: Int64? = nil) throws -> Bool {
        guard try Polling.waitReadable([file.rawValue], timeoutNanoseconds: timeoutNanoseconds)[0] else {
            return false
        }
        drain()
        return true
    }
}
