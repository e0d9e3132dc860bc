import Foundation
import TestSupport

/// A page of the documentation with its steps for a reader.
struct DocumentationPage {
    /// One command of a console block with its output on the page.
    struct Step {
        /// The command, in as many lines as it is written in.
        let command: String
        /// The shown output; `…` stands for any text. Empty if the page shows none.
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
    init(_ path: String) throws {
        text = try Project.text(of: path)
    }

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
        let pattern = output.components(separatedBy: "…").map(NSRegularExpression.escapedPattern).joined(
            separator: "(?s:.*?)")
        return printed.trimmingCharacters(in: .newlines)
            .range(of: "^\(pattern)$", options: .regularExpression) != nil
    }
}
