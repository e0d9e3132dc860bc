import Foundation

/// Draws mistakes, makes one after the other in a copy of the lab's code, and shows which of them no test notices.
struct RandomMutants {
    private let count: Int
    private let seeds: [UInt64]
    private let draw: Draw
    private let package: LabPackage
    private let equivalents: Equivalents
    private let workspace: Workspace
    private let isQuick: Bool
    private let tests: TestProgram
    private let report: TrialReport

    init(_ request: RandomRequest, workspace: Workspace) throws {
        count = request.count
        seeds = request.seeds
        isQuick = request.isQuick
        self.workspace = workspace
        tests = workspace.tests
        package = try LabPackage(
            root: workspace.root, swift: tests.swift, output: workspace.directory.appending(path: "package.json"))
        draw = try Draw(root: workspace.root, package: package, only: request.module)
        equivalents = try Equivalents(root: workspace.root)
        report = TrialReport(patches: workspace.directory.appending(path: "survivors"))
    }

    /// Tries all of them. Nothing that lives makes the run fail: a draw is a measurement.
    func run() throws {
        defer { restore() }
        let trials = try buildable()
        let suites =
            isQuick
            ? try tests.suites()
            : try SuiteSurvey(tests: tests, workspace: workspace.directory).reached(by: trials)
        var results: [TrialResult] = []
        for mutant in trials {
            let result = TrialResult(mutant: mutant, verdict: try verdict(of: mutant, suites))
            try report.show(result, text: draw.texts[mutant.file] ?? "")
            results.append(result)
        }
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
        // Rules that know the syntax only make some mistakes that no compiler lets pass.
        let drawn = seeds.flatMap { draw.mutants(seed: $0, count: count + count * 3 / 4) }
        var rest = drawn
        while true {
            let woven = weave(rest)
            try workspace.sources.refresh(with: woven.mapValues(\.text))
            let errors = try tests.buildErrors()
            if errors.isEmpty { break }
            let refused = try refused(errors, in: woven)
            print("\(refused.count) of \(rest.count) mistakes do not compile here; building again without them")
            fflush(nil)
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
            guard let places = woven[error.file]?.lines, !places.isEmpty else {
                throw Failure(
                    "The copy does not build, and no mistake is in \(error.file), line \(error.line): \(error.message)")
            }
            let distances = places.mapValues { ranges in ranges.map { $0.distance(to: error.line) }.min() ?? .max }
            let nearest = distances.values.min()
            names.formUnion(distances.filter { $0.value == nearest }.keys)
        }
        return names
    }

    // MARK: Trying

    /// Runs the suites that pass the mutant's place, the nearest first, until one notices.
    private func verdict(of mutant: DrawnMutant, _ suites: [Suite]) throws -> TrialResult.Verdict {
        if let reason = equivalents.reason(for: mutant, text: draw.texts[mutant.file] ?? "") {
            return .equivalent(reason)
        }
        let groups = groups(of: suites, for: mutant)
        guard !groups.isEmpty else { return .unreached }
        for group in groups {
            let seconds = group.reduce(0) { $0 + $1.seconds }
            let run = try tests.run(
                group, mutant: mutant.name, limit: (isQuick ? 120 : 60 + 3 * seconds) * tests.timeFactor,
                endsAtFailure: !group[0].isEndToEnd)
            if let noticed = run.noticed { return .killed(noticed) }
        }
        return .lives
    }

    /// The suites that can notice a mutant, in the order in which they are tried. A quick run knows only which modules'
    /// tests are near.
    private func groups(of suites: [Suite], for mutant: DrawnMutant) -> [[Suite]] {
        let able = suites.filter { isQuick || $0.reached.contains(mutant.name) }
        let units = able.filter { !$0.isEndToEnd }
        let near = units.filter { package.isNear($0.module, to: mutant.module) }
        if isQuick { return near.isEmpty ? [] : [near] }
        let others = units.filter { !package.isNear($0.module, to: mutant.module) }
        let launching = able.filter(\.isEndToEnd).sorted { $0.seconds < $1.seconds }
        return ([near, others] + launching.map { [$0] }).filter { !$0.isEmpty }
    }
}

extension ClosedRange<Int> {
    /// Lines between this range and a line; 0 within it.
    fileprivate func distance(to line: Int) -> Int {
        contains(line) ? 0 : Swift.min(abs(lowerBound - line), abs(upperBound - line))
    }
}
