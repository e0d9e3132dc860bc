// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// Counters of signatures.
///
/// A signature is made inside a task, and is not visible before the task is over. The counter of a process that dies
/// before it has stored the state is free for the next one, so a use counts when the state is stored or the task ends. The
/// signature of a task whose state the device has refused to store does not leave the task.
struct CounterUse: Checker {
    let name = "counters"
    let rule = "Each counter of an activation is used for one signature, and the server's counter never goes back."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var open: [RecordedHistory.Incarnation: [TraceEvent]] = [:]
        var refused: Set<RecordedHistory.Incarnation> = []
        var uses: [String: TraceEvent] = [:]
        var accepted: [String: TraceEvent] = [:]
        var finding = Finding()
        func count(_ made: [TraceEvent]) {
            for use in made {
                guard let activation = use.text("activationId"), let counter = use.text("counter") else { continue }
                finding.examined += 1
                guard let first = uses.updateValue(use, forKey: "\(activation) \(counter)") else { continue }
                let (former, latter) = (first.incarnationOfProcess, use.incarnationOfProcess)
                finding.breaches.append(
                    Breach("\(latter) signed with a counter that \(former) had used.", [first, use]))
            }
        }
        for event in history.events {
            try budget.spend()
            let process = event.incarnationOfProcess
            _ = sections.follow(event)
            switch event.name {
            case .counterUsed where sections.isHeld("status", by: process): open[process, default: []].append(event)
            case .counterUsed: count([event])
            case .lockTaken where event.text("lock") == "status": refused.remove(process)
            case .lockReleased where event.text("lock") == "status":
                let made = open.removeValue(forKey: process) ?? []
                if refused.remove(process) == nil { count(made) }
            case _ where event.isRefusal: refused.insert(process)
            case .keychainWritten where event.isStoredState: count(open.removeValue(forKey: process) ?? [])
            case .serverSignature where event.fields["valid"] == true:
                guard let activation = event.text("activationId"), let counter = event.number("counter") else {
                    continue
                }
                // Protocol 4 has a counter of its own, which begins with the upgrade.
                let series = "\(activation) \(event.text("version") ?? "")"
                if let before = accepted[series], let last = before.number("counter"), counter <= last {
                    // Two that were stored one right after the other may be recorded in reverse order.
                    if counter < last, event.time < before.time + SharingCheckers.lateness { continue }
                    finding.breaches.append(
                        Breach("The server's counter went from \(last) to \(counter).", [before, event]))
                }
                accepted[series] = event
            default: break
            }
        }
        return finding
    }
}

/// Signatures at the server.
///
/// The request of an app that has died may still be on its way while its locks are free: the next app's request then
/// overtakes it, and the server refuses a counter that is behind its own (protocol.md, section 12).
struct AcceptedSignatures: Checker {
    let name = "signatures"
    let rule = """
        The server accepts every signature, as long as the activation is active there; but a dead app's request that \
        another app's has overtaken may be refused.
        """

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var states: [String: [TraceEvent]] = [:]
        var signatures: [TraceEvent] = []
        var uses: [String: TraceEvent] = [:]
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .serverActivation: states[event.text("activationId") ?? "", default: []].append(event)
            case .serverSignature: signatures.append(event)
            case .counterUsed: if let operation = event.operation { uses[operation] = event }
            default: break
            }
        }
        var finding = Finding(examined: signatures.count)
        for signature in signatures {
            try budget.spend()
            let isRight = signature.fields["valid"] == true && (signature.number("failedAttempts") ?? 0) == 0
            let changes = states[signature.text("activationId") ?? ""] ?? []
            let use = signature.operation.flatMap { uses[$0] }
            let begin = use?.time ?? signature.time - min(signature.time, SharingCheckers.lateness)
            guard !isRight, Self.isActive(changes, from: begin, to: signature.time) else { continue }
            if let use, !history.lives(use.incarnationOfProcess, after: signature.time),
                signatures.contains(where: { Self.overtakes($0, signature, made: use, uses) })
            {
                continue
            }
            finding.breaches.append(
                Breach(
                    "The server refused a signature of \(use?.incarnationOfProcess.description ?? "an app").",
                    [changes.last { $0.time <= begin }, use, signature].compactMap(\.self)))
        }
        return finding
    }

    /// Whether a signature that was made later than another one of the activation was accepted before that was judged.
    private static func overtakes(
        _ other: TraceEvent, _ signature: TraceEvent, made use: TraceEvent, _ uses: [String: TraceEvent]
    ) -> Bool {
        guard other.fields["valid"] == true, other.text("activationId") == signature.text("activationId"),
            let later = other.operation.flatMap({ uses[$0] })
        else { return false }
        return later.time > use.time && other.time < signature.time + SharingCheckers.lateness
    }

    /// Whether an activation was active all the time from the making of a signature to the server's verdict.
    static func isActive(_ changes: [TraceEvent], from begin: UInt64, to end: UInt64) -> Bool {
        guard changes.last(where: { $0.time <= begin })?.text("to") == "ACTIVE" else { return false }
        return !changes.contains {
            $0.time > begin && $0.time < end + SharingCheckers.lateness && $0.text("to") != "ACTIVE"
        }
    }
}
