// SPDX-License-Identifier: Apache-2.0

/// A stream of random values that depends on nothing but the run's seed and the names around it, so that
/// adding a step does not change the values of the others.
///
/// The generator is SplitMix64; it serves test data, never keys.
public struct SeedStream: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The stream of a place.
    /// - Parameters:
    ///   - seed: The run's seed.
    ///   - names: Scenario, row and step or value, from the outside in.
    public init(seed: UInt64, _ names: String...) {
        var hash = FNV1a()
        for name in names {
            // The zero byte keeps "ab","c" apart from "a","bc".
            (Array(name.utf8) + [0]).withUnsafeBytes { hash.add($0) }
        }
        state = seed ^ hash.value
    }

    /// The next value.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

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
