/// A stream of random values that depends on nothing but the run's seed and the names around it, so that
/// adding a step does not change the values of the others.
///
/// The generator is SplitMix64; it serves test data, never keys.
struct SeedStream: RandomNumberGenerator {
    private var state: UInt64

    /// The stream of a place.
    ///
    /// - Parameters:
    ///   - seed: The run's seed.
    ///   - names: Scenario, row and step or value, from the outside in.
    init(seed: UInt64, _ names: String...) {
        // FNV-1a over the names; a zero byte keeps "ab","c" apart from "a","bc".
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in names.map({ Array($0.utf8) + [UInt8(0)] }).joined() {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        state = seed ^ hash
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
