import LabChecks
import LabKit

/// How often each kind of call and each fault happened: a run without some of them proves nothing about these.
struct StressTally {
    /// Calls by action and outcome.
    private(set) var calls: [String: [RecordedCall.Outcome: Int]] = [:]
    /// Kills by fault point.
    private(set) var kills: [String: Int] = [:]
    /// Kills at a random moment.
    private(set) var otherKills = 0
    /// Number of answers held back.
    private(set) var holds = 0
    /// Number of suspensions.
    private(set) var suspensions = 0
    /// Number of restarts.
    private(set) var launches = 0
    /// The time of the driver's calls, from the first to the last, in seconds.
    private(set) var seconds = 0.0

    init(_ history: RecordedHistory) {
        for call in history.calls { calls[call.call, default: [:]][call.outcome, default: 0] += 1 }
        for event in history.events {
            switch event.name {
            case .faultFired where event.fields["action"] == "delay": holds += 1
            case .faultFired: kills[event.fields["point"]?.stringValue ?? "", default: 0] += 1
            case .deathWanted where event.fields["how"] == "kill": otherKills += 1
            case .processSuspended: suspensions += 1
            case .processStarted where event.incarnation > 1: launches += 1
            default: break
            }
        }
        if let first = history.calls.first, let last = history.calls.last {
            seconds = Double(last.invoked.time - first.invoked.time) / 1e9
        }
    }

    /// All calls.
    var total: Int { calls.values.map { $0.values.reduce(0, +) }.reduce(0, +) }

    /// The calls of one kind, by result.
    func count(_ action: StressAction, _ outcome: RecordedCall.Outcome) -> Int {
        calls[action.rawValue]?[outcome] ?? 0
    }

    /// The actions that were never done, the fault points without a kill, and the other faults that never happened.
    var missing: [String] {
        let actions = StressAction.allCases.filter { count($0, .done) == 0 }.map(\.rawValue)
        let points = StressAction.allFaultPoints.filter { kills[$0.rawValue] == nil }.map { "kill at \($0)" }
        let others = [
            otherKills == 0 ? "kill at any moment" : nil, holds == 0 ? "answer that is held back" : nil,
            suspensions == 0 ? "suspension" : nil,
        ]
        return actions + points + others.compactMap(\.self)
    }
}
