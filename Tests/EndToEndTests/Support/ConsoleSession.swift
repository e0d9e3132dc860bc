// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import TestSupport
import Testing

/// Runs the steps of a page like its reader: `lab server` and `lab up` stay in another terminal; everything else is
/// typed into one shell after the other.
///
/// The page's port is replaced by a free one. Used by one thread.
struct ConsoleSession {
    let workspace: Workspace
    /// The port that the page shows.
    let shownPort: String

    /// A shell, and the commands that stay in another terminal beside it.
    private struct Part {
        var beside: DocumentationPage.Step?
        var steps: [DocumentationPage.Step] = []
    }

    /// Runs the steps on a thread of its own, and expects that they print what the page shows.
    static func check(
        _ steps: [DocumentationPage.Step], in workspace: Workspace, shownPort: String = "8080",
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let session = ConsoleSession(workspace: workspace, shownPort: shownPort)
        let differences = try await onThread { try session.run(steps) }
        #expect(differences == [], "\(differences.joined(separator: "\n\n"))", sourceLocation: location)
    }

    /// Runs the steps.
    /// - Returns: every difference from the page, in words.
    func run(_ steps: [DocumentationPage.Step]) throws -> [String] {
        var parts = [Part()]
        for step in steps {
            if step.command.hasPrefix("lab server ") || step.command.hasPrefix("lab up") {
                parts.append(Part(beside: step))
            } else {
                parts[parts.count - 1].steps.append(step)
            }
        }
        return try parts.flatMap(run)
    }

    private func run(_ part: Part) throws -> [String] {
        guard let beside = part.beside else { return try type(part.steps, port: nil) }
        let words = beside.command.split(separator: " ").dropFirst().map(String.init)
        let command = try LabCommand(words.map { $0 == shownPort ? "0" : $0 }, in: workspace)
        var port: String?
        if words.first == "server" {
            try command.wait(for: "SDK config")
            let announcement = try #require(command.text.firstMatch(of: /127\.0\.0\.1:([0-9]+)/), "\(command.text)")
            port = String(announcement.1)
        } else {
            try command.wait(for: "Ctrl-C")
        }
        var differences = try type(part.steps, port: port)
        try command.signal(SIGTERM)
        let outcome = try command.finish()
        if outcome.status != 0 { differences.append("\(beside.command) failed:\n\(outcome.errors)") }
        let printed = port.map { outcome.output.replacingOccurrences(of: ":\($0)", with: ":\(shownPort)") }
        if !beside.isShown(by: printed ?? outcome.output) {
            differences.append("\(beside.command) printed:\n\(printed ?? outcome.output)")
        }
        return differences
    }

    private func type(_ steps: [DocumentationPage.Step], port: String?) throws -> [String] {
        guard !steps.isEmpty else { return [] }
        let mark = "=== \(UUID().uuidString) "
        let executables = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent().path
        var script = "PATH=\(executables):$PATH\n"
        for step in steps { script += "\(step.command)\nprintf '\\n\(mark)%s\\n' $?\n" }
        if let port { script = script.replacingOccurrences(of: ":\(shownPort)", with: ":\(port)") }
        try workspace.write(script, to: "session.sh")
        // A page may run a part of the catalogue, on a machine with other work.
        let outcome = try LabCommand(["session.sh"], in: workspace, executable: "/bin/bash")
            .finish(silentFor: .minutes(4).stretched)
        let answers = outcome.output.components(separatedBy: "\n\(mark)")
        try #require(answers.count == steps.count + 1, "\(outcome.output)\(outcome.errors)")
        // A mark is followed by the status of the previous command and then the output of the next one.
        return steps.enumerated().flatMap { index, step in
            let printed = index == 0 ? answers[0] : answers[index].drop { $0 != "\n" }.dropFirst().description
            let shown = port.map { printed.replacingOccurrences(of: ":\($0)", with: ":\(shownPort)") } ?? printed
            var differences: [String] = []
            if !step.isShown(by: shown) {
                differences.append("\(step.command)\nprinted:\n\(shown)\nthe page shows:\n\(step.output)")
            }
            if !answers[index + 1].hasPrefix("0") {
                differences.append("\(step.command) failed:\n\(shown)\(outcome.errors)")
            }
            return differences
        }
    }
}
