import LabKit

/// Values for `values:` given from outside: `--set name=value`, and `LAB_VAR_name` in the environment.
struct ExternalValues {
    /// The prefix of environment variables that hold a value.
    static let prefix = "LAB_VAR_"

    /// The values of `--set`.
    let settings: [String: String]
    /// All environment variables.
    let environment: [String: String]

    /// The value given for a name, and its source. `--set` applies to one run, so it overrides exported variables.
    subscript(name: String) -> (text: String, source: String)? {
        if let text = settings[name] { return (text, "--set") }
        let variable = Self.prefix + name
        return environment[variable].map { ($0, "the environment variable \(variable)") }
    }

    /// Names given by `--set` that no scenario declares: a mistake.
    func mistake(declared: Set<String>) -> String? {
        settings.keys.sorted().first { !declared.contains($0) }.map { name in
            "--set: " + Self.sentence(about: name, declared: declared, prefix: "")
        }
    }

    /// Names given by the environment that no scenario declares. Only a warning: exported variables may belong to other
    /// runs.
    func notes(declared: Set<String>) -> [String] {
        environment.keys.filter { $0.hasPrefix(Self.prefix) }.sorted().compactMap { variable in
            let name = String(variable.dropFirst(Self.prefix.count))
            if declared.contains(name) { return nil }
            return "\(variable): " + Self.sentence(about: name, declared: declared, prefix: Self.prefix)
        }
    }

    private static func sentence(about name: String, declared: Set<String>, prefix: String) -> String {
        let advice = nearest(name, among: declared.sorted()).map { "; did you mean `\(prefix)\($0)`?" } ?? ""
        return "no scenario declares `\(name)` in `values:`\(advice)"
    }
}
