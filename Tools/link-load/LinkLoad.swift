// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabControl
import LabProgram
import LabSystem

/// The cost of the link between a phone and a watch, compared with the cost of its parts (docs/benchmarks.md).
@main
struct LinkLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link-load", abstract: "Measures the link between a phone and a watch.")

    @Option(help: "Round trips of an immediate message.")
    var messages = 5_000

    @Option(help: "Guaranteed transfers.")
    var transfers = 10_000

    @Option(help: .hidden)
    var forwardFrom: String?

    @Option(help: .hidden)
    var forwardTo: String?

    func run() throws {
        if let forwardFrom, let forwardTo {
            return try ForwardingHop.run(from: forwardFrom, to: forwardTo)
        }
        guard messages > 0, transfers > 0 else {
            throw ValidationError("--messages and --transfers begin at 1.")
        }
        Self.tell("Wall time; load of the machine \(Self.load)")

        let hops = try ForwardingHops()
        var plain = RoundTrips()
        var watch = RoundTrips()
        let link = try MeasuredLink()
        // Alternating, so that other work on the machine affects both.
        for _ in 0..<10 {
            try plain.measure(messages / 10) { try hops.roundTrip() }
            try watch.measure(messages / 10) { try link.roundTrip() }
        }
        Self.tell(
            "immediate message, both ways         p50 \(watch.text(0.5)), p99 \(watch.text(0.99))")
        Self.tell(
            "the same bytes over the same hops    p50 \(plain.text(0.5)), p99 \(plain.text(0.99))")
        Self.tell(
            "ratio                                p50 \(watch.ratio(to: plain, 0.5)) (goal 1.5), "
                + "p99 \(watch.ratio(to: plain, 0.99)) (goal 3)")

        let parts = try PlainQueue()
        let plainTime = try Self.time { try parts.transfer(transfers) { try hops.roundTrip() } }
        let linkTime = try Self.time { try link.transfer(transfers) }
        Self.report(
            "\(transfers) transfers", linkTime, beside: "inserts, deletes and hops", plainTime, goal: 1.3)

        try link.fillOutbox(transfers)
        let rows = try parts.fill(transfers)
        var reading = RoundTrips()
        var activation = RoundTrips()
        for _ in 0..<3 {
            try reading.measure(7) { try parts.read(rows) }
            try activation.measure(7) { try link.activate(outstanding: transfers) }
        }
        Self.tell(
            "activation with \(transfers) outstanding: p50 \(activation.text(0.5)); "
                + "reading the rows: p50 \(reading.text(0.5)); ratio \(activation.ratio(to: reading, 0.5)) (goal 2)")
        link.end()
        hops.end()
    }

    private static func time(_ body: () throws -> Void) rethrows -> UInt64 {
        let begin = MonotonicClock.nanoseconds()
        try body()
        return MonotonicClock.nanoseconds() - begin
    }

    private static func report(
        _ what: String, _ time: UInt64, beside: String, _ other: UInt64, goal: Double
    ) {
        let ratio = String(format: "%.2f", Double(time) / Double(max(1, other)))
        tell(
            "\(what): \(time / 1_000_000) ms; \(beside): \(other / 1_000_000) ms; ratio \(ratio) (goal \(goal))"
        )
    }

    private static var load: String {
        var load = [Double](repeating: 0, count: 3)
        getloadavg(&load, 3)
        return load.map { String(format: "%.1f", $0) }.joined(separator: ", ")
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    static func main() {
        Signals.ignore(SIGPIPE)
        Program.run(Self.self)
    }
}

/// The times of many round trips.
struct RoundTrips {
    private var times: [UInt64] = []

    mutating func measure(_ count: Int, _ roundTrip: () throws -> Void) throws {
        // The first ones run cold.
        for _ in 0..<20 { try roundTrip() }
        for _ in 0..<count {
            let begin = MonotonicClock.nanoseconds()
            try roundTrip()
            times.append(MonotonicClock.nanoseconds() - begin)
        }
    }

    private func quantile(_ part: Double) -> UInt64 {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    func text(_ part: Double) -> String { "\(quantile(part) / 1_000) µs" }

    func ratio(to other: RoundTrips, _ part: Double) -> String {
        String(format: "%.2f", Double(quantile(part)) / Double(max(1, other.quantile(part))))
    }
}
