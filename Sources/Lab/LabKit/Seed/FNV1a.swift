/// The hash FNV-1a of 64 bits: quick, and the same in every process. Two texts of one length that differ in a single byte
/// never have the same hash, so it finds what an accident has changed; it does not withstand an attacker.
public struct FNV1a: Sendable {
    /// The hash of everything that was added.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
