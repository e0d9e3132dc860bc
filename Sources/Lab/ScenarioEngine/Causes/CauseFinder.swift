// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import ScenarioLanguage

/// Finds the causes of a failed step by rules over the recorded events. If no rule applies, it does not guess.
struct CauseFinder {
    package let facts: FailureCircumstances

    /// The causes, one sentence each.
    package var causes: [String] {
        var seen: Set<String> = []
        let origins = ValueOrigins(facts: facts).sentences
        return [
            faults, refusals, signatures, unreadable, end, server, suspension, operation, locks, links, protection,
            disk, clock, origins,
        ].flatMap(\.self).filter { seen.insert($0).inserted }
    }

    // MARK: Events in the step

    /// Armed faults that took effect since the step began, and an earlier one that killed the actor.
    private var faults: [String] {
        facts.events.compactMap { event in
            switch event.name {
            case .faultFired where event.time >= facts.begin || hasKilledActor(event):
                let (point, action) = (event.text("point"), event.text("action"))
                let armed = facts.armed(ArmedFault.Identity(actor: "faults", id: event.fields["id"] ?? .null))
                return "the fault `\(action)` at `\(point)`\(armed) took effect in `\(event.process)`"
            case .serverFaulted where event.time >= facts.begin && event.isCaused(by: facts.step):
                let armed = facts.armed(ArmedFault.Identity(actor: event.process, id: event.fields["id"] ?? .null))
                return "the fault of the network\(armed) hit `\(event.text("path"))`: \(event.text("fault"))"
            case .serverUnedited where event.time >= facts.begin && event.isCaused(by: facts.step):
                let armed = facts.armed(ArmedFault.Identity(actor: event.process, id: event.fields["id"] ?? .null))
                return
                    "the fault of the network\(armed) could not edit the answer of `\(event.text("path"))`: \(event.text("cause"))"
            case .linkFaulted where event.time >= facts.begin && isAboutWatch || isLostForActor(event):
                let armed = facts.armed(
                    ArmedFault.Identity(actor: event.text("link"), id: event.fields["armed"] ?? .null))
                let direction = LinkDirection(rawValue: event.text("direction"))?.title ?? ""
                return
                    "the fault of the link `\(event.text("link"))`\(armed) hit a message \(direction) (\(event.text("kind"))): \(event.text("effect"))"
            default: return nil
            }
        }
    }

    /// The actor's data differs, and a live message for it was lost at any time: it is not sent again.
    private func isLostForActor(_ fault: TraceEvent) -> Bool {
        let losses = [LinkFaultWord.drop, .corrupt, .cut].map(\.rawValue)
        return facts.error == nil && facts.awaited == nil && fault.text("app") == facts.actor
            && fault.text("kind") == LinkMessageKind.live.rawValue
            && losses.contains(fault.text("fault"))
    }

    private var hasMetDeadActor: Bool { facts.error?.isDeath == true || facts.error?.labError == .notRunning }

    private func hasKilledActor(_ fault: TraceEvent) -> Bool {
        guard hasMetDeadActor else { return false }
        return fault.process == facts.actor && fault.text("action") == FaultActionWord.kill.rawValue
            && !facts.events.contains { $0.time > fault.time && $0.process == fault.process }
    }

    /// Rejections by the server, whose cause the answer hides.
    private var refusals: [String] {
        facts.own.filter { $0.name == .serverRefused }.map { event in
            "the server refused `\(event.text("path"))` with \(event.text("code")): \(event.text("cause"))"
        }
    }

    private var signatures: [String] {
        // A rejection states it too, and in more detail.
        let isRefused = facts.own.contains { $0.name == .serverRefused }
        return isRefused
            ? []
            : facts.own.filter(\.isWrongSignature).map { event in
                let count = event.fields["failedAttempts"]?.integerValue ?? 0
                return
                    "the signature (\(event.text("type"))) does not match at the server; the activation has \(count) failed \(count == 1 ? "attempt" : "attempts") now"
            }
    }

    /// Operations that the actor left out of a list. It reads lists on its main queue, outside of any step.
    private var unreadable: [String] {
        facts.recent.filter { $0.name == .operationsLeftOut && $0.process == facts.actor }.map { event in
            let id = event.text("operation")
            let operation = id.isEmpty ? "an operation" : "the operation `\(id)`"
            return "`\(event.process)` left \(operation) out of the list: \(event.text("cause"))"
        }
    }

    // MARK: State

    /// How the actor's process ended, if the step met a dead one.
    private var end: [String] {
        guard hasMetDeadActor, let actor = facts.actor,
            let last = facts.events.last(where: { $0.isAboutLife(of: actor) }), last.name == .processEnded
        else { return [] }
        let cause = timeThatEnded(last)
        let step = cause < facts.begin ? facts.stepAt(cause, actor) : nil
        let when = step.map { " in \(Phase.title(ofStep: $0))" } ?? ""
        return ["the process of `\(actor)` ended\(when): \(last.text("reason"))"]
    }

    /// When the cause of a process's end occurred. The system ends a process with an expired time limit shortly after
    /// the clock was moved, when the next step may have begun already.
    private func timeThatEnded(_ end: TraceEvent) -> UInt64 {
        let causes = [TerminationCause.timeLimit, .backgroundTime].map(\.rawValue)
        guard causes.contains(end.text("cause")) else { return end.time }
        return facts.events.last { $0.name == .clockChanged && $0.time < end.time }?.time ?? end.time
    }

    /// The server is not running, and the step sent it a request.
    private var server: [String] {
        guard facts.own.contains(where: { $0.name == .httpFailed }),
            let last = facts.events.last(where: { $0.isAboutLife(of: "server") }), last.name == .processEnded
        else { return [] }
        return ["the server does not run\(facts.since(last.time, by: "server")); `server: restart` starts it again"]
    }

    private var suspension: [String] {
        guard let actor = facts.actor, let since = suspended(actor) else { return [] }
        return ["`\(actor)` is suspended\(facts.since(since, by: actor)); `\(actor): resume` continues it"]
    }

    /// When a process was suspended; nil while it runs.
    private func suspended(_ process: String) -> UInt64? {
        guard let last = facts.events.last(where: { $0.isAboutLife(of: process) }), last.name == .processSuspended
        else { return nil }
        return last.time
    }

    /// The app that is in the middle of an exclusive operation.
    private var operation: [String] {
        guard facts.error?.name == "externalPendingOperation", let device = facts.device else { return [] }
        let own = facts.events.filter { facts.topology.app(named: $0.process)?.device.name == device }
        guard let start = own.last(where: { $0.name == .operationStarted && $0.process != facts.actor }),
            !own.contains(where: {
                $0.name == .operationFinished && $0.process == start.process && $0.time > start.time
            })
        else { return [] }
        let since = facts.since(start.time, by: start.process)
        return [
            "`\(start.process)` on `\(device)` is the owner of the pending operation `\(start.text("type"))`\(since)"
        ]
    }

    /// Shorter waits for a lock are normal, on a busy machine, too.
    private static let usualWait: UInt64 = 100_000_000

    /// Locks that the step is still waiting for, or waited for.
    private var locks: [String] {
        // The queue of a session's requests takes its lock outside of any step.
        let requests = facts.recent.filter {
            $0.name == .lockRequested && ($0.operation == nil ? $0.process == facts.actor : $0.isCaused(by: facts.step))
        }
        return requests.compactMap { request in
            let name = request.text("lock")
            let later = facts.events.filter { $0.time >= request.time && $0.process == request.process }
            let taken = later.first { $0.name == .lockTaken && $0.text("lock") == name }
            guard let (holder, since) = holder(of: name, before: taken?.time ?? .max, except: request.process) else {
                return nil
            }
            let state = suspended(holder) == nil ? "" : " and is suspended"
            if let taken {
                guard taken.time - request.time >= Self.usualWait else { return nil }
                let waited = FailureText.milliseconds(taken.time - request.time)
                return "`\(request.process)` waited \(waited) for the lock `\(name)`, which `\(holder)` held"
            }
            return
                "`\(request.process)` waits for the lock `\(name)`, which `\(holder)` holds\(facts.since(since, by: holder))\(state)"
        }
    }

    /// The owner of a lock when another process requested it.
    private func holder(of lock: String, before end: UInt64, except process: String) -> (name: String, since: UInt64)? {
        var holders: [String: UInt64] = [:]
        var last: (name: String, since: UInt64)?
        for event in facts.events where event.time < end && event.process != process {
            switch event.name {
            case .lockTaken where event.text("lock") == lock:
                holders[event.process] = event.time
                last = (event.process, event.time)
            case .lockReleased where event.text("lock") == lock:
                holders[event.process] = nil
                // Counts as the owner only if it held the lock within the step.
                if event.time < facts.begin, last?.name == event.process { last = nil }
            case .processEnded: holders[event.text("peer")] = nil
            default: break
            }
        }
        return end == .max ? holders.first.map { ($0.key, $0.value) } : last
    }

    private var links: [String] {
        guard isAboutWatch, let device = facts.device else { return [] }
        return facts.topology.links.filter { $0.phone == device || $0.watch == device }.compactMap { link in
            let changes = facts.events.filter { $0.isChange(ofLink: link.name) }
            // Both ends record it; the first record has its beginning.
            if let first = changes.reversed().prefix(while: { $0.name == .linkDown }).last {
                return
                    "the link `\(link.name)` is down\(facts.since(first.time, by: link.name)); `\(link.name): up` brings it back"
            }
            return changes.isEmpty && !link.up ? "the link `\(link.name)` has been down since the start" : nil
        }
    }

    /// Whether the step involves the connection between phone and watch.
    private var isAboutWatch: Bool {
        facts.error?.domain == "WCErrorDomain" || facts.error?.name == "watchConnectivity"
            || facts.awaited?.hasPrefix("link.") == true || facts.awaited == TraceEventName.sessionState.rawValue
            || facts.topology.links.contains { $0.watch == facts.device }
    }

    private var protection: [String] {
        guard let device = facts.device,
            let last = facts.events.last(where: {
                $0.process == device && ($0.name == .deviceLocked || $0.name == .deviceUnlocked)
            }), last.name == .deviceLocked
        else { return [] }
        return ["`\(device)` is locked\(facts.since(last.time, by: device)); `\(device): unlock` opens it"]
    }

    /// Rejections by the device's storage.
    private var disk: [String] {
        guard let device = facts.device else { return [] }
        // Messages that an app sends over a watch link are stored by its device.
        let writers = [facts.actor, device]
        return facts.recent.filter { $0.name == .diskRefused && writers.contains($0.process) }.map { event in
            let state =
                switch event.text("error") {
                case "ENOSPC", "EDQUOT": "is full"
                case "EROFS": "takes no writes"
                case let other: "fails (\(other))"
                }
            let amount = event.fields["bytes"] == nil ? "writes" : "\(event.text("bytes")) bytes"
            return
                "the storage of `\(device)` \(state): \(amount) for the \(event.text("what")) were refused; `\(device): freeDisk` gives room"
        }
    }

    /// With a stopped clock nothing becomes due.
    private var clock: [String] {
        guard facts.error?.isUnanswered == true || facts.awaited != nil,
            let last = facts.events.last(where: { $0.name == .clockChanged }), last.fields["frozen"] == .bool(true)
        else { return [] }
        return ["the lab's clock stands still\(facts.since(last.time, by: "clock")); `advance` moves it"]
    }
}

extension TraceEvent {
    fileprivate var isWrongSignature: Bool { name == .serverSignature && fields["valid"] == .bool(false) }

    /// A field as text; empty when it is missing.
    fileprivate func text(_ field: String) -> String { fields[field].map { Bindings.text(of: $0) } ?? "" }

    /// Whether the event reports that an app's process began, ended, was suspended or was resumed.
    fileprivate func isAboutLife(of app: String) -> Bool {
        switch name {
        case .processStarted: process == app
        case .processEnded, .processSuspended, .processResumed: fields["peer"]?.stringValue == app
        default: false
        }
    }
}
