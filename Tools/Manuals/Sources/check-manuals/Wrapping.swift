// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A block as a source file of its own.
struct WrappedBlock {
    let source: String
    /// The corrected mistakes of the manual.
    let corrections: [String]
}

extension Manual {
    /// Puts a block where it can be compiled: declarations at the file's top level, statements into a method of
    /// `Surroundings`, so that the names they take for granted are found there.
    ///
    /// The file contains the manual's line numbers, so that the compiler's errors refer to the manual.
    func wrapped(_ block: Block) -> WrappedBlock {
        let (text, corrections) = Correction.correct(block.lines.joined(separator: "\n"))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var imports = Set(self.imports.map { "import \($0)" })
        for (index, line) in lines.enumerated() where line.trimmingCharacters(in: .whitespaces).hasPrefix("import ") {
            imports.insert(line.trimmingCharacters(in: .whitespaces))
            // The line stays, so that the numbers of the others do not change.
            lines[index] = ""
        }
        let body =
            ["#sourceLocation(file: \"\(fileName)\", line: \(block.firstLine))"] + lines + ["#sourceLocation()"]
        // The outline of a class of the SDK must not stand in the way of the class itself.
        let isOutline = corrections.contains(Correction.outline.reason)
        let wrapped =
            Self.areDeclarations(lines)
            ? isOutline ? ["enum Block\(block.number) {"] + body + ["}"] : body
            : ["extension Surroundings {", "func block\(block.number)() throws {"] + body + ["}", "}"]
        return WrappedBlock(
            source: (imports.sorted() + wrapped).joined(separator: "\n") + "\n", corrections: corrections)
    }

    /// True when every line of the outermost level begins a declaration or ends one.
    private static func areDeclarations(_ lines: [String]) -> Bool {
        let indentation =
            lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix(while: \.isWhitespace).count }.min() ?? 0
        let outermost = lines.map { $0.dropFirst(indentation) }.filter { $0.first?.isWhitespace == false }
            .filter { !$0.hasPrefix("//") && !$0.hasPrefix("}") }
        return !outermost.isEmpty
            && outermost.allSatisfy {
                $0.contains(/^((private|public) )?(func|class|struct|enum|extension|protocol)\b/)
            }
    }
}
