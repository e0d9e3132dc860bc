import Foundation
import TestSupport
import Testing

/// Random lives of two devices and the air between them. `LAB_LINK_SEEDS=5000` plays so many of them.
@Suite("The link under random faults", .endsInTime)
struct LinkPropertyTests {
    private static let count = ProcessInfo.processInfo.environment["LAB_LINK_SEEDS"].flatMap(UInt64.init) ?? 48

    @Test(
        "With any loss, double, delay, cancel, kill, erasure, unpairing or removal, each transfer arrives once and in order or is reported as ended, and nothing reaches a later pairing or installation",
        arguments: 0..<count)
    func truth(seed: UInt64) throws {
        let life = try LinkLife(seed: seed)
        for _ in 0..<220 { try life.step() }
        try life.settle()
        let faults = life.record.verdict(on: life.world)
        #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(5).joined(separator: "; "))")
        #expect(life.record.transfers.contains { $0.isAccepted }, "seed \(seed): a life in which nothing was sent")
    }
}
