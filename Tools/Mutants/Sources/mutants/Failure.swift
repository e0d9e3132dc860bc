// SPDX-License-Identifier: Apache-2.0

/// Why the mutants cannot be tried: one or more sentences.
struct Failure: Error, CustomStringConvertible {
    let sentences: [String]

    init(_ sentences: String...) {
        self.sentences = sentences
    }

    init(_ sentences: [String]) {
        self.sentences = sentences
    }

    var description: String { sentences.joined(separator: "\n") }
}
