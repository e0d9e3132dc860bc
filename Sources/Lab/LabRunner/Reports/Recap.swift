import LabSystem

extension TerminalReport {
    /// The failures once more at the end of the output of several scenarios: each with its first failing step, and its
    /// first cause or difference. Empty for a run of one scenario, whose failures are above.
    func recap(_ results: [ScenarioResult]) -> [String] {
        guard results.count > 1 else { return [] }
        let bad = results.filter { $0.isHeldAgainstRun && $0.verdict != .notRun }
        let shown = bad.prefix(Self.recapLimit).flatMap(recap)
        return bad.count > Self.recapLimit ? shown + ["and \(bad.count - Self.recapLimit) more, above"] : shown
    }

    private static let recapLimit = 20
    /// The details are above; a sentence or two identify the failure.
    private static let recapColumns = 240

    private func recap(_ result: ScenarioResult) -> [String] {
        let name = "\(mark(result.verdict)) \(result.name.onOneVisibleLine)  \(result.id.onOneVisibleLine)"
        guard let failure = result.leadingFailure else { return [name] }
        let place = failure.place.isEmpty ? "" : "\(failure.place.onOneVisibleLine): "
        var lines = [name, "    \(place)\(failure.headline.onOneVisibleLine)"]
        if let cause = failure.causes.first {
            lines.append("    because \(cause.onOneVisibleLine)")
        } else if let difference = failure.differences.first {
            let path = difference.path.isEmpty ? "" : "\(difference.path): "
            let both = "\(path)expected \(difference.expected), actual \(difference.actual)"
            lines.append("    \(both.onOneVisibleLine)")
        }
        return lines.map { Terminal.fitting($0, columns: Self.recapColumns) }
    }
}
