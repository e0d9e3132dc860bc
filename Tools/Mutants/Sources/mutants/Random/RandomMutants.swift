// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Draws mistakes, makes one after the other in a copy of the lab's code, and reports those that no test detects.
struct RandomMutants {
    /// A suite that takes less is quick.
    private static let quickSeconds = 5.0

    private let count: Int
    private let seeds: [UInt64]
    private let draw: Draw
    private let package: LabPackage
    private let equivalents: Equivalents
    private let workspace: Workspace
    private let isQuick: Bool
    private let tests: TestProgram
    private let report: TrialReport
    private let refusals: Refusals

    init(_ request: RandomRequest, workspace: Workspace) throws {
        count = request.count
        seeds = request.seeds
        isQuick = request.isQuick
        self.workspace = workspace
        tests = workspace.tests
        package = try LabPackage(
            root: workspace.root, swift: tests.swift, output: workspace.directory.appending(path: "package.json"))
        let all = try Draw(root: workspace.root, package: package, only: request.module)
        draw = request.isQuick && request.module == nil ? all.narrowed(by: request.seeds[0]) : all
        equivalents = try Equivalents(root: workspace.root)
        refusals = Refusals(file: workspace.directory.appending(path: "refused"))
        report = TrialReport(patches: workspace.directory.appending(path: "survivors"))
    }

    /// Tries all of them. Survivors do not make the run fail: a draw is a measurement.
    func run() throws {
        defer { restore() }
        let trials = try buildable()
        let results = try isQuick ? triedByNearest(trials) : triedByAll(trials)
        for seed in seeds { report.showTable(of: results.filter { $0.mutant.seed == seed }, title: "seed \(seed)") }
        if seeds.count > 1 { report.showTable(of: results, title: "all seeds") }
    }

    private func restore() {
        do {
            try workspace.sources.restore()
        } catch {
            FileHandle.standardError.write(Data("mutants: \(error)\n".utf8))
        }
    }

    // MARK: Building

    /// The first of each draw that compile, woven into a copy that is built.
    private func buildable() throws -> [DrawnMutant] {
        // The rules know only the syntax, so some mistakes do not compile.
        let drawn = seeds.flatMap { draw.mutants(seed: $0, count: count + count / 3) }
        var rest = drawn.filter { !refusals.contains($0) }
        while true {
            let woven = weave(rest)
            try workspace.sources.refresh(with: woven.mapValues(\.text))
            let errors = try tests.buildErrors()
            if errors.isEmpty { break }
            let refused = try refused(errors, in: woven)
            print("\(refused.count) of \(rest.count) mistakes do not compile here; building again without them")
            fflush(nil)
            try refusals.add(rest.filter { refused.contains($0.name) })
            rest.removeAll { refused.contains($0.name) }
        }
        return seeds.flatMap { seed in rest.filter { $0.seed == seed }.prefix(count) }
    }

    private func weave(_ mutants: [DrawnMutant]) -> [String: Weaving] {
        Dictionary(grouping: mutants, by: \.file).mapValues { group in
            Weaving(
                draw.texts[group[0].file] ?? "",
                with: group.flatMap { mutant in
                    mutant.change.edits.map { Weaving.Thread(name: mutant.name, edit: $0) }
                })
        }
    }

    /// The mutants at which the compiler has found errors: those around the line, else the nearest of the file.
    private func refused(_ errors: Set<TestProgram.BuildError>, in woven: [String: Weaving]) throws -> Set<String> {
        var names: Set<String> = []
        for error in errors {
            // A file without its own mistake uses code that is broken elsewhere.
            guard let places = woven[error.file]?.lines, !places.isEmpty else { continue }
            let distances = places.mapValues { ranges in ranges.map { $0.distance(to: error.line) }.min() ?? .max }
            let nearest = distances.values.min()
            names.formUnion(distances.filter { $0.value == nearest }.keys)
        }
        if names.isEmpty, let error = errors.first {
            throw Failure(
                "The copy does not build, and no mistake is in \(error.file), line \(error.line): \(error.message)")
        }
        return names
    }

    // MARK: Trying

    /// Tries each mutant with the quick suites nearest to it, and survivors with all suites.
    private func triedByAll(_ trials: [DrawnMutant]) throws -> [TrialResult] {
        let suites = try SuiteSurvey(tests: tests, workspace: workspace.directory).surveyed(tests.suites())
        let quick = suites.filter { !$0.isEndToEnd && $0.seconds < Self.quickSeconds }
        let results = try tried(trials, by: quick, isLast: false)
        let group = GroupTrial(tests: tests, mutants: results.filter(\.isSurvivor).map(\.mutant)) {
            try report.show(.init(mutant: $0, verdict: .killed($1)), text: draw.texts[$0.file] ?? "")
        }
        try group.run(with: suites)
        let killed = group.killed
        return try results.map { result in
            guard result.isSurvivor else { return result }
            if let test = killed[result.mutant.name] { return .init(mutant: result.mutant, verdict: .killed(test)) }
            let isReached = suites.contains { $0.reached.contains(result.mutant.name) }
            let final = TrialResult(mutant: result.mutant, verdict: isReached ? .lives : .unreached)
            try report.show(final, text: draw.texts[result.mutant.file] ?? "")
            return final
        }
    }

    /// Tries each mutant with the unit suites nearest to it, which are run without one first.
    private func triedByNearest(_ trials: [DrawnMutant]) throws -> [TrialResult] {
        let modules = Set(trials.map(\.module))
        var suites = try tests.suites().filter { suite in
            !suite.isEndToEnd && modules.contains { package.isNearest(suite.module, to: $0) }
        }
        guard !suites.isEmpty else { return try tried(trials, by: [], isLast: true) }
        let begin = ContinuousClock.now
        let run = try tests.run(suites, limit: 900 * tests.timeFactor)
        if let noticed = run.noticed {
            throw Failure("The nearest tests fail without a mistake: \(noticed) (\(run.log.path)).")
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        for index in suites.indices { suites[index].seconds = seconds / Double(suites.count) }
        return try tried(trials, by: suites, isLast: true)
    }

    /// Tries each mutant with the suites nearest to it. As many at a time as there are cores: most of a run is the
    /// start of its process, or waiting for others.
    ///
    /// - Parameter isLast: whether no other suites are tried, so that survivors are shown.
    private func tried(_ trials: [DrawnMutant], by suites: [Suite], isLast: Bool) throws -> [TrialResult] {
        try concurrently(trials) { mutant in
            let result = TrialResult(mutant: mutant, verdict: try verdict(of: mutant, by: suites))
            if isLast || !result.isSurvivor { try report.show(result, text: draw.texts[mutant.file] ?? "") }
            return result
        }
    }

    private func verdict(of mutant: DrawnMutant, by suites: [Suite]) throws -> TrialResult.Verdict {
        if let reason = equivalents.reason(for: mutant, text: draw.texts[mutant.file] ?? "") {
            return .equivalent(reason)
        }
        // A quick run has no survey, so the places that a suite passes are unknown.
        let able = suites.filter {
            isQuick
                ? package.isNearest($0.module, to: mutant.module)
                : package.isNear($0.module, to: mutant.module) && $0.reached.contains(mutant.name)
        }
        guard !able.isEmpty else { return .unreached }
        let run = try tests.run(
            able, mutants: [mutant.name], limit: tests.limit(of: able), endsAtFailure: true)
        return run.noticed.map { .killed($0) } ?? .lives
    }
}

extension ClosedRange<Int> {
    /// Lines between this range and a line; 0 within it.
    fileprivate func distance(to line: Int) -> Int {
        contains(line) ? 0 : Swift.min(abs(lowerBound - line), abs(upperBound - line))
    }
}
