import Foundation
import Synchronization

/// Finds out without a mutant which suites pass which places, and how long they take.
struct SuiteSurvey {
    let tests: TestProgram
    /// Where the lists of passed places are written.
    let workspace: URL

    /// The suites that pass without a mutant and reach one of these. What fails by itself can show nothing and is named.
    func reached(by mutants: [DrawnMutant]) throws -> [Suite] {
        let suites = try tests.suites()
        let units = suites.filter { !$0.isEndToEnd }
        let begin = ContinuousClock.now
        let surveyed = Mutex<[Result<Suite?, any Error>]>([])
        // Most of a small suite is the start of its process, so two of them share the cores well.
        DispatchQueue.concurrentPerform(iterations: units.count) { index in
            let result = Result { try survey(units[index]) }
            surveyed.withLock { $0.append(result) }
        }
        var known = try surveyed.withLock { $0 }.compactMap { try $0.get() }
        for suite in suites where suite.isEndToEnd {
            if let surveyed = try survey(suite) { known.append(surveyed) }
        }
        let names = Set(mutants.map(\.name))
        let able = known.filter { !$0.reached.isDisjoint(with: names) }.sorted { $0.name < $1.name }
        print(
            "\(able.count) of \(suites.count) suites pass a mistake's place (found in \(ContinuousClock.now - begin))")
        fflush(nil)
        return able
    }

    /// - Returns: nil for a suite that fails without a mutant.
    private func survey(_ suite: Suite) throws -> Suite? {
        let passed = workspace.appending(path: "reach/\(suite.name.replacing("/", with: "-"))")
        try FileManager.default.createDirectory(
            at: passed.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? FileManager.default.removeItem(at: passed)
        let begin = ContinuousClock.now
        let run = try tests.run([suite], mutant: nil, limit: 900 * tests.timeFactor, reach: passed)
        if let noticed = run.noticed {
            print("left out: \(suite.name) fails without a mutant: \(noticed) (\(run.log.path))")
            fflush(nil)
            return nil
        }
        var surveyed = suite
        surveyed.seconds = (ContinuousClock.now - begin) / .seconds(1)
        let text = (try? String(contentsOf: passed, encoding: .utf8)) ?? ""
        surveyed.reached = Set(text.split(separator: "\n").map(String.init))
        return surveyed
    }
}
