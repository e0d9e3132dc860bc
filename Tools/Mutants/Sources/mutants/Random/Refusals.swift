// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The mistakes that did not compile, remembered from run to run: to find them takes a build for each few of them.
struct Refusals {
    /// A line for each mistake.
    let file: URL

    /// Whether a mistake is one of them.
    func contains(_ mutant: DrawnMutant) -> Bool { known.contains(Self.line(mutant)) }

    /// Adds mistakes.
    func add(_ mutants: [DrawnMutant]) throws {
        let lines = known.union(mutants.map(Self.line)).sorted()
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
    }

    private var known: Set<String> {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init))
    }

    /// The same mistake in the same text.
    private static func line(_ mutant: DrawnMutant) -> String {
        "\(mutant.file) \(mutant.change)".replacing("\n", with: "\\n")
    }
}
