import Foundation

/// Makes known mistakes in a copy of the lab's code, one after the other, and shows which of them no test notices.
@main
struct Mutants {
    /// Seconds that the tests of one mutant may take; longer counts as a hang.
    private static let limit = 60 * timeFactor
    /// Seconds that the needed tests may take without a mutant.
    private static let baselineLimit = 900 * timeFactor
    /// How patient the lab's own limits are with a slow machine.
    private static let timeFactor = max(
        1, ProcessInfo.processInfo.environment["LAB_TIME_FACTOR"].flatMap(Double.init) ?? 1)

    private let clock = ContinuousClock()
    private let catalogue: Catalogue
    private let selected: [PlacedMutant]
    private let copy: SourceCopy
    private let tests: TestProgram

    static func main() {
        do {
            exit(try Mutants(CommandLine.arguments.dropFirst()).run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("mutants: \(error)\n".utf8))
            exit(2)
        }
    }

    private init(_ arguments: ArraySlice<String>) throws {
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            throw Failure("usage: mutants [MODULE | MUTANT], in the root of the package")
        }
        let root = URL(filePath: FileManager.default.currentDirectoryPath)
        catalogue = try Catalogue(root: root)
        selected = try catalogue.selected(by: arguments.first)
        let workspace = root.appending(path: ".build-mutants")
        try FileManager.default.createDirectory(at: workspace, withIntermediateDirectories: true)
        copy = SourceCopy(root: root, workspace: workspace)
        tests = TestProgram(copy: copy, swift: ProcessInfo.processInfo.environment["SWIFT"] ?? "swift")
    }

    /// - Returns: whether every selected mutant was noticed.
    private func run() throws -> Bool {
        let building = try clock.measure {
            try copy.refresh(with: catalogue.wovenTexts)
            try tests.build()
        }
        let begin = clock.now
        try requireGreenTests()
        var living: [PlacedMutant] = []
        for placed in selected where try !isKilled(placed) { living.append(placed) }
        let testing = clock.now - begin
        say(
            "\(selected.count) mutants: \(selected.count - living.count) killed, \(living.count) live"
                + " (built in \(seconds(building)), tested in \(seconds(testing)))")
        return living.isEmpty
    }

    /// A test that fails without a mutant would kill all of them and show nothing.
    private func requireGreenTests() throws {
        let filters = Set(selected.map(\.mutant.tests)).sorted()
        var run: TestRun?
        let time = try clock.measure {
            run = try tests.run(
                filters.map { "(\($0))" }.joined(separator: "|"), mutant: nil, limit: Self.baselineLimit)
        }
        guard let run, run.isGreen else {
            throw Failure(
                "The tests fail without any mutant (\(run?.firstFailure ?? run?.outcome.description ?? "not run")), so "
                    + "they can show nothing. \(run?.log.path ?? "") has what they printed.")
        }
        say("without a mutant the tests pass (\(seconds(time)))")
    }

    private func isKilled(_ placed: PlacedMutant) throws -> Bool {
        let mutant = placed.mutant
        let begin = clock.now
        let run = try tests.run(mutant.tests, mutant: mutant.name, limit: Self.limit)
        let time = seconds(clock.now - begin)
        switch run.outcome {
        case .ended(status: 0):
            say("LIVES   \(mutant.name) (\(time)) \(placed.place)\n        \(mutant.about)")
            return false
        case .timedOut: say("killed  \(mutant.name) (timed out after \(time))")
        case .killed: say("killed  \(mutant.name) (\(time)) the tests ended by \(run.outcome)")
        case .ended: say("killed  \(mutant.name) (\(time)) \(run.firstFailure ?? run.outcome.description)")
        }
        return true
    }

    private func seconds(_ duration: Duration) -> String {
        String(format: "%.1f s", duration / .seconds(1))
    }

    /// Prints a line at once, also into a file: a run takes minutes.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
