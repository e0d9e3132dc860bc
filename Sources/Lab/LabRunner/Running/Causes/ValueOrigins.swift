import LabKit

/// States since when a value is as it is, and which app set it; for a value that was waited for, what would have
/// changed it.
struct ValueOrigins {
    let facts: FailureCircumstances

    /// One sentence per value, and one for an event that did not happen.
    var sentences: [String] {
        // An error has no value to explain.
        guard facts.error == nil, !facts.mismatches.isEmpty else { return [] }
        return facts.mismatches.compactMap(origin) + absence
    }

    private func source(of mismatch: Mismatch) -> (member: String, source: ValueSource)? {
        let last = mismatch.path.split(separator: ".").last.map(String.init)
        guard let member = last ?? facts.command,
            let source = ValueSource.all.first(where: { $0.members.contains(member) })
        else { return nil }
        return (member, source)
    }

    /// "`failCount` is 2 since step 4, when the server refused the signature of `wallet`".
    private func origin(_ mismatch: Mismatch) -> String? {
        guard let (member, source) = source(of: mismatch), let actual = mismatch.actual else { return nil }
        let events = facts.events.filter { source.events.contains($0.name) && source.isAbout($0, facts) }
        // The only activation with this value; if two have it, it does not guess.
        let groups = Dictionary(grouping: events) { $0.word("activationId") }.values
        let origins = groups.compactMap { events -> TraceEvent? in
            var last: (event: TraceEvent, value: JSONValue)?
            for event in events {
                guard let value = source.value(event), value != last?.value else { continue }
                last = (event, value)
            }
            guard let last, source.derived.contains(member) || Self.isSame(last.value, actual) else { return nil }
            return last.event
        }
        guard origins.count == 1, let event = origins.first else { return nil }
        let step = event.operation ?? facts.stepAt(event.time, event.process)
        let when =
            if let step, facts.step == step { " since this step, when" } else if let step {
                " since \(Phase.title(ofStep: step)), when"
            } else { ", because" }
        return "`\(member)` is \(actual.description)\(when) \(source.words(event, facts))"
    }

    /// Apps and the server spell states differently.
    private static func isSame(_ value: JSONValue, _ actual: JSONValue) -> Bool {
        guard let left = value.stringValue, let right = actual.stringValue else { return value == actual }
        return left.replacing("_", with: "").lowercased() == right.replacing("_", with: "").lowercased()
    }

    /// What the step waited for in vain.
    private var absence: [String] {
        guard let begin = facts.waitingSince else { return [] }
        let since = facts.events.filter { $0.time >= begin }
        let known = facts.mismatches.compactMap(source)
        if known.isEmpty {
            let isQuiet = since.allSatisfy { $0.isCaused(by: facts.step) }
            return isQuiet ? ["nothing but the attempts of this step happened in any process while it waited"] : []
        }
        return known.compactMap { member, source in
            let came = since.contains { source.events.contains($0.name) && source.isAbout($0, facts) }
            return came ? nil : "nothing changed `\(member)` while the step waited: for that, \(source.changes)"
        }
    }
}
