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
    /// Its subject, such as a section of the manual; nil if the file does not state one.
    let about: String?
    /// The chapters of the manuals that it shows, as the file names them.
    let manual: [String]
    /// Tags for selection.
    public let tags: [String]
    /// Why the scenario is known not to pass; nil if it should pass. A quarantined scenario runs, and its failure does
    /// not fail the run.
    let quarantine: Quarantine?
    /// Why the topology cannot play the scenario; nil when it can.
    let obstacle: String?
    /// The file.
    public let file: SourceFile
    /// The place of its row in a table; nil for a scenario without a table.
    var rowPlace: SourcePlace?
    /// The files that it includes, each by its path without links.
    let includes: Set<String>
    /// The topology.
    public let topology: Topology
    /// The values known before the first step, and their sources.
    let values: [DeclaredValue]
    /// Values drawn from the seed before the first step.
    let generated: [GeneratedValue]
    /// Steps that prepare the scenario; if they fail the rest does not run.
    let setup: Phase?
    /// The steps.
    let steps: [Step]
    /// Steps that always run, whatever happened before.
    let tearDown: Phase?
    /// Places that are masked in output.
    let secrets: SecretRanges
    /// Secret texts known before the run: literals and environment values.
    let secretTexts: [String]

    /// The steps of all phases, in the order in which they are carried out.
    var allSteps: [Step] { (setup?.steps ?? []) + steps + (tearDown?.steps ?? []) }

    /// The name of the row of a table-driven scenario, as it stands in ``id``.
    var row: String? { ScenarioPath.parts(of: id).row }

    /// The place of its row, and its values; nil for a scenario without a table.
    var rowText: String? {
        rowPlace.map { place in
            let cells = values.filter(\.isOfRow).map {
                "\($0.name.dropFirst("row.".count)) = \($0.value?.description ?? "")"
            }
            return ([place.label] + (cells.isEmpty ? [] : [cells.joined(separator: ", ")])).joined(separator: ": ")
        }
    }

    /// The command that runs the same scenario, and only the same row of it, with a seed.
    ///
    /// The command contains the values given from outside, except secrets.
    ///
    /// - Parameter labOption: The value of `--lab`.
    func replay(seed: UInt64, labOption: String?) -> String {
        let redactor = Redactor(secrets: secretTexts)
        let given = values.compactMap { value in
            value.given.flatMap {
                redactor.redact($0) != $0 ? nil : " --set \(ShellWord.quoted("\(value.name)=\($0)"))"
            }
        }
        return "lab run \(word)\(Self.option(lab: labOption))\(given.joined()) --seed \(seed)"
    }

    /// The command that shows the records of the scenario's failure.
    ///
    /// - Parameters:
    ///   - subject: The part to show: `sharing main`.
    ///   - labOption: The value of `--lab`.
    func inspection(_ subject: String, labOption: String?) -> String {
        "lab inspect \(subject) --failure \(word)\(Self.option(lab: labOption))"
    }

    /// The command that compares the last run of the scenario with an earlier one.
    ///
    /// - Parameters:
    ///   - run: The identifier of the earlier one.
    ///   - labOption: The value of `--lab`.
    func comparison(with run: String, labOption: String?) -> String {
        "lab diff \(run) latest \(word)\(Self.option(lab: labOption))"
    }

    /// The scenario's name on a command line.
    private var word: String { ShellWord.quoted(file.path + (row.map { "[\($0)]" } ?? "")) }

    private static func option(lab: String?) -> String { lab.map { " --lab \(ShellWord.quoted($0))" } ?? "" }
}

/// A value of `values:` that is drawn from the seed.
struct GeneratedValue: Sendable {
    /// The kind of value.
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
    /// Number of digits of a PIN, or the exclusive upper limit of a number.
    let size: Int
}
