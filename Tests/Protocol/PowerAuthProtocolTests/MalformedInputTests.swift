// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParserProperties
import TestSupport
import Testing

/// Every parser against truncation, single-bit changes and a seeded stream of damaged inputs: an error or a
/// value that still obeys the rules, never a crash. `make fuzz` searches the same properties for longer.
@Suite("Malformed input", .endsInTime)
struct MalformedInputTests {
    private static let rounds = 400

    @Test(arguments: ParserProperty.all)
    func `Every input is refused or obeys the rules`(property: ParserProperty) throws {
        #expect(!property.examples.isEmpty)
        // The name as seed: a failing run can be repeated, and no two parsers see the same damage.
        var generator = SeededGenerator(seed: property.name.utf8.reduce(5381) { $0 &* 33 &+ UInt64($1) })
        for example in property.examples {
            try property.check(example)
            for count in 0..<example.count { try property.check(example.prefix(count)) }
            for bit in 0..<(example.count * 8) { try property.check(example.flippingBit(bit)) }
            for _ in 0..<Self.rounds {
                try property.check(generator.damaged(example))
                try property.check(generator.bytes(Int.random(in: 0...80, using: &generator)))
            }
        }
    }
}
