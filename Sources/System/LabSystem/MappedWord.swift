import CLabSystem

/// A 32-bit word in memory that several threads or processes map; every access is atomic.
///
/// Thread rule: any thread, as long as the `MappedMemory` it came from lives.
public struct MappedWord32: @unchecked Sendable {
    // Sendable is safe: all accesses through this type are atomic.
    let pointer: UnsafeMutablePointer<UInt32>

    /// Reads without ordering other accesses.
    public func loadRelaxed() -> UInt32 { csystem_load_relaxed_32(pointer) }
    /// Reads; later accesses of this thread stay after it.
    public func loadAcquire() -> UInt32 { csystem_load_acquire_32(pointer) }
    /// Writes without ordering other accesses.
    public func storeRelaxed(_ value: UInt32) { csystem_store_relaxed_32(pointer, value) }
    /// Writes; earlier accesses of this thread stay before it.
    public func storeRelease(_ value: UInt32) { csystem_store_release_32(pointer, value) }
    /// Adds with wrap-around and returns the value before.
    @discardableResult
    public func add(_ value: UInt32) -> UInt32 { csystem_fetch_add_32(pointer, value) }
    /// Writes `desired` if the word holds `expected`, and returns whether it did.
    public func compareExchange(expected: UInt32, desired: UInt32) -> Bool {
        csystem_compare_exchange_32(pointer, expected, desired) != 0
    }
}

/// A 64-bit word in memory that several threads or processes map; every access is atomic.
///
/// Thread rule: any thread, as long as the `MappedMemory` it came from lives.
public struct MappedWord64: @unchecked Sendable {
    // Sendable is safe: all accesses through this type are atomic.
    let pointer: UnsafeMutablePointer<UInt64>

    /// Reads without ordering other accesses.
    public func loadRelaxed() -> UInt64 { csystem_load_relaxed_64(pointer) }
    /// Reads; later accesses of this thread stay after it.
    public func loadAcquire() -> UInt64 { csystem_load_acquire_64(pointer) }
    /// Writes without ordering other accesses.
    public func storeRelaxed(_ value: UInt64) { csystem_store_relaxed_64(pointer, value) }
    /// Writes; earlier accesses of this thread stay before it.
    public func storeRelease(_ value: UInt64) { csystem_store_release_64(pointer, value) }
}

/// Ordering between accesses to mapped words and plain ones.
public enum MemoryFence {
    /// Accesses after it are not moved before earlier reads.
    public static func acquire() { csystem_fence_acquire() }
    /// Accesses before it are not moved after later writes.
    public static func release() { csystem_fence_release() }
}
