// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// A parsed `lab.yaml`: the named topologies, still as nodes, so that a scenario can override parts of
/// one before it is resolved.
///
/// An immutable value; any thread.
public struct NamedTopologies: Sendable {
    /// The file.
    public let file: SourceFile
    /// The topologies in the order of the file.
    public let topologies: [YAMLEntry]
    /// The topology of scenarios that name none: the one called `default`, else the first.
    public var defaultName: String? { names.contains("default") ? "default" : names.first }
    /// The names of all topologies.
    public var names: [String] { topologies.map(\.key) }

    /// Reads a `lab.yaml`; every topology in it is checked, used or not.
    /// - Returns: nil when the file has no readable list of topologies.
    public static func read(_ file: SourceFile, reporting collector: DiagnosticCollector) -> NamedTopologies? {
        guard let root = YAMLDocument.parse(file, reporting: collector),
            let reader = MappingReader(root, container: "the lab file", reporting: collector)
        else { return nil }
        guard reader.required("topologies") != nil, let entries = reader.namedEntries("topologies") else {
            reader.finish()
            return nil
        }
        reader.finish()
        if entries.isEmpty { collector.report(.emptyList(what: "`topologies`"), at: reader.place(of: "topologies")) }
        for entry in entries { _ = TopologyReader(collector).read(entry.value, name: entry.key) }
        return NamedTopologies(file: file, topologies: entries)
    }

    /// Resolves a topology, with a scenario's overrides laid over it.
    /// - Parameters:
    ///   - name: The topology; nil means the default one.
    ///   - place: Where the name was written, for the complaint about an unknown one.
    /// - Returns: nil without a usable topology; the collector has the reason.
    public func topology(
        named name: String?, at place: SourcePlace, overrides: YAMLNode?, reporting collector: DiagnosticCollector
    ) -> Topology? {
        guard let wanted = name ?? defaultName, let entry = topologies.first(where: { $0.key == wanted }) else {
            collector.report(.unknownTopology(name: name ?? "", known: names), at: place)
            return nil
        }
        guard let overrides else {
            guard let topology = TopologyReader(DiagnosticCollector()).read(entry.value, name: wanted) else {
                return nil
            }
            return OwnProgramReader(collector: collector).ask(topology, at: entry.value)
        }
        return TopologyReader(collector).readForUse(entry.value.overlaid(by: overrides), name: wanted)
    }
}
