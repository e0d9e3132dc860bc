// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@Suite("Streams of random values", .endsInTime)
struct SeedStreamTests {
    /// By the published description, computed apart from this code.
    @Test func `The hash of a text is FNV-1a of 64 bits`() {
        for (text, expected) in [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)] {
            var hash = FNV1a()
            Array(text.utf8).withUnsafeBytes { hash.add($0) }
            #expect(hash.value == expected)
        }
    }

    @Test func `A stream is SplitMix64 from its seed and the hash of its names`() {
        var stream = SeedStream(seed: 7, "scenario", "row")
        let values = (0..<3).map { _ in stream.next() }
        #expect(values == [0xB1CD_5B70_CD97_AD89, 0xF69A_B966_4490_9C8E, 0xE019_694B_0750_A65C])
        var bare = SeedStream(seed: 0)
        let others = (0..<3).map { _ in bare.next() }
        #expect(others == [0xC381_7C01_6BA4_FF30, 0x100C_DAAC_C0BC_9316, 0x54C3_A569_ECF6_1B1B])
    }
}
