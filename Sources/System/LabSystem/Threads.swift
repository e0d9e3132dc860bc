import CLabSystem
import Glibc

/// A thread started by `runOnThread`.
///
/// Thread rule: any thread may join.
public final class ThreadHandle: Sendable {
    fileprivate let finished = OneShot<Void>()

    fileprivate init() {}

    /// Waits until the body has returned. Must not be called by the thread itself.
    public func join() { finished.wait() }
}

/// Runs `body` on a new thread of its own, outside of Swift's cooperative pool, so that it may block.
///
/// - Parameters:
///   - name: what debuggers and `/proc` show; cut to the kernel's 15 bytes.
///   - stackSize: bytes of stack.
@discardableResult
public func runOnThread(
    name: String, stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
) -> ThreadHandle {
    let handle = ThreadHandle()
    let start = Unmanaged.passRetained(ThreadStart(name: name, handle: handle, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, max(stackSize, 64 * 1024))
    var thread = pthread_t()
    let result = pthread_create(
        &thread, &attributes,
        { argument in
            // The argument is the one passed below, never nil.
            let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
            csystem_set_thread_name(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
            start.body()
            start.handle.finished.set()
            return nil
        }, start.toOpaque())
    pthread_attr_destroy(&attributes)
    // Without memory for a thread this process cannot continue as designed.
    precondition(result == 0, "pthread_create: \(SystemError(call: "pthread_create", errno: result))")
    return handle
}

private final class ThreadStart: Sendable {
    let name: String
    let handle: ThreadHandle
    let body: @Sendable () -> Void

    init(name: String, handle: ThreadHandle, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.handle = handle
        self.body = body
    }
}
