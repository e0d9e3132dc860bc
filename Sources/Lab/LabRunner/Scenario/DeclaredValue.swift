internal import LabKit

/// A value that a scenario has before its first step, and where it comes from.
struct DeclaredValue: Sendable {
    /// Where a value comes from.
    enum Origin: Sendable {
        /// The scenario itself.
        case file
        /// The scenario, because an environment variable is not set.
        case fallback(variable: String)
        /// An environment variable that the scenario names.
        case variable(String)
        /// Given from outside in place of what the file says: by `--set` or by an environment variable.
        case given(by: String)
        /// The row of a table.
        case row
        /// The seed of the run.
        case seed

        /// Where the value comes from, to be printed behind it.
        var sentence: String {
            switch self {
            case .file: "from the file"
            case .fallback(let variable): "from the file, because \(variable) is not set"
            case .variable(let name): "from the environment variable \(name)"
            case .given(let source): "from \(source)"
            case .row: "from the row of the table"
            case .seed: "generated from the seed"
            }
        }
    }

    /// The name by which steps refer to it.
    let name: String
    /// What was written or given; nil for a value that the seed gives.
    let value: JSONValue?
    /// Whether it is masked wherever anything is printed.
    let isSecret: Bool
    let origin: Origin

    /// Whether it is a value of the scenario's row.
    var isOfRow: Bool { if case .row = origin { true } else { false } }

    /// What was given from outside in place of what the file says.
    var given: String? {
        if case .given = origin { value?.stringValue } else { nil }
    }
}
