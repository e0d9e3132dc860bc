// SPDX-License-Identifier: Apache-2.0

import LabChecks
package import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary

/// A phone and a watch that lose and find each other all the time, for hours of the lab's clock, while both apps send.
///
/// Thread rule: one thread. The calls block.
package struct LinkFlapping {
    /// The results.
    package struct Report: Sendable {
        /// The number of times the devices went out of range or came back.
        package var changes = 0
        /// How many guaranteed messages were sent.
        package var transfers = 0
        /// The number of messages that were checked.
        package var examined = 0
        /// The broken rule; nil if all rules held.
        package var failure: String?

        /// The report in a line.
        package var text: String {
            "flapping: \(changes) changes of range, \(transfers) messages, \(failure ?? "no breach")"
        }
    }

    private let time: LabDuration
    private let seed: UInt64

    /// - Parameters:
    ///   - time: how long, by the lab's clock.
    ///   - seed: determines the times of events.
    package init(for time: LabDuration, seed: UInt64) {
        self.time = time
        self.seed = seed
    }

    /// Lets the time pass.
    package func run() -> Report {
        var report = Report()
        do {
            try Lab.runBlocking(LinkedDevices.cast, seed: seed) { lab in
                try play(lab, &report)
                let examination = Examination(RecordedHistory(try lab.traceEvents()), by: LinkCheckers.all)
                report.examined = examination.results.map(\.examined).reduce(0, +)
                if let breach = examination.results.compactMap(\.breach).first { throw BrokenLink(breach: breach) }
            }
        } catch {
            report.failure = "seed \(seed): \(error)"
        }
        return report
    }

    private func play(_ lab: Lab, _ report: inout Report) throws {
        var stream = SeedStream(seed: seed, "flapping")
        let devices = LinkedDevices(lab)
        try devices.awaitReach()
        var (left, isInRange) = (time, true)
        while left > .zero {
            if Int.random(in: 0..<3, using: &stream) == 0 {
                isInRange.toggle()
                if isInRange { try lab.pairing.call(LinkUp()) } else { try lab.pairing.call(LinkDown()) }
                report.changes += 1
            }
            for direction in LinkDirection.allCases where Int.random(in: 0..<2, using: &stream) == 0 {
                try devices.transfer(direction)
                report.transfers += 1
            }
            // From a moment, in which a message is in transit, to more than three unanswered requests.
            let pause = LabDuration.milliseconds(Int64.random(in: 1...12_000, using: &stream))
            try lab.clock.call(AdvanceClock { $0.by = min(pause, left) })
            left = LabDuration(nanoseconds: left.nanoseconds - pause.nanoseconds)
        }
        if !isInRange { try lab.pairing.call(LinkUp()) }
        try devices.awaitReach()
        for direction in LinkDirection.allCases { try devices.prove(direction) }
    }
}
