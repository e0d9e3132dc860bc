import LabFile
import LabKit

/// The steps of a recorded scenario and their ends, on `MonotonicClock`.
struct StepEnds {
    /// The end of a step.
    private struct End {
        let step: String
        let time: UInt64
        var isFine: Bool
    }

    /// When the scenario began, in nanoseconds.
    let begin: UInt64
    private let ends: [End]
    /// The last recorded moment.
    private let last: UInt64

    /// - Parameter directory: directory of the scenario; empty if it did not run.
    /// - Returns: nil if nothing is recorded.
    init?(in directory: String) {
        guard let history = History.read(in: directory), let first = history.first?.time else { return nil }
        begin = first
        last = history.map(\.time).max() ?? first
        var begins: [String: UInt64] = [:]
        var ends: [End] = []
        for event in history {
            guard let step = event.step else { continue }
            if event.kind == .stepStarted { begins[step] = event.time }
            guard case .stepFinished(let isFine) = event.fact else { continue }
            // A step that passed allows failures inside it: the loser of a race, an attempt that was repeated.
            if isFine, let begin = begins[step] {
                for index in ends.indices.reversed() {
                    guard ends[index].time >= begin else { break }
                    if ends[index].step.hasPrefix(step + ".") { ends[index].isFine = true }
                }
            }
            ends.append(End(step: step, time: event.time, isFine: isFine))
        }
        self.ends = ends
    }

    /// Finds a moment.
    ///
    /// - Parameter place: The number of a step, or a time since the beginning; nil means after the first step that
    ///   failed, or else after the last one.
    /// - Returns: The moment, and the last step that had ended by then.
    /// - Throws: ``BadUsage`` for a step that did not end.
    func moment(at place: String?) throws -> (step: String?, time: UInt64) {
        guard let place else {
            let end = ends.first { !$0.isFine } ?? ends.last
            return (end?.step, end?.time ?? last)
        }
        if let end = ends.last(where: { $0.step == place }) { return (end.step, end.time) }
        if let age = LabDuration(place), age.nanoseconds >= 0 {
            let time = begin + UInt64(age.nanoseconds)
            return (ends.last { $0.time <= time }?.step, time)
        }
        let steps = ends.map(\.step)
        let known =
            steps.isEmpty ? "none has" : "those that have are \(listed(steps.prefix(20).map { "`\($0)`" }, by: "and"))"
        throw BadUsage(sentence: "no step \(place) has ended; \(known). A time is written as in `150ms`")
    }
}
