import Foundation

/// A YAML block of a page, completed to files that the lab can check.
struct DocumentationBlock {
    /// The block as the page shows it.
    let text: String

    /// The file name on the page: the block's first line is a comment with only a path.
    var path: String? { text.firstMatch(of: /^# (?<path>[^ \n]+\.yaml)\n/).map { String($0.path) } }

    /// The scenarios, or the lab file, that contain the block.
    ///
    /// - Returns: each alternative in the block.
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

    /// Arbitrary devices for a topology, in one line.
    static let devices = "devices: { phone: { kind: phone, apps: { main: { bundleIdentifier: com.example.main } } } }"

    private static let anyStep = "steps:\n  - clock: freeze\n"

    /// Values for `code` and `payment` in steps shown alone.
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
