// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A page of the documentation with its steps for a reader.
struct DocumentationPage {
    /// One command of a console block with its output on the page.
    struct Step {
        /// The command, in as many lines as it is written in.
        let command: String
        /// The shown output; `…` stands for any text, and two or more spaces for any number from two: columns are as wide
        /// as their longest entry. Empty if the page shows none.
        let output: String
    }

    let text: String

    /// The paths of all user pages.
    static var all: [String] {
        get throws {
            let docs = try FileManager.default.contentsOfDirectory(atPath: Project.path("docs"))
            return (["README.md", "CONTRIBUTING.md"] + docs.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" })
                .sorted()
        }
    }

    /// - Parameter path: from the project's root.
    init(_ path: String) throws { text = try Project.text(of: path) }

    /// The fenced blocks of a language.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// The steps of all console blocks, in the order of the page.
    var steps: [Step] { blocks("console").flatMap(Self.steps) }

    /// The steps of all console blocks and, if the page shows them, the files that its reader writes: YAML blocks that
    /// begin with a comment with only a path.
    var stepsAndFiles: [Step] {
        let blocks = text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.flatMap { block -> [Step] in
            if block.hasPrefix("console\n") { return Self.steps(in: String(block.dropFirst("console\n".count))) }
            guard let file = block.wholeMatch(of: /yaml\n# (?<path>[^ \n]+\.yaml)\n(?s:.*)/) else { return [] }
            let path = String(file.path)
            return [
                Step(
                    command: """
                        mkdir -p "$(dirname \(path))" && cat > \(path) <<'END OF FILE'
                        \(block.dropFirst("yaml\n".count))END OF FILE
                        """, output: "")
            ]
        }
    }

    /// A command begins with `$ ` and continues while its lines end with a backslash.
    private static func steps(in block: String) -> [Step] {
        var steps: [Step] = []
        var command: [String] = []
        var output: [String] = []
        func finish() {
            guard !command.isEmpty else { return }
            steps.append(Step(command: command.joined(separator: "\n"), output: output.joined(separator: "\n")))
            (command, output) = ([], [])
        }
        var isContinued = false
        for line in block.split(separator: "\n").map(String.init) {
            if line.hasPrefix("$ ") {
                finish()
                command = [String(line.dropFirst(2))]
            } else if isContinued {
                command.append(line)
            } else {
                output.append(line)
                continue
            }
            isContinued = line.hasSuffix("\\")
        }
        finish()
        return steps
    }
}

extension DocumentationPage.Step {
    /// Whether the output of a command matches the page.
    func isShown(by printed: String) -> Bool {
        guard !output.isEmpty else { return true }
        let parts = output.components(separatedBy: "…").map { part in
            NSRegularExpression.escapedPattern(for: part).replacing(#/ {2,}/#, with: " {2,}")
        }
        // Each part but the last is taken where it comes first: a later place never fits better, and to try all of them
        // would take very long for an output that differs.
        let pattern =
            parts[0] + parts.dropFirst().dropLast().map { "(?>(?s:.*?)\($0))" }.joined()
            + (parts.count > 1 ? "(?s:.*?)\(parts[parts.count - 1])" : "")
        return printed.trimmingCharacters(in: .newlines)
            .range(of: "^\(pattern)$", options: .regularExpression) != nil
    }
}

/// A page whose console blocks are run in order, like a reader does.
struct PlayedPage: CustomTestStringConvertible {
    /// The files in the reader's initial folder.
    enum Folder: Int, Comparable {
        case empty
        /// The project's `lab.yaml`.
        case topology
        /// The project's scenarios, too.
        case catalogue

        static func < (left: Folder, right: Folder) -> Bool { left.rawValue < right.rawValue }
    }

    let path: String
    let needs: Folder
    /// The minimum number of commands on the page.
    let steps: Int
    /// Earlier commands of the reader.
    var before: [String] = []

    var testDescription: String { path }

    static let all = [
        PlayedPage(path: "docs/lab-server.md", needs: .empty, steps: 20),
        PlayedPage(path: "docs/mobile-token.md", needs: .topology, steps: 12),
        PlayedPage(path: "docs/getting-started.md", needs: .empty, steps: 12),
        PlayedPage(path: "docs/install.md", needs: .empty, steps: 3),
        PlayedPage(path: "docs/ci.md", needs: .catalogue, steps: 1),
        PlayedPage(path: "docs/sharing.md", needs: .topology, steps: 8),
        PlayedPage(path: "docs/protocol-4.md", needs: .topology, steps: 30),
        PlayedPage(path: "docs/watch-link.md", needs: .topology, steps: 6),
        PlayedPage(path: "docs/running.md", needs: .catalogue, steps: 8),
        PlayedPage(
            path: "docs/reports.md", needs: .catalogue, steps: 2,
            before: ["lab run Scenarios/faults/clock-runs-fast.yaml"]),
        PlayedPage(path: "docs/stress.md", needs: .topology, steps: 1),
    ]
}

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
