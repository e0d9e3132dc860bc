// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// Operations that exclude other apps, seen from outside: while one is pending, no other one begins, and an app is
/// refused only while another app has one.
///
/// An operation is pending from the taking of its lock to the release, or to the death of its owner. The traces do not
/// say when these were, but between which events: a lock is reported after it was taken, in a task, and before it is
/// released.
struct OperationOrder: Checker {
    let name = "operation order"
    let rule = """
        The beginnings and ends of pending operations fit one order, in which no two are pending at once and an app is \
        refused only because of another app's.
        """

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var steps = OperationSteps()
        for event in history.events {
            try budget.spend()
            steps.follow(event, in: history)
        }
        for call in history.calls {
            try budget.spend()
            steps.add(call)
        }
        var finding = Finding()
        try steps.withOpenEnds(of: history).judge(&finding, &budget)
        return finding
    }
}

/// The beginnings, ends and refusals of a history.
private struct OperationSteps {
    typealias Incarnation = RecordedHistory.Incarnation

    private var object = ObjectHistory("the pending operation", model: OperationModel())
    /// The tasks that are open, by their beginning.
    private var tasks: [Incarnation: TraceEvent] = [:]
    /// Who has an operation, by the event that shows it.
    private var owners: [Incarnation: TraceEvent] = [:]
    /// Who is about to release the lock, by the report.
    private var releases: [Incarnation: TraceEvent] = [:]
    /// When apps died that may have taken the lock and not reported it.
    private var silentDeaths: [ClosedRange<UInt64>] = []

    mutating func follow(_ event: TraceEvent, in history: RecordedHistory) {
        let process = event.incarnationOfProcess
        switch event.name {
        case .lockTaken where event.text("lock") == "status": tasks[process] = event
        case .lockReleased where event.text("lock") == "status":
            tasks[process] = nil
            release(process, before: event)
        case .lockTaken where event.text("lock") == "operation": begin(event)
        // It is reported after its lock; without that, it shows itself that it is pending.
        case .operationStarted: if owners[process] == nil { begin(event) }
        case .lockReleased where event.text("lock") == "operation":
            if owners.removeValue(forKey: process) != nil { releases[process] = event }
        case .operationFinished:
            release(process, before: event)
            if let owned = owners.removeValue(forKey: process) { end(process, after: owned, before: event) }
        case .processEnded: if let dead = event.subject { bury(dead, event, in: history) }
        default: break
        }
    }

    private mutating func begin(_ event: TraceEvent) {
        let process = event.incarnationOfProcess
        release(process, before: event)
        guard owners.updateValue(event, forKey: process) == nil else { return }
        let task = tasks[process] ?? event
        add(.begin(process), from: task.time, to: event.time, shownBy: [event])
    }

    /// The lock was released before an event that follows the report.
    private mutating func release(_ process: Incarnation, before event: TraceEvent) {
        guard let report = releases.removeValue(forKey: process) else { return }
        end(process, after: report, before: event)
    }

    private mutating func end(_ process: Incarnation, after first: TraceEvent, before last: TraceEvent) {
        add(.end(process), from: first.time, to: last.time, shownBy: [first, last])
    }

    /// The kernel has released the locks of a dead process after its last event, and before its end was noticed.
    private mutating func bury(_ process: Incarnation, _ death: TraceEvent, in history: RecordedHistory) {
        release(process, before: death)
        let last = history.lastEvent(of: process) ?? death
        let wasInTask = tasks.removeValue(forKey: process) != nil
        if let owned = owners.removeValue(forKey: process) {
            end(process, after: last.time < owned.time ? owned : last, before: death)
        } else if wasInTask {
            silentDeaths.append(min(last.time, death.time)...death.time)
        }
    }

    /// Adds the answer of a call that another app's operation has refused.
    mutating func add(_ call: RecordedCall) {
        guard call.error == "externalPendingOperation", let completed = call.completed,
            !silentDeaths.contains(where: { $0.overlaps(call.invoked.time...completed.time) })
        else { return }
        add(.refuse(call.incarnation), from: call.invoked.time, to: completed.time, shownBy: [call.invoked, completed])
    }

    /// Everything, with the ends that the record does not contain. An owner that does more has its operation until then.
    func withOpenEnds(of history: RecordedHistory) -> ObjectHistory<OperationModel> {
        var object = self.object
        let latest = owners.map { ($0.key, history.lastEvent(of: $0.key) ?? $0.value) }
        let open = releases.merging(latest) { report, _ in report }
        for (process, event) in open.sorted(by: { $0.value.time < $1.value.time }) {
            object.add(
                OperationModel.Operation(process: process.description, invoked: event.time, input: .end(process)),
                shownBy: [event])
        }
        return object
    }

    private mutating func add(
        _ input: OperationModel.Input, from first: UInt64, to last: UInt64, shownBy events: [TraceEvent]
    ) {
        object.add(
            OperationModel.Operation(
                process: input.process.description, invoked: first, completed: last, input: input, output: .done),
            shownBy: events)
    }
}

/// The pending operation, by its owner.
struct OperationModel: DescribedModel {
    typealias Operation = ConcurrentOperation<Input, Output>

    enum Input {
        case begin(RecordedHistory.Incarnation)
        case end(RecordedHistory.Incarnation)
        case refuse(RecordedHistory.Incarnation)

        /// The process that begins, ends, or is refused.
        var process: RecordedHistory.Incarnation {
            switch self {
            case .begin(let process), .end(let process), .refuse(let process): process
            }
        }
    }

    enum Output { case done }

    /// The owner; nil when no operation is pending.
    typealias State = RecordedHistory.Incarnation?

    let initial: State = nil

    func step(_ state: State, _ input: Input, _ output: Output?) -> [State] {
        switch input {
        case .begin(let process): state == nil || state == process ? [process] : []
        case .end(let process): state == process ? [nil] : []
        case .refuse(let process): state == nil || state == process ? [] : [state]
        }
    }

    func isObservation(_ input: Input) -> Bool {
        if case .refuse = input { true } else { false }
    }

    func words(for state: State) -> String {
        state.map { "is that of \($0)" } ?? "is not there"
    }

    func words(for input: Input, _ output: Output?) -> String {
        switch input {
        case .begin: "began one"
        case .end: "ended its own one"
        case .refuse: "was refused because of another app's"
        }
    }
}
