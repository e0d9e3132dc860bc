// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes known mistakes in a copy of the lab's code, one after the other, and reports those that no test detects.
struct KnownMutants {
    /// Seconds that the tests of one mutant may take; longer counts as a hang.
    private static let limit = 60.0
    /// Seconds that the needed tests may take without a mutant.
    private static let baselineLimit = 900.0

    private let clock = ContinuousClock()
    private let catalogue: Catalogue
    private let selected: [PlacedMutant]
    private let sources: any MutantSources
    private let tests: TestProgram

    /// - Parameter name: a module, or one mutant; nil for all.
    init(_ name: String?, workspace: Workspace) throws {
        catalogue = try Catalogue(root: workspace.root)
        selected = try catalogue.selected(by: name)
        sources = workspace.sources
        tests = workspace.tests
    }

    /// - Returns: whether every selected mutant was noticed.
    func run() throws -> Bool {
        let building = try clock.measure {
            try sources.refresh(with: catalogue.wovenTexts)
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

    /// A test that fails without a mutant would kill all mutants and prove nothing.
    private func requireGreenTests() throws {
        let filters = Set(selected.map(\.mutant.tests)).sorted().map { "(\($0))" }.joined(separator: "|")
        let begin = clock.now
        let run = try tests.run(
            filters, mutant: nil, limit: Self.baselineLimit * tests.timeFactor, endsAtFailure: false)
        if let noticed = run.noticed {
            throw Failure(
                "The tests fail without any mutant (\(noticed)), so they can show nothing. \(run.log.path) has what "
                    + "they printed.")
        }
        say("without a mutant the tests pass (\(seconds(clock.now - begin)))")
    }

    private func isKilled(_ placed: PlacedMutant) throws -> Bool {
        let mutant = placed.mutant
        let begin = clock.now
        let run = try tests.run(
            mutant.tests, mutant: mutant.name, limit: Self.limit * tests.timeFactor, endsAtFailure: true)
        let time = seconds(clock.now - begin)
        guard let noticed = run.noticed else {
            say("LIVES   \(mutant.name) (\(time)) \(placed.place)\n        \(mutant.about)")
            return false
        }
        say("killed  \(mutant.name) (\(time)) \(noticed)")
        return true
    }

    private func seconds(_ duration: Duration) -> String {
        String(format: "%.1f s", duration / .seconds(1))
    }

    /// Prints a line without buffering, even to a file: a run takes minutes.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
