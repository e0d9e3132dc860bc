internal import LabKit

/// Values for `values:` that are given from outside: `--set name=value`, and `LAB_VAR_name` in the environment.
struct ExternalValues {
    /// What the names of environment variables begin with that hold a value.
    static let prefix = "LAB_VAR_"

    /// What `--set` said.
    let settings: [String: String]
    /// All environment variables.
    let environment: [String: String]

    /// What was given for a name, and by what. `--set` is about one run, so it is stronger than what is exported.
    subscript(name: String) -> (text: String, source: String)? {
        if let text = settings[name] { return (text, "--set") }
        let variable = Self.prefix + name
        return environment[variable].map { ($0, "the environment variable \(variable)") }
    }

    /// What `--set` gives to nobody: a mistake.
    func mistake(declared: Set<String>) -> String? {
        settings.keys.sorted().first { !declared.contains($0) }.map { name in
            "--set: " + Self.sentence(about: name, declared: declared, prefix: "")
        }
    }

    /// What the environment gives to nobody. It is pointed out only: a variable that is exported is there for other runs too.
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
