extension TerminalReport {
    /// The summary of several rounds: a line for every scenario that did not pass in all of them, with the seeds that
    /// reproduce the others. Empty if all passed, or if there was one round.
    public func flakiness(_ results: [ScenarioResult]) -> String {
        let played = results.filter { $0.verdict != .notRun }
        let rounds = Dictionary(grouping: played, by: \.scenario)
        let lines = played.filter { $0.round == 1 }.map(\.scenario).compactMap { scenario -> String? in
            guard let rounds = rounds[scenario], rounds.contains(where: { $0.round > 1 }) else { return nil }
            let bad = rounds.filter { $0.verdict != .passed }
            guard !bad.isEmpty else { return nil }
            let seeds = bad.map { String($0.seed) }.joined(separator: ", ")
            return """
                \(scenario.onOneVisibleLine): \(rounds.count - bad.count) of \(rounds.count) rounds passed; \
                the others with \(bad.count == 1 ? "seed" : "seeds") \(seeds)

                """
        }
        return lines.joined()
    }
}
