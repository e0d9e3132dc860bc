// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import TestSupport
import Testing

/// The pages are what the lab prints, so a declaration that changes by accident differs from them.
@Suite("Declarations are those of the pages", .endsInTime)
struct DeclarationPageTests {
    /// The paragraphs of the text that a page shows.
    private func paragraphs(of page: String) throws -> [String] {
        let text = try Project.text(of: page)
        let begin = try #require(text.range(of: "```text\n"))
        let end = try #require(text.range(of: "\n```", range: begin.upperBound..<text.endIndex))
        return text[begin.upperBound..<end.lowerBound].components(separatedBy: "\n\n")
            .map { $0.trimmingCharacters(in: .newlines) }.filter { !$0.isEmpty }
    }

    @Test func `Every event has the sentence and the details that docs/events.md shows, in their order`() throws {
        let shown = try paragraphs(of: "docs/events.md")
        let declared = TraceEventName.allCases.map { event in
            let fields = event.fields.map { field in
                let unit = field.unit.map { ", in \($0)" } ?? ""
                return "    \(field.name): \(field.type.title)\(unit). \(field.meaning)"
            }
            return (["\(event.rawValue)  \(event.summary)"] + fields).joined(separator: "\n")
        }
        #expect(shown.count == declared.count)
        for (shown, declared) in zip(shown, declared) { #expect(shown == declared) }
    }

    private func text(of command: CommandDeclaration) -> String {
        var lines = ["  \(command.name)  \(command.summary)"]
        for field in command.fields {
            let need = field.isRequired ? "required" : field.defaultValue.map { "default \($0)" } ?? "optional"
            let facts: [String?] = [field.type.title, field.unit.map { "in \($0)" }, field.limit?.description, need]
            lines.append("    \(field.name): \(facts.compactMap { $0 }.joined(separator: ", ")). \(field.meaning)")
        }
        if let ending = command.ending { lines.append("    ended by `\(ending)`, and by the end of `during`") }
        if command.result != .nothing { lines.append("    answers \(command.result.title)") }
        return lines.joined(separator: "\n")
    }

    @Test
    func `Every kind of actor has the commands and parameters that docs/commands.md shows, in their order`() throws {
        var shown: [[String]] = []
        for paragraph in try paragraphs(of: "docs/commands.md") {
            if paragraph.hasPrefix("Commands of ") {
                shown.append([])
            } else {
                try #require(!shown.isEmpty)
                shown[shown.count - 1].append(paragraph)
            }
        }
        try #require(shown.count == ActorKind.allCases.count)
        for (kind, shown) in zip(ActorKind.allCases, shown) {
            let declared = Vocabulary.lab.commands(of: kind).map { text(of: $0) }
            #expect(shown.count == declared.count, "\(kind)")
            for (shown, declared) in zip(shown, declared) { #expect(shown == declared, "\(kind)") }
        }
    }
}
