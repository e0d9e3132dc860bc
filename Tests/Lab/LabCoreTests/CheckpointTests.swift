// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import TestSupport
import Testing

@Suite("Checkpoints of own apps", .endsInTime)
struct CheckpointTests {
    /// Whether the expression for editors takes a place.
    private func matches(_ place: String) throws -> Bool {
        let pattern = try Regex(Checkpoint.pattern)
        return place.wholeMatch(of: pattern) != nil
    }

    @Test func `The place of a checkpoint is its name behind the word, and is read again`() throws {
        for name in ["a", "balance-read", "v2.paid", "0", "-", "A.Z-9"] {
            let checkpoint = try #require(Checkpoint(name))
            #expect(checkpoint.name == name && checkpoint.place == "checkpoint.\(name)")
            #expect(Checkpoint(place: checkpoint.place) == checkpoint)
            #expect(try matches(checkpoint.place))
        }
    }

    @Test func `A name with another character is refused, and so is a text that names no place`() throws {
        for name in ["", "a b", "a_b", "a/b", "straße", "a\u{301}", "a\n", "a\0"] {
            #expect(Checkpoint(name) == nil, "\(name)")
            #expect(try !matches("checkpoint.\(name)"), "\(name)")
        }
        for place in ["checkpoint", "checkpoint.", "Checkpoint.a", "a", "start", "state.save", "checkpoint.a b"] {
            #expect(Checkpoint(place: place) == nil, "\(place)")
        }
        #expect(FaultPoint.allCases.allSatisfy { !$0.rawValue.hasPrefix(Checkpoint.prefix) })
    }

    @Test(.verifies("size", "Checkpoint.lengths"), arguments: Sizes.around(1) + Sizes.around(60))
    func `A name has 1 to 60 characters`(count: Int) throws {
        let name = String(repeating: "x", count: count)
        let isTaken = (1...60).contains(count)
        #expect((Checkpoint(name) != nil) == isTaken)
        #expect(try matches("checkpoint.\(name)") == isTaken)
    }
}
