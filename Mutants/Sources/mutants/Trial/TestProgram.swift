import Foundation

/// The built tests of the copy. They are one program, which is started directly: `swift test` would plan the build
/// again for every mutant.
struct TestProgram {
    let copy: SourceCopy
    /// The `swift` to build with.
    let swift: String

    /// Exit status of the program when no test fits its filter.
    private static let noTests: Int32 = 69

    private var scratch: String { copy.workspace.appending(path: "build").path }
    private var program: String { "\(scratch)/debug/PowerAuthLabPackageTests.xctest" }

    /// Builds everything once; what the compiler says is shown.
    func build() throws {
        let outcome = try Program.run(
            [swift, "build", "--build-tests", "--scratch-path", scratch], in: copy.directory)
        guard outcome == .ended(status: 0) else {
            throw Failure(
                "The copy with the mutants does not build (\(outcome)). The errors above name files in "
                    + "\(copy.directory.path); if the package itself builds, correct the descriptions in Mutants.")
        }
    }

    /// Runs tests, at most three a core at a time as `make test` does.
    ///
    /// - Parameters:
    ///   - filter: regular expression for the identifiers of the tests.
    ///   - mutant: the mistake that the code makes; nil for none.
    ///   - limit: seconds after which the run is ended.
    func run(_ filter: String, mutant: String?, limit: Double) throws -> TestRun {
        let log = copy.workspace.appending(path: "logs/\(mutant ?? "without-mutant").log")
        try FileManager.default.createDirectory(at: log.deletingLastPathComponent(), withIntermediateDirectories: true)
        let width = 3 * ProcessInfo.processInfo.activeProcessorCount
        let outcome = try Program.run(
            [
                program, "--testing-library", "swift-testing", "--filter", filter,
                "--experimental-maximum-parallelization-width", "\(width)",
            ], in: copy.directory, environment: mutant.map { ["LAB_MUTANT": $0] } ?? [:], output: log, limit: limit)
        guard outcome != .ended(status: Self.noTests) else {
            throw Failure("No test fits \(filter)\(mutant.map { " (mutant \($0))" } ?? ""); correct `tests`.")
        }
        return TestRun(outcome: outcome, log: log)
    }
}

/// What a run of tests has shown.
struct TestRun {
    let outcome: Program.Outcome
    /// What the program printed.
    let log: URL

    var isGreen: Bool { outcome == .ended(status: 0) }

    /// The first test that failed, if the program lived long enough to say so.
    var firstFailure: String? {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.firstMatch(of: /Test (\S.*?) recorded an issue/).map { String($0.1) }
    }
}
