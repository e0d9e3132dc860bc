import LabKit

/// Every task works with the state that was stored last.
///
/// The stored state changes with each write of its keychain item. What a process knows is the state that it loaded or
/// wrote last; when it ends a task, that must be the one that was stored when the task began.
struct FreshState: Checker {
    let name = "fresh state"
    let rule = "A task works with the state that was stored last when it took the status lock."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        typealias Incarnation = RecordedHistory.Incarnation
        // The activation data of a watch has the same name there.
        let sharers = Set(history.events.filter { $0.isLock(.lockTaken, "status") }.map(\.process))
        var stored: TraceEvent?
        var known: [Incarnation: TraceEvent] = [:]
        var tasks: [Incarnation: (begin: TraceEvent, stored: TraceEvent?)] = [:]
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            let process = event.incarnationOfProcess
            switch event.name {
            case .keychainWritten where event.isStoredState && sharers.contains(process.process),
                .keychainDeleted where event.isStoredState && sharers.contains(process.process):
                stored = event
                known[process] = event
            case .stateLoaded: known[process] = event
            // A task whose state cannot be read does not count.
            case _ where event.isRefusal: tasks[process] = nil
            case .lockTaken where event.text("lock") == "status": tasks[process] = (event, stored)
            case .lockReleased where event.text("lock") == "status":
                guard let task = tasks.removeValue(forKey: process), let last = task.stored, let mine = known[process]
                else { continue }
                finding.examined += 1
                guard mine.time < last.time else { continue }
                finding.breaches.append(
                    Breach(
                        "\(process) worked with an older state than \(last.incarnationOfProcess) had stored.",
                        [mine, last, task.begin, event]))
            default: break
            }
        }
        return finding
    }
}
