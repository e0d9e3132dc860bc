import Foundation

/// Puts mutants into the text of a source file.
enum Weaving {
    /// The text in which every mutant stands beside the right code, and the environment chooses.
    static func woven(_ text: String, with mutants: [PlacedMutant]) -> String {
        var woven = text
        // From the end, because a replacement moves everything behind it.
        for placed in mutants.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            woven.replaceSubrange(placed.range, with: placed.mutant.choice)
        }
        return woven + chooser(forFileWith: text)
    }

    /// What chooses; read once, because mutants stand where code is hot.
    private static func chooser(forFileWith text: String) -> String {
        let hasEnvironment = text.contains(/(?m)^(\w+ )?import (Foundation|Glibc)$/)
        return """

            \(hasEnvironment ? "" : "private import Glibc\n")
            private let activeMutant = getenv("LAB_MUTANT").map { String(cString: $0) }

            private func mutantIsOn(_ name: String) -> Bool { activeMutant == name }

            """
    }
}
