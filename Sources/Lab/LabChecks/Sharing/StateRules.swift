// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

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

/// Answers and the activations that they are about (sharing.md, D30).
///
/// A signature says which activation asked the server. What the command that made it saves afterwards is what it does with
/// the answer, so the state before must be one of the same activation.
struct LateAnswers: Checker {
    let name = "late answers"
    let rule = "What an app does with an answer of the server changes the activation that has signed the request."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        /// What an app does at a time: a command, with its place in the history.
        struct Work: Hashable {
            let process: RecordedHistory.Incarnation
            let operation: String
        }
        var signatures: [Work: TraceEvent] = [:]
        var known: [RecordedHistory.Incarnation: TraceEvent] = [:]
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            let process = event.incarnationOfProcess
            let work = event.operation.map { Work(process: process, operation: $0) }
            switch event.name {
            // One operation may be several commands, each with a will of its own.
            case .commandStarted: if let work { signatures[work] = nil }
            case .counterUsed: if let work { signatures[work] = event }
            case .stateLoaded: known[process] = event
            case .stateSaved:
                defer { known[process] = event }
                guard let work, let signature = signatures[work], let before = known[process],
                    let changed = before.text("activationId")
                else { continue }
                finding.examined += 1
                guard signature.text("activationId") != changed else { continue }
                finding.breaches.append(
                    Breach(
                        "\(process) changed another activation than the one that the server had answered.",
                        [signature, before, event]))
            default: break
            }
        }
        return finding
    }
}

/// Operations that exclude other apps.
struct PendingOperations: Checker {
    let name = "pending operations"
    let rule = "At most one operation is pending, and its owner lives and holds the operation lock."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var pending: TraceEvent?
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            _ = sections.follow(event)
            switch event.name {
            case .operationStarted:
                finding.examined += 1
                let owner = event.incarnationOfProcess
                if !sections.isHeld("operation", by: owner) {
                    finding.breaches.append(
                        Breach("\(owner) began an operation without the operation lock.", [event]))
                }
                if let before = pending, before.incarnationOfProcess != owner,
                    history.lives(before.incarnationOfProcess, after: event.time)
                {
                    let former = before.incarnationOfProcess
                    let sign = history.events.first { $0.time > event.time && $0.incarnationOfProcess == former }
                    finding.breaches.append(
                        Breach(
                            "\(owner) began an operation while that of \(former) was pending.",
                            [before, event, sign].compactMap(\.self)))
                }
                pending = event
            // A deallocated SDK object releases what it has begun, as a process that dies.
            case .lockReleased where event.text("lock") == "operation":
                if pending?.incarnationOfProcess == event.incarnationOfProcess { pending = nil }
            case .operationFinished where pending?.incarnationOfProcess == event.incarnationOfProcess: pending = nil
            default: break
            }
        }
        return finding
    }
}

/// Tokens of one app are those of the others.
struct TokenVisibility: Checker {
    let name = "tokens"
    let rule = "A token that one app has stored or removed is there, or not there, for every app that asks afterwards."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var changes: [String: [TraceEvent]] = [:]
        var tasks: Set<RecordedHistory.Incarnation> = []
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .tokenStored, .tokenRemoved: changes[event.text("name") ?? "", default: []].append(event)
            case .lockTaken where event.text("lock") == "status": tasks.insert(event.incarnationOfProcess)
            case .lockReleased where event.text("lock") == "status": tasks.remove(event.incarnationOfProcess)
            default: break
            }
        }
        // Who died in a task may have changed a token without a word.
        let deaths = tasks.compactMap { history.lastEvent(of: $0)?.time }
        var finding = Finding()
        for call in history.calls {
            try budget.spend()
            guard let token = call.token, let found = call.found, let completed = call.completed else { continue }
            let known = changes[token] ?? []
            // A change at the same time may or may not be seen.
            guard let last = known.last(where: { $0.time < call.invoked.time }),
                !known.contains(where: { (call.invoked.time...completed.time).contains($0.time) }),
                !deaths.contains(where: { (last.time...completed.time).contains($0) })
            else { continue }
            finding.examined += 1
            let isThere = last.name == .tokenStored
            guard found != isThere else { continue }
            let who = last.incarnationOfProcess
            finding.breaches.append(
                Breach(
                    isThere
                        ? "\(call.incarnation) does not see the token that \(who) has stored."
                        : "\(call.incarnation) still sees the token that \(who) has removed.",
                    [last, call.invoked, completed]))
        }
        return finding
    }
}
