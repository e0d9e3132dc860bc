import Foundation

/// A YAML block of a page, completed to files that the lab can check.
struct DocumentationBlock {
    /// The block as the page shows it.
    let text: String

    /// The file that the page says it is: its first line is a comment of nothing but a path.
    var path: String? { text.firstMatch(of: /^# (?<path>[^ \n]+\.yaml)\n/).map { String($0.path) } }

    /// The scenarios, or the lab file, that the block is a part of.
    ///
    /// - Returns: each alternative that the block shows.
    var files: [File] {
        let key = text.split(separator: "\n").first { !$0.hasPrefix("#") }?.prefix { $0 != ":" } ?? ""
        switch key {
        case "topologies": return [.lab(text)]
        case "limits":
            return [.lab("topologies:\n  default:\n    \(Self.devices)\n    server:\n      \(text)")]
        case "lab":
            return text.split(separator: "\n").filter { $0.hasPrefix("lab:") }.map {
                .scenario("name: Shown\n\($0)\n\(Self.anyStep)")
            }
        case _ where key.hasPrefix("- "):
            return [.scenario("name: Shown\nsteps:\n\(Self.earlierSteps)\(Self.indented(text))")]
        default:
            let name = key == "name" ? "" : "name: Shown\n"
            let steps = text.contains(/(?m)^steps:/) ? "" : Self.anyStep
            return [.scenario(name + text + steps)]
        }
    }

    /// A file that `lab check` reads.
    enum File {
        /// A scenario.
        case scenario(String)
        /// A file of topologies.
        case lab(String)
    }

    /// The devices of a topology in which it does not matter what they are, in one line.
    static let devices = "devices: { phone: { kind: phone, apps: { main: { bundleIdentifier: com.example.main } } } }"

    private static let anyStep = "steps:\n  - clock: freeze\n"

    /// What pages call `code` and `payment` in steps that stand for themselves.
    private static let earlierSteps = """
          - server: initActivation
            as: code
          - server: createOperation
            with: { userId: alice, template: login }
            as: payment

        """

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
            .joined(separator: "\n")
    }
}
