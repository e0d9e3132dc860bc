import Foundation
public import LabFile
import LabKit
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
    ///
    /// - Parameters:
    ///   - file: The scenario.
    ///   - id: The scenario's name in reports: its path relative to the given path.
    ///   - labFile: The topologies.
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

/// The reading of one file.
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
        let about = reader.optional("about")?.scalar?.text
        reader.finish()
        // Without a topology the steps cannot be checked, and every diagnostic would be a consequence.
        guard let topology, let stepsNode else { return [] }
        if rows == nil, root["rows"] != nil { return [] }
        if let rows, rows.isEmpty { collector.report(.emptyList(what: "`rows`"), at: reader.place(of: "rows")) }

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
            if let row { declarations.read(row: row) }
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
                reader(scope, prefix: Phase.setupPrefix).readPhase($0, what: "`setup`")
            }
            let steps = isPlayed ? reader(scope, prefix: "").read(stepsNode, what: "`steps`") : []
            let tearDown = (isPlayed ? tearDownNode : nil).flatMap {
                reader(Scope(parent: scope), prefix: Phase.tearDownPrefix).readPhase($0, what: "`tearDown`")
            }
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
        guard let node else {
            return labFile.topology(named: nil, at: place, overrides: nil, reporting: collector)
        }
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
                collector.report(
                    .contradictingKeys(
                        first: "topology", second: name == nil ? "override" : "use",
                        reason: "`topology` is complete by itself"), at: reader.place(of: "topology"))
                return nil
            }
            return TopologyReader(collector).readForUse(complete, name: "inline")
        }
        return labFile.topology(
            named: name, at: node["use"]?.place ?? place, overrides: override, reporting: collector)
    }

    /// Distinguishes a use before the capture from an unknown name.
    private func announceCaptures(in node: YAMLNode, scope: Scope) {
        for element in node.elements ?? [] { announceCaptures(in: element, scope: scope) }
        for entry in node.entries ?? [] {
            if entry.key == "as", let name = entry.value.scalar?.text {
                scope.announce(name, at: entry.value.place)
            }
            if entry.key != "with", entry.key != "expect" { announceCaptures(in: entry.value, scope: scope) }
        }
    }
}
