// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// What must hold for the link between phone and watch (watch.md, sections 9.5 and 11.6).
public enum LinkCheckers {
    /// All of them, in the order of reports.
    public static let all: [any Checker] = [GuaranteedTransfers()]
}

/// Guaranteed messages of a phone and its watch: into the inbox exactly once and in order, to the delegate in the same order
/// and again only when a process died over it, and every report to the sender is true.
struct GuaranteedTransfers: Checker {
    let name = "transfers"
    let rule =
        "A guaranteed message that a device has accepted arrives once and in order, and its outcome is reported to its sender."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var search = TransferSearch()
        for event in history.events {
            try budget.spend()
            search.follow(event)
        }
        search.end()
        return Finding(breaches: search.breaches, examined: search.examined)
    }
}

/// The course of all transfers of a history.
private struct TransferSearch {
    /// What is known of one transfer.
    private struct Course {
        /// The link and the device that has accepted it: only messages with the same are in an order.
        var sender: String
        /// Its place among those of its sender.
        var place: Int
        var accepted: TraceEvent
        var received: TraceEvent?
        var handled: TraceEvent?
        var told: TraceEvent?

        var hasArrived: Bool { received != nil || handled != nil }
    }

    private(set) var breaches: [Breach] = []
    private(set) var examined = 0
    private var courses: [String: Course] = [:]
    /// For each link and sending device, what it has accepted, in order.
    private var accepted: [String: [String]] = [:]
    /// For each link and sending device, the last one that arrived.
    private var lastReceived: [String: TraceEvent] = [:]
    /// For each app, the last one that it has handled: of all, and for each link and sending device.
    private var lastHandled: [String: TraceEvent] = [:]
    private var lastHandledInOrder: [String: TraceEvent] = [:]

    mutating func follow(_ event: TraceEvent) {
        guard let id = event.text("id") else { return }
        switch event.name {
        case .linkAccepted where event.text("kind") == "transfer": accept(id, event)
        case .linkReceived where event.text("kind") == "transfer": receive(id, event)
        case .linkHandled: handle(id, event)
        case .linkTold: tell(id, event)
        default: break
        }
    }

    /// Checks of the whole history: no message overtakes another, so a later one proves that an earlier one was due.
    mutating func end() {
        for ids in accepted.values {
            var laterArrival: TraceEvent?
            var laterHandling: TraceEvent?
            var laterReport: TraceEvent?
            for course in ids.reversed().compactMap({ courses[$0] }) {
                let hasFailed = course.told?.number("code") != nil
                if !course.hasArrived, !hasFailed, let later = laterArrival {
                    breach("was lost: a later one has arrived", [course.accepted, later])
                } else if course.handled == nil, !hasFailed, let later = laterHandling {
                    breach("has arrived but was never handed to its app: a later one was", [course.accepted, later])
                } else if course.told == nil, let later = laterReport {
                    breach("ended, but this was never reported to its sender", [course.accepted, later])
                }
                if laterArrival == nil { laterArrival = course.received ?? course.handled }
                if laterHandling == nil { laterHandling = course.handled }
                if laterReport == nil { laterReport = course.told }
            }
        }
        breaches.sort { ($0.excerpt.last?.time ?? 0) < ($1.excerpt.last?.time ?? 0) }
    }

    private mutating func accept(_ id: String, _ event: TraceEvent) {
        examined += 1
        if let before = courses[id] { return breach("was accepted twice", [before.accepted, event]) }
        let sender = "\(event.text("link") ?? "") from \(event.process)"
        courses[id] = Course(sender: sender, place: accepted[sender]?.count ?? 0, accepted: event)
        accepted[sender, default: []].append(id)
    }

    private mutating func receive(_ id: String, _ event: TraceEvent) {
        guard let course = courses[id] else { return breach("arrived, but was never sent", [event]) }
        if let before = course.received { return breach("arrived twice", [before, event]) }
        courses[id]?.received = event
        if let last = lastReceived[course.sender], isLater(last, than: course) {
            breach("arrived behind a later one", [course.accepted, last, event])
        }
        lastReceived[course.sender] = event
    }

    private mutating func handle(_ id: String, _ event: TraceEvent) {
        guard let course = courses[id] else { return breach("was handled, but was never sent", [event]) }
        let order = "\(course.sender) to \(event.process)"
        if let before = course.handled {
            // The system cannot know whether a process that died was done.
            let isRepeated = lastHandled[event.process] == before && before.incarnation < event.incarnation
            if !isRepeated { breach("was handled twice", [before, event]) }
        } else if let last = lastHandledInOrder[order], isLater(last, than: course) {
            breach("was handled behind a later one", [course.accepted, last, event])
        }
        courses[id]?.handled = event
        lastHandled[event.process] = event
        lastHandledInOrder[order] = event
    }

    /// Whether the message of an event was accepted after another one of the same sender.
    private func isLater(_ event: TraceEvent, than course: Course) -> Bool {
        guard let id = event.text("id"), let place = courses[id]?.place else { return false }
        return place > course.place
    }

    private mutating func tell(_ id: String, _ event: TraceEvent) {
        // What is refused at once was never accepted, and has no course.
        guard let course = courses[id] else { return }
        let code = event.number("code")
        if let before = course.told {
            if before.number("code") != code { breach("was reported with two different results", [before, event]) }
            if before.incarnation >= event.incarnation { breach("was reported twice", [before, event]) }
        }
        courses[id]?.told = event
        if code == nil, !course.hasArrived {
            breach("was reported as arrived, but has not", [course.accepted, event])
        } else if code != nil, let arrival = course.received ?? course.handled {
            breach("was reported as failed, but has arrived", [arrival, event])
        }
    }

    private mutating func breach(_ what: String, _ excerpt: [TraceEvent]) {
        let id = excerpt.first?.text("id") ?? "?"
        breaches.append(Breach("The message \(id) \(what).", excerpt))
    }
}
