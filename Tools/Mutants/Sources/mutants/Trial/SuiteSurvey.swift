// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Determines without a mutant which suites pass which places, and how long they take.
struct SuiteSurvey {
    let tests: TestProgram
    /// Where the lists of passed places are written.
    let workspace: URL

    /// The suites that pass without a mutant. Suites that fail without one prove nothing and are named.
    func surveyed(_ suites: [Suite]) throws -> [Suite] {
        let begin = ContinuousClock.now
        let able = try concurrently(suites) { try survey($0) }.compactMap(\.self)
        print("\(able.count) of \(suites.count) suites pass by themselves (found in \(ContinuousClock.now - begin))")
        fflush(nil)
        return able
    }

    /// - Returns: nil for a suite that fails without a mutant.
    private func survey(_ suite: Suite) throws -> Suite? {
        let passed = workspace.appending(path: "reach/\(suite.name.replacing("/", with: "-"))")
        try FileManager.default.createDirectory(
            at: passed.deletingLastPathComponent(), withIntermediateDirectories: true)
        var surveyed = suite
        if let seconds = tests.secondsOfLastRun(of: suite) {
            surveyed.seconds = seconds
        } else {
            try? FileManager.default.removeItem(at: passed)
            let begin = ContinuousClock.now
            let run = try tests.run([suite], limit: 900 * tests.timeFactor, reach: passed)
            if let noticed = run.noticed {
                print("left out: \(suite.name) fails without a mutant: \(noticed) (\(run.log.path))")
                fflush(nil)
                return nil
            }
            surveyed.seconds = (ContinuousClock.now - begin) / .seconds(1)
        }
        let text = (try? String(contentsOf: passed, encoding: .utf8)) ?? ""
        surveyed.reached = Set(text.split(separator: "\n").map(String.init))
        return surveyed
    }
}
