import Foundation
import LabKit

extension Scenario {
    /// The values drawn from a seed; secret ones are masked from here on.
    func drawn(seed: UInt64, hiddenBy redactor: Redactor) -> Bindings {
        var bindings = Bindings()
        for value in generated {
            let drawn = value.draw(seed: seed, scenario: id)
            if value.kind == .pin, case .string(let text) = drawn { redactor.insert(text) }
            bindings.set(value.name, to: drawn)
        }
        return bindings
    }
}

extension GeneratedValue {
    private static let adjectives = [
        "amber", "brisk", "calm", "dapper", "eager", "fair", "gentle", "hazel", "ivory", "jolly", "keen", "lively",
        "mellow", "noble", "olive", "plain", "quiet", "rapid", "solid", "tidy",
    ]
    private static let nouns = [
        "badger", "comet", "dolphin", "ember", "falcon", "garnet", "harbor", "island", "juniper", "kestrel", "lantern",
        "meadow", "nectar", "otter", "pebble", "quartz", "raven", "spruce", "thistle", "willow",
    ]

    /// Draws the value for a scenario of a run.
    func draw(seed: UInt64, scenario: String) -> JSONValue {
        var stream = SeedStream(seed: seed, scenario, name)
        switch kind {
        case .name:
            let adjective = Self.adjectives[Int.random(in: 0..<Self.adjectives.count, using: &stream)]
            let noun = Self.nouns[Int.random(in: 0..<Self.nouns.count, using: &stream)]
            return .string("\(adjective)-\(noun)-\(Int.random(in: 100...999, using: &stream))")
        case .pin:
            return .string((0..<size).map { _ in String(Int.random(in: 0...9, using: &stream)) }.joined())
        case .uuid:
            var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &stream) }
            bytes[6] = bytes[6] & 0x0f | 0x40
            bytes[8] = bytes[8] & 0x3f | 0x80
            let hex = bytes.map { String(format: "%02x", $0) }.joined()
            let cuts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
            return .string(cuts.map { String(Array(hex)[$0]) }.joined(separator: "-"))
        case .number:
            return .integer(Int64.random(in: 0..<Int64(size), using: &stream))
        }
    }
}
