// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Tries many mutants at once: few suites detect mutants that survive the nearest suites.
///
/// Suites that pass with all mutants detect none of them, unless two cancel each other out. If they fail, one half of
/// the mutants is tried, then the other, and so on: a mutant is killed if the tests fail with it alone.
final class GroupTrial: Sendable {
    /// Maximum seconds of the suites of a module together; more makes a failure costly.
    private static let batchSeconds = 60.0

    private let tests: TestProgram
    private let report: @Sendable (_ mutant: DrawnMutant, _ test: String) throws -> Void
    private let mutants: [DrawnMutant]
    private let noticed = Mutex<[String: String]>([:])

    /// - Parameter report: gets each killed mutant and the test that detected it.
    init(
        tests: TestProgram, mutants: [DrawnMutant],
        report: @escaping @Sendable (_ mutant: DrawnMutant, _ test: String) throws -> Void
    ) {
        self.tests = tests
        self.mutants = mutants
        self.report = report
    }

    /// The tests that detected mutants, by the mutants' names.
    var killed: [String: String] { noticed.withLock { $0 } }

    /// Tries the mutants with all suites, the cheap ones first.
    func run(with suites: [Suite]) throws {
        let begin = ContinuousClock.now
        let batches = Self.batches(of: suites)
        _ = try concurrently(batches) { try trial(of: mutants, with: $0) }
        print("\(batches.count) groups of suites were tried with what lived (\(ContinuousClock.now - begin))")
        fflush(nil)
    }

    /// Tries the surviving, reached mutants.
    private func trial(of mutants: [DrawnMutant], with batch: [Suite]) throws {
        let killed = killed
        let mutants = mutants.filter { mutant in
            killed[mutant.name] == nil && batch.contains { $0.reached.contains(mutant.name) }
        }
        guard !mutants.isEmpty else { return }
        let names = Set(mutants.map(\.name))
        let able = batch.filter { !$0.reached.isDisjoint(with: names) }
        let run = try tests.run(
            able, mutants: names.sorted(), limit: tests.limit(of: able), endsAtFailure: !able[0].isEndToEnd)
        guard let test = run.noticed else { return }
        if mutants.count == 1 {
            noticed.withLock { $0[mutants[0].name] = test }
            return try report(mutants[0], test)
        }
        try trial(of: Array(mutants[..<(mutants.count / 2)]), with: batch)
        try trial(of: Array(mutants[(mutants.count / 2)...]), with: batch)
    }

    /// Unit suites of one module that take a minute together, and then end-to-end suites one by one: their failures
    /// cost most.
    private static func batches(of suites: [Suite]) -> [[Suite]] {
        var batches: [[Suite]] = []
        for suite in suites.sorted(by: { ($0.module, $0.seconds) < ($1.module, $1.seconds) }) {
            let last = batches.last ?? []
            let seconds = last.reduce(suite.seconds) { $0 + $1.seconds }
            if !suite.isEndToEnd, last.first?.module == suite.module, seconds <= batchSeconds {
                batches[batches.count - 1].append(suite)
            } else {
                batches.append([suite])
            }
        }
        func cost(_ batch: [Suite]) -> (Int, Double) {
            (batch[0].isEndToEnd ? 1 : 0, batch.reduce(0) { $0 + $1.seconds })
        }
        return batches.sorted { cost($0) < cost($1) }
    }
}
