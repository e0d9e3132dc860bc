// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The built tests of the copy. They are one program, which is started directly: `swift test` would plan the build
/// again for every mutant.
struct TestProgram {
    /// The root of the package with the mistakes.
    let directory: URL
    /// Where it is built.
    let scratch: URL
    /// The folder for what builds and tests print.
    let logs: URL
    /// The `swift` to build with.
    let swift: String
    /// What compiles in its place; nil for the `swiftc` beside it.
    let compiler: LenientCompiler?
    /// The factor of all time limits for a slow machine.
    let timeFactor: Double

    /// Exit status of the program when no test fits its filter.
    private static let noTests: Int32 = 69

    private var program: String { scratch.appending(path: "debug/PowerAuthLabPackageTests.xctest").path }
    private var lab: String { scratch.appending(path: "debug/lab").path }
    private var buildCommand: [String] { [swift, "build", "--build-tests", "--scratch-path", scratch.path] }

    /// Builds everything once and shows the compiler's output.
    func build() throws {
        let outcome = try built(output: nil)
        guard outcome == .ended(status: 0) else {
            throw Failure(
                "The copy with the mutants does not build (\(outcome)). The errors above name files in "
                    + "\(directory.path); if the package itself builds, correct the descriptions in Mutants.")
        }
    }

    private func built(output: URL?) throws -> Program.Outcome {
        try compiler?.forgetFailures(in: scratch.appending(path: "debug"))
        let outcome = try Program.run(
            buildCommand, in: directory, environment: compiler?.environment ?? [:], output: output)
        let hasFailed = compiler.map { !$0.failedModules.isEmpty } ?? false
        return hasFailed ? .ended(status: 1) : outcome
    }

    /// An error of the compiler.
    struct BuildError: Hashable {
        /// Path from the root of the package.
        let file: String
        /// From 1.
        let line: Int
        let message: String
    }

    /// Builds everything, and returns the errors that prevent it.
    func buildErrors() throws -> Set<BuildError> {
        let log = logs.appending(path: "build.log")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        let outcome = try built(output: log)
        if outcome == .ended(status: 0) { return [] }
        let text = try String(contentsOf: log, encoding: .utf8)
        let root = directory.path + "/"
        let errors = text.matches(of: #/(?m)^(/.+\.swift):(\d+):\d+: error: (.*)$/#).compactMap { match in
            match.1.hasPrefix(root)
                ? BuildError(
                    file: String(match.1.dropFirst(root.count)), line: Int(match.2) ?? 0, message: String(match.3))
                : nil
        }
        guard !errors.isEmpty else {
            throw Failure("The copy does not build (\(outcome)); \(log.path) has what the compiler said.")
        }
        return Set(errors)
    }

    /// All suites, without those that read the repository's text: the text of the copy is not the lab's.
    func suites() throws -> [Suite] { try suitesOfTests() + scenarios() }

    /// The scenarios of the catalogue: a mistake that `make test` misses and `make run` detects fails the build.
    private func scenarios() throws -> [Suite] {
        struct List: Decodable {
            struct Scenario: Decodable { let file: String }
            let scenarios: [Scenario]
        }
        let list = logs.appending(path: "scenarios")
        let outcome = try Program.run(
            [lab, "list", "Scenarios", "--json"], in: directory, output: list,
            errors: list.appendingPathExtension("errors"))
        guard outcome == .ended(status: 0) else { throw Failure("The lab does not list the scenarios (\(outcome)).") }
        let scenarios = try JSONDecoder().decode(List.self, from: Data(contentsOf: list)).scenarios
        return Set(scenarios.map(\.file)).sorted().map { Suite(name: $0) }
    }

    private func suitesOfTests() throws -> [Suite] {
        let list = logs.appending(path: "tests")
        let outcome = try Program.run(
            [program, "--testing-library", "swift-testing", "--list-tests"], in: directory, output: list,
            errors: list.appendingPathExtension("errors"))
        guard outcome == .ended(status: 0) else {
            throw Failure("The test program does not list its tests (\(outcome)).")
        }
        return Suite.suites(ofTests: try String(contentsOf: list, encoding: .utf8))
    }

    /// Runs whole suites.
    ///
    /// - Parameters:
    ///   - mutants: the mistakes that the code makes.
    ///   - limit: seconds after which the run is ended.
    ///   - endsAtFailure: whether the run is ended at the first issue, which is all that counts.
    ///   - reach: the file that gets the names of all places that are passed.
    func run(
        _ suites: [Suite], mutants: [String] = [], limit: Double, endsAtFailure: Bool = false, reach: URL? = nil
    ) throws -> TestRun {
        var environment = mutants.isEmpty ? [:] : ["LAB_MUTANT": mutants.joined(separator: " ")]
        environment["LAB_MUTANT_REACH"] = reach?.path
        let name = Self.log(of: mutants, with: suites)
        guard suites.contains(where: \.isScenario) else {
            return try run(
                suites.map(\.filter), log: name, environment: environment, limit: limit, endsAtFailure: endsAtFailure)
        }
        let log = log(named: name)
        let outcome = try Program.run(
            [lab, "run"] + suites.map(\.name), in: directory, environment: environment, output: log, limit: limit)
        return TestRun(outcome: outcome, log: log)
    }

    /// Seconds after which suites hang: three times what they take without a mutant, and a minute for what is short.
    func limit(of suites: [Suite]) -> Double { (60 + 3 * suites.reduce(0) { $0 + $1.seconds }) * timeFactor }

    private static func log(of mutants: [String], with suites: [Suite]) -> String {
        switch mutants.count {
        case 0: surveyLog(of: suites)
        case 1: mutants[0]
        default: "\(mutants[0])-and-\(mutants.count - 1)-others-\(suites[0].name)"
        }
    }

    private static func surveyLog(of suites: [Suite]) -> String {
        "survey-" + suites.map(\.name).joined(separator: "-")
    }

    /// How long a suite took when this very program was run with it and without a mutant; nil when it has not passed.
    func secondsOfLastRun(of suite: Suite) -> Double? {
        let log = log(named: Self.surveyLog(of: [suite]))
        func date(_ file: URL) -> Date? {
            try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        }
        guard let ran = date(log), let built = date(URL(filePath: program)), ran > built,
            let text = try? String(contentsOf: log, encoding: .utf8)
        else { return nil }
        return text.firstMatch(of: /Test run with .* passed after ([0-9.]+) seconds|passed in ([0-9.]+) s/)
            .flatMap { Double($0.1 ?? $0.2 ?? "") }
    }

    private func log(named name: String) -> URL {
        logs.appending(path: name.replacing("/", with: "-") + ".log")
    }

    /// Runs the tests whose identifiers a regular expression fits.
    func run(_ filter: String, mutant: String?, limit: Double, endsAtFailure: Bool) throws -> TestRun {
        try run(
            [filter], log: mutant ?? "without-mutant", environment: mutant.map { ["LAB_MUTANT": $0] } ?? [:],
            limit: limit, endsAtFailure: endsAtFailure)
    }

    /// At most three tests a core at a time, as `make test` does.
    private func run(
        _ filters: [String], log name: String, environment: [String: String], limit: Double, endsAtFailure: Bool
    ) throws -> TestRun {
        let log = log(named: name)
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        let width = 3 * ProcessInfo.processInfo.activeProcessorCount
        let outcome = try Program.run(
            [program, "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", "\(width)"]
                + filters.flatMap { ["--filter", $0] },
            in: directory, environment: environment, output: log, limit: limit,
            endsAt: endsAtFailure ? TestRun.issue : nil)
        guard outcome != .ended(status: Self.noTests) else {
            throw Failure("No test fits \(filters.joined(separator: " or ")).")
        }
        return TestRun(outcome: outcome, log: log)
    }
}

/// The result of a test run.
struct TestRun {
    /// The program's output for a failing test.
    static let issue = " recorded an issue"

    let outcome: Program.Outcome
    /// The program's output.
    let log: URL

    /// Why the run is not green: the first test that failed, or how the program ended; nil when all have passed.
    var noticed: String? {
        switch outcome {
        case .ended(status: 0): nil
        case .timedOut: "its time was over"
        case .killed: "the tests ended by \(outcome)"
        case .ended, .endedAtText: firstFailure ?? outcome.description
        }
    }

    /// The first test or scenario that failed, if the program lived long enough to report it.
    private var firstFailure: String? {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.firstMatch(of: #/Test (\S.*?) recorded an issue|(?m)^[✗?] (\S.*?)  /#)
            .flatMap { ($0.1 ?? $0.2).map(String.init) }
    }
}
