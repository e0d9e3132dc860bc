// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Terminal output during a run and after it.
    @Suite("A run on a terminal")
    struct TerminalTests {
        private static let names = [
            "A second app is refused while an activation of the first one is pending and waits for its end",
            "二つのアプリが同時に署名しても、サーバーはすべての署名を受け入れるはずです",
            #"A \e[31mred\e[0m name \e]0;with a title\a that wants to command the terminal"#,
        ]

        @Test(arguments: [40, 80])
        func `The progress line is readable, leaves nothing behind, and escapes names`(columns: Int) async throws {
            let workspace = try workspace()
            let (status, text) = try await onThread {
                let session = try TerminalSession(["run", ".", "--jobs", "1"], in: workspace, columns: columns)
                return (try session.finish(), session.text)
            }
            #expect(status == 0, "\(text)")
            var screen = Screen(columns: columns)
            screen.show(text)
            #expect(screen.strangeSequences == [])
            // The screen shows exactly the output without a terminal.
            let frame = #/\r\u{1B}\[K[^\r\n\u{1B}]*(?=\r\u{1B}\[K)/#.matchingSemantics(.unicodeScalar)
            let plain = text.replacing(frame, with: "")
            var expected = Screen(columns: columns)
            expected.show(plain.replacing("\r\u{1B}[K", with: ""))
            #expect(screen.lines == expected.lines, "\(screen.lines.joined(separator: "\n"))")
            #expect(!screen.lines.contains { $0.contains(#/^\d\/3 /#) }, "\(screen.lines.joined(separator: "\n"))")
            #expect(screen.lines.joined().contains(#"A \u001B[31mred\u001B[0m name"#))
            let line = #/\r\u{1B}\[K(\d\/3  \d+ s  [^\r\n]+)\r/#.matchingSemantics(.unicodeScalar)
            let frames = text.matches(of: line).map { String($0.1) }
            for (index, beginning) in ["A second app is ", "二つのアプリが", #"A \u001B[31mred"#].enumerated() {
                let frame = try #require(frames.first { $0.hasPrefix("\(index)/3 ") }, "\(frames)")
                #expect(frame.contains(beginning))
                #expect(Terminal.width(of: frame) < columns)
            }
        }

        @Test func `NO_COLOR removes the colours and keeps the progress`() async throws {
            let workspace = try workspace()
            let text = try await onThread {
                let session = try TerminalSession(
                    ["run", "0.yaml"], in: workspace, columns: 80, environment: ["NO_COLOR": "1"])
                _ = try session.finish()
                return session.text
            }
            #expect(!text.contains(#/\u{1B}\[\d*m/#))
            #expect(text.contains("\u{1B}[K0/1  0 s  "), "\(text)")
        }

        @Test func `CLICOLOR_FORCE gives colours to a pipe, without progress`() async throws {
            let workspace = try workspace()
            let outcome = try await LabCommand.run(
                ["run", "0.yaml"], in: workspace, environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": ""])
            #expect(outcome.output.hasPrefix("\u{1B}[32m✓\u{1B}[0m A second app"), "\(outcome.output)")
            #expect(!outcome.output.contains("\r"))
        }

        private func workspace() throws -> Workspace {
            let workspace = try Workspace.ofProject()
            for (index, name) in Self.names.enumerated() {
                try workspace.write("name: \"\(name)\"\nsteps:\n  - clock: freeze\n", to: "\(index).yaml")
            }
            return workspace
        }
    }
}
