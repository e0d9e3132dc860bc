// SPDX-License-Identifier: Apache-2.0

/// A small generator with a seed (SplitMix64), so that a failing run can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The generator of a seed.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// True once in `count` times on average.
    public mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// The numbers around a constant at which code goes wrong.
public enum Sizes {
    /// One less, as many, one more.
    public static func around(_ count: Int) -> [Int] { [count - 1, count, count + 1] }

    /// Also two times as many, and one more: a second round, and a third that has one.
    public static func ofBatches(_ batch: Int) -> [Int] { around(batch) + [2 * batch, 2 * batch + 1] }
}
