// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
public import LabFile
import LabSystem

/// Reads a scenario file completely, before any process starts.
public enum ScenarioReader {
    /// The result of reading a file.
    public struct Outcome: Sendable {
        /// The scenarios: one, or one for each row of a table; empty if there is an error.
        public let scenarios: [Scenario]
        /// All errors, sorted by place.
        public let diagnostics: [Diagnostic]
        /// The names that `values:` declares.
        public let values: Set<String>
        /// Warnings, which do not prevent a run.
        public let warnings: [Diagnostic]
        /// Places that are masked in output.
        public let secrets: SecretRanges

        package init(
            scenarios: [Scenario], diagnostics: [Diagnostic], values: Set<String>, warnings: [Diagnostic],
            secrets: SecretRanges
        ) {
            self.scenarios = scenarios
            self.diagnostics = diagnostics
            self.values = values
            self.warnings = warnings
            self.secrets = secrets
        }
    }

    /// Whether a file holds steps for `include` and no scenario. The search of a directory skips such files; a scenario
    /// without a name is an error.
    static func isIncludedFile(_ file: SourceFile) -> Bool {
        // Almost every file is a scenario, and is recognised without being parsed twice.
        if file.lines.contains(where: { $0.hasPrefix("name:") }) { return false }
        guard let entries = YAMLDocument.parse(file, reporting: DiagnosticCollector())?.entries else { return false }
        return entries.contains { $0.key == "steps" }
            && entries.allSatisfy { ["about", "outputs", "parameters", "steps"].contains($0.key) }
    }

    /// Reads a file.
    /// - Parameters:
    ///   - id: The scenario's name in reports: its path relative to the given path.
    ///   - environment: Environment variables: those that `values` may name, and `LAB_VAR_name`.
    ///   - settings: The values of `--set`.
    public static func read(
        _ file: SourceFile, id: String, labFile: NamedTopologies, environment: [String: String],
        settings: [String: String] = [:]
    ) -> Outcome {
        let collector = DiagnosticCollector()
        var scenarios: [Scenario] = []
        var values: Set<String> = []
        if let root = YAMLDocument.parse(file, reporting: collector) {
            let reading = Reading(
                file: file, id: id, labFile: labFile,
                given: ExternalValues(settings: settings, environment: environment), collector: collector)
            scenarios = reading.read(root)
            values = Set((root["values"]?.entries ?? []).map(\.key))
        }
        return Outcome(
            scenarios: collector.isEmpty ? scenarios : [], diagnostics: collector.diagnostics,
            values: values, warnings: collector.warnings, secrets: collector.secretRanges)
    }
}

private struct Reading {
    let file: SourceFile
    let id: String
    let labFile: NamedTopologies
    let given: ExternalValues
    let collector: DiagnosticCollector

    func read(_ root: YAMLNode) -> [Scenario] {
        guard let reader = MappingReader(root, container: "a scenario", reporting: collector) else { return [] }
        let name = reader.text("name", required: true) ?? ""
        let tags = reader.texts("tags") ?? []
        let header = HeaderReader(reader: reader, collector: collector)
        let manual = header.manual()
        let quarantine = header.quarantine()
        let topology = readLab(reader.optional("lab"), root: root)
        let obstacle = topology.flatMap(header.obstacle)
        if topology == nil { reader.declare("requires") }
        let valueEntries = reader.namedEntries("values") ?? []
        let files = IncludedFiles(labFile: labFile.file.path, scenario: file.path)
        let rows = readRows(reader, files: files)
        let setupNode = reader.optional("setup")
        let stepsNode = reader.required("steps")
        let tearDownNode = reader.optional("tearDown")
        let rowsPlace = reader.place(of: "rows")
        let about = reader.optional("about")?.scalar?.text
        reader.finish()
        // Without a topology the steps cannot be checked, and every diagnostic would be a consequence.
        guard let topology, let stepsNode else { return [] }
        if rows == nil, root["rows"] != nil { return [] }
        if let rows, rows.isEmpty { collector.report(.emptyList(what: "`rows`"), at: rowsPlace) }
        let shared = setupNode?.entries?.first { $0.key == StepReader.shared }
        let sharesSetup = shared?.value.scalar?.text == "true"
        if sharesSetup, rows == nil, let shared {
            collector.report(
                .pointless(
                    word: StepReader.shared, reason: "the rows of a table share a `setup`, and there are no `rows`"),
                at: shared.keyPlace)
        }

        let variants: [(suffix: String, row: YAMLNode?)] =
            rows.map { $0.enumerated().map { (rowName($1, index: $0), $1) } } ?? [("", nil)]
        var seen: [String: SourcePlace] = [:]
        return variants.map { suffix, row in
            if let row, let first = seen.updateValue(row.place, forKey: suffix) {
                collector.report(
                    .duplicateName(name: suffix, what: "a row"), at: row.place,
                    related: RelatedPlace("given first at", first))
            }
            let secrets = SecretTexts()
            let scope = Scope(parent: nil)
            for node in [setupNode, stepsNode].compactMap({ $0 }) { announceCaptures(in: node, scope: scope) }
            var declarations = DeclarationReader(given: given, scope: scope, collector: collector, secrets: secrets)
            if sharesSetup {
                scope.hide(
                    "row", at: rowsPlace,
                    reason: "`setup` is carried out once for all rows (`shared: true`); use it in `steps`")
            } else if let row {
                declarations.read(row: row)
            }
            for entry in valueEntries { declarations.read(entry) }
            func reader(_ scope: Scope, prefix: String) -> StepReader {
                StepReader(
                    actors: ActorTable(topology), scope: scope, collector: collector, secrets: secrets, files: files,
                    directory: Files.directory(of: file.path),
                    including: [IncludedFiles.identity(of: file.path)], prefix: prefix)
            }
            // Steps for another topology would be checked against this one.
            let isPlayed = obstacle == nil
            let setup = (isPlayed ? setupNode : nil).flatMap {
                reader(scope, prefix: Phase.setupPrefix).readPhase($0, what: "`setup`", mayBeShared: true)
            }
            if let setup, setup.isShared { checkShared(setup) }
            // The set-up was read without it.
            if sharesSetup, let row { declarations.read(row: row) }
            let steps = isPlayed ? reader(scope, prefix: "").read(stepsNode, what: "`steps`") : []
            let tearDown = (isPlayed ? tearDownNode : nil).flatMap {
                reader(Scope(parent: scope), prefix: Phase.tearDownPrefix).readPhase($0, what: "`tearDown`")
            }
            reader(scope, prefix: "").checkExploring(steps, beside: (setup?.steps ?? []) + (tearDown?.steps ?? []))
            // An error may prevent a value from being read.
            if collector.isEmpty, isPlayed { scope.captures.warn(in: collector) }
            return Scenario(
                id: suffix.isEmpty ? id : "\(id)[\(suffix)]", name: suffix.isEmpty ? name : "\(name) [\(suffix)]",
                about: about, manual: manual, tags: tags, quarantine: quarantine, obstacle: obstacle,
                file: file, rowPlace: row?.place, includes: files.identities, topology: topology,
                values: declarations.values,
                generated: declarations.generated, setup: setup, steps: steps, tearDown: tearDown,
                secrets: collector.secretRanges, secretTexts: secrets.texts.sorted())
        }
    }

    /// Reports what a shared set-up would leave in the memory of a process only, which no row gets.
    private func checkShared(_ setup: Phase) {
        for step in setup.steps.flatMap(\.faultsInMemory) {
            collector.report(
                .misplacedWord(
                    word: step.title,
                    belongs:
                        "the fault is in the memory of a process, and no row of a shared `setup` would have it; arm it in `steps`, or with `during` in the set-up"
                ), at: step.place)
        }
    }

    /// `rows:` as a list, or as the name of a file with the table.
    private func readRows(_ reader: MappingReader, files: IncludedFiles) -> [YAMLNode]? {
        guard let node = reader.optional("rows"), node.scalar != nil else { return reader.list("rows") }
        return RowFile(files: files, collector: collector).read(node, in: Files.directory(of: file.path))
    }

    /// A row is named by its key `id`, else by its number.
    private func rowName(_ row: YAMLNode, index: Int) -> String {
        if row.entries == nil {
            collector.report(.wrongShape(what: "a row", expected: .mapping, actual: row.shape), at: row.place)
        }
        return row["id"]?.scalar?.text ?? String(index + 1)
    }

    private func readLab(_ node: YAMLNode?, root: YAMLNode) -> Topology? {
        let place = node?.place ?? SourcePlace(.start, in: file)
        guard let node else { return labFile.topology(named: nil, at: place, overrides: nil, reporting: collector) }
        if let name = node.scalar?.text {
            return labFile.topology(named: name, at: place, overrides: nil, reporting: collector)
        }
        guard let reader = MappingReader(node, container: "`lab`", reporting: collector) else { return nil }
        let name = reader.text("use")
        let override = reader.optional("override")
        let complete = reader.optional("topology")
        reader.finish()
        if let complete {
            if name != nil || override != nil {
                return collector.refuse(
                    .contradictingKeys(
                        first: "topology", second: name == nil ? "override" : "use",
                        reason: "`topology` is complete by itself"), at: reader.place(of: "topology"))
            }
            return TopologyReader(collector).readForUse(complete, name: "inline")
        }
        return labFile.topology(named: name, at: node["use"]?.place ?? place, overrides: override, reporting: collector)
    }

    /// Distinguishes a use before the capture from an unknown name.
    private func announceCaptures(in node: YAMLNode, scope: Scope) {
        for element in node.elements ?? [] { announceCaptures(in: element, scope: scope) }
        for entry in node.entries ?? [] {
            if entry.key == "as", let name = entry.value.scalar?.text { scope.announce(name, at: entry.value.place) }
            if entry.key != "with", entry.key != "expect" { announceCaptures(in: entry.value, scope: scope) }
        }
    }
}

extension Step {
    /// The steps that leave a fault armed which is no fault point: one of a link or of the server's traffic.
    fileprivate var faultsInMemory: [Step] {
        switch action {
        case .command(let command):
            command.command.counting != nil && command.target.kind != .faults ? [self] : []
        case .during(_, let steps): steps.flatMap(\.faultsInMemory)
        default: inner.flatMap(\.faultsInMemory)
        }
    }
}

/// Reads what the header of a scenario says beside its name: chapters of the manuals, quarantine and requirements.
///
/// Not thread-safe: used by the one thread that reads the scenario.
struct HeaderReader {
    package let reader: MappingReader
    package let collector: DiagnosticCollector

    /// `manual: chapter`, or a list of chapters, in words of the writer's choice.
    package func manual() -> [String] {
        if reader.node["manual"]?.elements != nil { return reader.texts("manual") ?? [] }
        return reader.text("manual").map { [$0] } ?? []
    }

    /// `quarantine: reason`, or `{ reason, owner, until }`.
    package func quarantine() -> Quarantine? {
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

    /// `requires:`: why the topology cannot run the scenario; nil when it can.
    package func obstacle(in topology: Topology) -> String? {
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
