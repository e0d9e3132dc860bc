import LabKit

/// A value that a scenario has before its first step, and its source.
struct DeclaredValue: Sendable {
    /// The source of a value.
    enum Origin: Sendable {
        /// The scenario itself.
        case file
        /// The scenario, because an environment variable is not set.
        case fallback(variable: String)
        /// An environment variable that the scenario names.
        case variable(String)
        /// A value from outside that overrides the one in the file: by `--set` or by an environment variable.
        case given(by: String)
        /// The row of a table.
        case row
        /// The seed of the run.
        case seed

        /// The source of the value, printed after it.
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

    /// The name in references.
    let name: String
    /// The written or given value; nil for a value drawn from the seed.
    let value: JSONValue?
    /// Whether it is masked in all output.
    let isSecret: Bool
    let origin: Origin

    /// Whether it is a value of the scenario's row.
    var isOfRow: Bool { if case .row = origin { true } else { false } }

    /// The value from outside that overrides the one in the file.
    var given: String? {
        if case .given = origin { value?.stringValue } else { nil }
    }
}
