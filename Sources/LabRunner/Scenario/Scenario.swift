public import LabFile
public import LabKit

/// One runnable test: a scenario file, or one row of a table-driven one, checked and resolved.
///
/// An immutable value. Thread rule: any thread.
public struct Scenario: Sendable {
    /// Stable name in reports: the path of the file, with the row's name in brackets for a table.
    public let id: String
    /// The title.
    public let name: String
    /// Words to select by.
    public let tags: [String]
    /// Why the scenario is known not to pass; nil for a healthy one. A quarantined scenario runs, and
    /// its failure does not fail the run.
    public let quarantine: String?
    /// The file.
    public let file: SourceFile
    /// The files that it includes, each by its path without links.
    let includes: Set<String>
    /// The cast.
    public let topology: Topology
    /// Values drawn from the seed before the first step.
    let generated: [GeneratedValue]
    /// The steps.
    let steps: [Step]
    /// Steps that run whatever happened before.
    let tearDown: [Step]
    /// Places that print-outs mask.
    let secrets: SecretRanges
    /// Secret texts known before the run: literals and environment values.
    let secretTexts: [String]

    /// The name of the row of a table-driven scenario, as it stands in ``id``.
    var row: String? {
        guard id.hasSuffix("]"), let open = id.lastIndex(of: "[") else { return nil }
        return String(id[id.index(after: open)...].dropLast())
    }
}

/// A value of `values:` that is drawn from the seed.
struct GeneratedValue: Sendable {
    /// What is drawn.
    enum Kind: String, CaseIterable, Sendable {
        /// A unique readable name.
        case name
        /// Decimal digits; a secret.
        case pin
        /// A version-4 UUID.
        case uuid
        /// A whole number below a limit.
        case number
    }

    let name: String
    let kind: Kind
    /// Digits of a PIN, or the exclusive upper limit of a number.
    let size: Int
}
