// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// Mistakes that change nothing a test could see, each judged by a person.
struct Equivalents {
    /// One of `Tools/Mutants/Random/equivalent.yaml`.
    private struct Entry: Decodable {
        let file: String
        /// The line on which the mistake begins, without the blanks around it: it finds its place again when lines move.
        let line: String
        /// The code in place of the right one, as the report shows it.
        let mutant: String
        let reason: String
    }

    private let entries: [Entry]

    init(root: URL) throws {
        let page = root.appending(path: "Tools/Mutants/Random/equivalent.yaml")
        entries = try YAMLDecoder().decode([Entry].self, from: String(contentsOf: page, encoding: .utf8))
    }

    /// Why a mutant is no mistake; nil when it counts.
    ///
    /// - Parameter text: the file that it is in.
    func reason(for mutant: DrawnMutant, text: String) -> String? {
        let line = text.split(separator: "\n", omittingEmptySubsequences: false)[mutant.line - 1]
            .trimmingCharacters(in: .whitespaces)
        return entries.first {
            $0.file == mutant.file && $0.line == line && $0.mutant == mutant.change.edits[0].mutant
        }?.reason
    }
}
