// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LabCore
import LabSystem
import LabTesting
import Synchronization

/// Kills servers under load from writers, repeatedly: at each fault point in turn, and at any time.
///
/// Thread rule: one thread. The calls block.
package struct ServerKillCampaign: Sendable {
    /// The number of deaths per instance: its database and its traces grow.
    private static let deathsOfInstance = 50

    private let seed: UInt64
    private let deaths: Int
    private let writers: Int
    private let servers: Int
    private let deadline: UInt64
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - seed: seed of the times of death and of the writers' requests.
    ///   - deaths: the number of deaths after which no further one is started.
    ///   - writers: the number of writers per server.
    ///   - servers: the number of servers that die in parallel, each in its own instance.
    ///   - time: after which no further death is started; nil means no limit.
    ///   - progress: gets a line for each breach and each instance.
    package init(
        seed: UInt64, deaths: Int, writers: Int = 64, servers: Int = 1, time: LabDuration? = nil,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.seed = seed
        self.deaths = deaths
        self.writers = writers
        self.servers = servers
        self.progress = progress
        deadline = time.map { MonotonicClock.nanoseconds() + UInt64($0.nanoseconds) } ?? .max
    }

    /// Kills.
    package func run() -> ServerKillReport {
        Signals.ignore(SIGPIPE)
        let shared = SharedReport(ServerKillReport(seed: seed))
        let begun = MonotonicClock.nanoseconds()
        let threads = (0..<servers).map { number in
            let share = deaths / servers + (number < deaths % servers ? 1 : 0)
            return runOnThread(name: "server kills") { kill(share, by: number, shared) }
        }
        threads.forEach { $0.join() }
        return shared.report.withLock { report in
            report.nanoseconds = MonotonicClock.nanoseconds() - begun
            return report
        }
    }

    /// What the threads of all servers write into.
    private final class SharedReport: Sendable {
        let report: Mutex<ServerKillReport>

        init(_ report: ServerKillReport) { self.report = Mutex(report) }
    }

    private var isOver: Bool { MonotonicClock.nanoseconds() >= deadline }

    /// The share of one server.
    private func kill(_ deaths: Int, by number: Int, _ shared: SharedReport) {
        var stream = SeedStream(seed: seed, "server kills", "\(number)")
        var left = deaths
        while left > 0, !isOver {
            let count = runInstance(min(left, Self.deathsOfInstance), &stream, shared)
            // If not even the first server of an instance dies, another instance will not help.
            guard count > 0 else { return }
            left -= count
        }
    }

    /// Kills in one instance, up to the first breach.
    /// - Returns: the number of started deaths.
    private func runInstance(_ deaths: Int, _ stream: inout SeedStream, _ shared: SharedReport) -> Int {
        var begun = 0
        var death: ServerKillRun.Death?
        do {
            try Lab.runBlocking(
                .topology(Topology(name: "serverKills", devices: [])), seed: stream.next()
            ) { lab in
                let run = try ServerKillRun(lab, writers: writers, stream: SeedStream(seed: stream.next(), "run"))
                while begun < deaths, !isOver {
                    let next = draw(&stream)
                    death = next
                    begun += 1
                    try run.die(next)
                    shared.report.withLock { $0.count(next) }
                }
            }
        } catch {
            let failure = "\(death.map { "\($0)" } ?? "the start of an instance"): \(error)"
            shared.report.withLock { $0.failures.append(failure) }
            progress("breach: \(failure)")
        }
        return begun
    }

    /// Each fault point as often as anywhere; within about two requests of each writer.
    private func draw(_ stream: inout SeedStream) -> ServerKillRun.Death {
        let moment = Int.random(in: 1...max(1, 2 * writers), using: &stream)
        let points = ServerKillReport.points
        let choice = Int.random(in: 0...points.count, using: &stream)
        return choice < points.count ? .at(points[choice], pass: moment) : .anywhere(answers: moment)
    }
}
