// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabSystem
package import ScenarioLanguage

/// A scenario with the block whose orders are explored: the one that has `orders`, else the first `race` or `parallel` of
/// its steps.
///
/// An immutable value. Thread rule: any thread.
package struct ExploredScenario: Sendable {
    package let scenario: Scenario
    /// The step of the block.
    package let block: Step

    /// Finds the block.
    /// - Throws: ``BadUsage`` with a place, if the scenario has no block, or one whose processes cannot be scheduled.
    package init(_ scenario: Scenario) throws {
        self.scenario = scenario
        let blocks = Step.explorable(in: scenario.steps)
        guard let block = blocks.first(where: { $0.orders != nil }) ?? blocks.first else {
            let place = scenario.steps.first?.place.label ?? scenario.file.path
            throw BadUsage(
                sentence:
                    "\(place): the steps have no `race` and no `parallel` to explore; write what the apps do at the same time as branches of one (those of included files, and those in `repeat`, `each` or `eventually`, are not explored)"
            )
        }
        self.block = block
        if let order = block.order {
            throw BadUsage(
                sentence: "\(order.place.label): the block has an `order` already; remove it to explore all orders")
        }
        if case .failure(let mistake) = schedulableProcesses(of: block.branches ?? [], topology: scenario.topology) {
            throw BadUsage(sentence: "\(block.place.label): \(mistake)")
        }
    }

    /// What the block is.
    package var word: String { if case .race = block.action { "race" } else { "parallel block" } }

    /// Where the block is written, with the line only.
    package var label: String { "\(block.place.file.path):\(block.place.range.start.line)" }

    // MARK: The scenario with an order

    /// The text of the scenario with an order in its block, for a file `.lab/explored/*.yaml` in a folder.
    ///
    /// Everything else stays as its author wrote it, but the names of other files, which are relative to the file.
    /// - Parameters:
    ///   - remark: A sentence for the first line.
    ///   - root: The absolute path of the folder that contains `.lab`.
    /// - Throws: ``LabFailure`` if the block is not found in the file.
    package func text(inOrder turns: [Turn], remark: String, below root: String) throws -> String {
        let file = scenario.file
        var edits = [try Self.insertion(of: turns, into: Self.node(of: block, in: file), of: file)]
        let document = try Self.root(of: file)
        let names = Self.includedNames(in: document) + [document["rows"]].compactMap(\.self).filter { $0.scalar != nil }
        for node in names {
            guard let name = node.scalar?.text else { continue }
            let target = Files.absolute(IncludedFiles.location(of: name, in: Files.directory(of: file.path)))
            let path = ScenarioPath.path(of: target, below: root).map { "../../\($0)" } ?? target
            edits.append(Edit(range: node.place.range, text: JSONValue.string(path).description))
        }
        return "# \(remark)\n" + Self.text(of: file, with: edits)
    }

    private struct Edit {
        let range: SourceRange
        let text: String
    }

    /// The `order` before the word of the block: its place is exact, that of the end of a value is not.
    private static func insertion(of turns: [Turn], into node: YAMLNode, of file: SourceFile) throws -> Edit {
        guard let word = node.entries?.first(where: { words.contains($0.key) }) else { throw unreadable(file) }
        if let orders = node.entries?.first(where: { $0.key == "orders" }) {
            return try replacement(of: orders, by: turns, in: file)
        }
        let place = word.keyPlace.range.start
        let start = node.place.range.start
        let isFlow = file.line(start.line).unicodeScalars.dropFirst(start.column - 1).first == "{"
        let margin = String(repeating: " ", count: place.column - 1)
        let text =
            isFlow
            ? OrderText.flow(turns) + ", " : OrderText.yaml(turns).joined(separator: "\n\(margin)") + "\n\(margin)"
        return Edit(range: SourceRange(start: place, end: place), text: text)
    }

    /// The `order` in the place of `orders`, on one line, as the block may be.
    private static func replacement(of orders: YAMLEntry, by turns: [Turn], in file: SourceFile) throws -> Edit {
        let start = orders.keyPlace.range.start
        let value = orders.value.place.range
        // The value of an alias stands somewhere else.
        guard value.start > start else { throw unreadable(file) }
        let isFlow = file.line(value.start.line).unicodeScalars.dropFirst(value.start.column - 1).first == "{"
        let end = try isFlow ? closingBrace(after: value.start, in: file) : value.end
        return Edit(range: SourceRange(start: start, end: end), text: OrderText.flow(turns))
    }

    /// The place behind the next `}`: that of a mapping ends with its last value.
    private static func closingBrace(after start: SourcePosition, in file: SourceFile) throws -> SourcePosition {
        var column = start.column
        for number in start.line...max(start.line, file.lines.count) {
            let rest = file.line(number).unicodeScalars.dropFirst(column - 1)
            if let brace = rest.firstIndex(of: "}") {
                let distance = rest.distance(from: rest.startIndex, to: brace)
                return SourcePosition(line: number, column: column + distance + 1)
            }
            column = 1
        }
        throw unreadable(file)
    }

    private static let words: Set = ["race", "parallel"]

    private static func text(of file: SourceFile, with edits: [Edit]) -> String {
        var lines = file.lines.map { Array($0.unicodeScalars) }
        // From the end, so that the places before an edit stay valid.
        for edit in edits.sorted(by: { $0.range.start > $1.range.start }) {
            let (first, last) = (edit.range.start.line - 1, edit.range.end.line - 1)
            guard lines.indices.contains(first), lines.indices.contains(last) else { continue }
            let head = lines[first].prefix(edit.range.start.column - 1)
            let tail = lines[last].dropFirst(edit.range.end.column - 1)
            lines[first...last] = [Array(head) + Array(edit.text.unicodeScalars) + Array(tail)]
        }
        return lines.map { line in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: line)
            return String(text)
        }.joined(separator: "\n")
    }

    // MARK: The file as YAML

    private static func root(of file: SourceFile) throws -> YAMLNode {
        guard let root = YAMLDocument.parse(file, reporting: DiagnosticCollector()) else { throw unreadable(file) }
        return root
    }

    private static func unreadable(_ file: SourceFile) -> LabFailure {
        LabFailure("The block was not found again in \(file.path). This is a mistake of the lab; please report it.")
    }

    /// The mapping of a block's step.
    private static func node(of block: Step, in file: SourceFile) throws -> YAMLNode {
        func find(in node: YAMLNode) -> YAMLNode? {
            if node.place.range.start == block.place.range.start, words.contains(where: { node[$0] != nil }) {
                return node
            }
            let inner = (node.elements ?? []) + (node.entries ?? []).map(\.value)
            return inner.lazy.compactMap(find).first
        }
        guard let node = find(in: try root(of: file)) else { throw unreadable(file) }
        return node
    }

    /// The values of all `include`; arguments, checked values and expectations may have keys of any name.
    private static func includedNames(in node: YAMLNode) -> [YAMLNode] {
        if let elements = node.elements { return elements.flatMap(includedNames) }
        let entries = node.entries ?? []
        let checksValue = entries.contains { $0.key == "expect" }
        return entries.flatMap { entry -> [YAMLNode] in
            switch entry.key {
            case "with", "expect", "fails": []
            case "check" where checksValue: []
            case "include" where entry.value.scalar != nil: [entry.value]
            default: includedNames(in: entry.value)
            }
        }
    }
}
