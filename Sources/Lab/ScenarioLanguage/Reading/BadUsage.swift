// SPDX-License-Identifier: Apache-2.0

import LabCore
public import LabFile

/// A command line that cannot be carried out as written: exit code 2.
public struct BadUsage: Error, CustomStringConvertible, Sendable {
    /// The mistake and how to fix it.
    public let description: String

    /// A mistake with a sentence of its own.
    public init(sentence: String) { description = sentence }

    /// A mistake that files can contain, too.
    public init(_ kind: DiagnosticKind) {
        description = [kind.sentence, kind.advice].compactMap(\.self).joined(separator: "; ")
    }
}

/// "; did you mean `word`?", to follow a sentence about a misspelled word; empty if no known word is close.
package func suggestion(for word: String, among known: some Sequence<String>) -> String {
    nearest(word, among: known).map { "; did you mean `\($0)`?" } ?? ""
}
