import Foundation
import LabFile
import LabKit
import LabSystem

/// Reads what the header of a scenario says beside its name: chapters of the manuals, quarantine and requirements.
///
/// Not thread-safe: used by the one thread that reads the scenario.
struct HeaderReader {
    let reader: MappingReader
    let collector: DiagnosticCollector

    /// `manual: chapter`, or a list of chapters, in words of the writer's choice.
    func manual() -> [String] {
        if reader.node["manual"]?.elements != nil { return reader.texts("manual") ?? [] }
        return reader.text("manual").map { [$0] } ?? []
    }

    /// `quarantine: reason`, or `{ reason, owner, until }`.
    func quarantine() -> Quarantine? {
        guard let node = reader.optional("quarantine") else { return nil }
        guard node.entries != nil else {
            return reader.text("quarantine").map { Quarantine(reason: $0, owner: nil, until: nil) }
        }
        guard let inner = MappingReader(node, container: "`quarantine`", reporting: collector) else { return nil }
        let reason = inner.text("reason", required: true)
        let owner = inner.text("owner")
        let until = inner.text("until")
        inner.finish()
        if let until, !Self.isDay(until) {
            collector.report(
                .wrongType(what: "`until`", expected: "a day such as 2027-01-31", actual: until),
                at: inner.place(of: "until"))
        }
        return reason.map { Quarantine(reason: $0, owner: owner, until: until) }
    }

    private static func isDay(_ text: String) -> Bool {
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else { return false }
        // A day that the month does not have is read as one of the next month.
        let day = try? Date(text, strategy: .iso8601.year().month().day())
        return day?.formatted(.iso8601.year().month().day()) == text
    }

    /// Today in UTC, as `2027-01-31`.
    static var today: String {
        LabTime(nanoseconds: RealTimeClock.nanoseconds()).date.formatted(.iso8601.year().month().day())
    }

    /// `requires:`, checked against the topology.
    ///
    /// - Returns: Why the topology cannot run the scenario; nil when it can.
    func obstacle(in topology: Topology) -> String? {
        guard let node = reader.optional("requires"),
            let inner = MappingReader(node, container: "`requires`", reporting: collector)
        else { return nil }
        let actors = inner.texts("actors") ?? []
        let facts = [
            (
                key: "tls", wanted: inner.boolean("tls"), isSo: topology.server.settings.tls != nil,
                what: "a server with TLS"
            ),
            (
                key: "sharing", wanted: inner.boolean("sharing"),
                isSo: topology.apps.contains { $0.powerAuth.sharing != nil }, what: "an app that shares its activation"
            ),
            (
                key: "biometry", wanted: inner.boolean("biometry"),
                isSo: topology.devices.contains { $0.biometry != .none }, what: "a device with biometry"
            ),
        ]
        inner.finish()
        let known = ActorTable(topology).names
        if let actor = actors.first(where: { !known.contains($0) }) {
            return "the topology `\(topology.name)` has no `\(actor)`"
        }
        for fact in facts where fact.wanted.map({ $0 != fact.isSo }) ?? false {
            return "the topology `\(topology.name)` has \(fact.isSo ? fact.what : "no\(fact.what.drop { $0 != " " })")"
        }
        return nil
    }
}
