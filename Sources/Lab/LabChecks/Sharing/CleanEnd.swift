import LabKit

/// Nothing is left of a run.
struct CleanEnd: Checker {
    let name = "clean end"
    let rule = "After the run every process has been reaped, and no memory or file is left behind."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        guard let end = history.events.last(where: { $0.name == .stressEnded }) else {
            return Finding(gap: "the record ends before the run does")
        }
        let complaints = end.fields["complaints"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let processes = history.events.count { $0.name == .processStarted }
        return Finding(breaches: complaints.map { Breach("\($0).", [end]) }, examined: processes)
    }
}
