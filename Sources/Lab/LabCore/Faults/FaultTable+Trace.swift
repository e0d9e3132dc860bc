// SPDX-License-Identifier: Apache-2.0

public import LabPoints

extension FaultTable {
    /// Writes each rule that takes effect in this process into its trace as `fault.fired`, also before a kill.
    ///
    /// The one place that says what the event holds: the fault, its point and action, at which pass the rule fires, and how
    /// often it has fired in all, this time included.
    public func traceFirings(to trace: TraceWriter) {
        onFiring { firing in
            trace.emit(
                .faultFired,
                [
                    "id": .integer(Int64(firing.id)),
                    "point": .string(firing.rule.point.rawValue),
                    "action": .string(firing.rule.action.word.rawValue),
                    "pass": .integer(Int64(firing.rule.pass)),
                    "fired": .integer(Int64(firing.fired)),
                ])
        }
    }
}

extension FaultRule.Action {
    /// The action as scenarios and command lines spell it.
    public var word: FaultActionWord {
        switch self {
        case .kill: .kill
        case .delay: .delay
        case .fail: .fail
        }
    }
}
