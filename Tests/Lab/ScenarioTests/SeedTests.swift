// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("The seed determines generated values", .endsInTime)
struct SeedTests {
    private let pin = GeneratedValue(name: "pin", kind: .pin, size: 6)

    @Test func `The same seed gives the same values; another seed gives others`() {
        for kind in GeneratedValue.Kind.allCases {
            let value = GeneratedValue(name: "v", kind: kind, size: 1000)
            #expect(value.draw(seed: 7, scenario: "a.yaml") == value.draw(seed: 7, scenario: "a.yaml"))
            #expect(value.draw(seed: 7, scenario: "a.yaml") != value.draw(seed: 8, scenario: "a.yaml"))
            #expect(value.draw(seed: 7, scenario: "a.yaml") != value.draw(seed: 7, scenario: "b.yaml"))
        }
    }

    @Test func `A stream depends only on its own names, not on how they are joined`() {
        var first = SeedStream(seed: 1, "ab", "c")
        var second = SeedStream(seed: 1, "a", "bc")
        #expect(first.next() != second.next())
    }

    @Test func `The values of a seed never change`() {
        #expect(pin.draw(seed: 1, scenario: "s") == "669307")
        #expect(
            GeneratedValue(name: "id", kind: .uuid, size: 0).draw(seed: 1, scenario: "s")
                == "0f21c27e-1137-41bd-baa6-67aa130d119a")
    }

    @Test func `A PIN has the requested number of digits, a UUID its version and variant`() throws {
        for seed in 0..<50 as Range<UInt64> {
            let pin = try #require(pin.draw(seed: seed, scenario: "s").stringValue)
            #expect(pin.count == 6 && pin.allSatisfy(\.isNumber))
            let uuid = GeneratedValue(name: "id", kind: .uuid, size: 0).draw(seed: seed, scenario: "s").stringValue
            let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
            #expect(try #require(uuid).wholeMatch(of: form) != nil)
        }
    }
}
