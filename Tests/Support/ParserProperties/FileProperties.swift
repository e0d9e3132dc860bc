// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile

extension ParserProperty {
    /// The files that people write for the lab.
    static let files: [ParserProperty] = [
        ParserProperty("yaml", examples: [scenario.bytes]) { data in
            let file = SourceFile(path: "input.yaml", text: data.text)
            let collector = DiagnosticCollector()
            let formatted: String?
            do {
                formatted = try YAMLFormatter.format(file, reporting: collector)
            } catch {
                throw Violation(rule: "what can be parsed can be formatted: \(error)", input: data)
            }
            guard let formatted else {
                return try require(collector.count > 0, "a text that is refused is complained about", data)
            }
            let again = try? YAMLFormatter.format(
                SourceFile(path: "formatted.yaml", text: formatted), reporting: collector)
            try require(again == formatted, "what is formatted stays as it is", data)
        }
    ]

    private static let scenario = """
        # Comment
        name:  "A \\"b\\" \\
          c"
        values: &v { a: [1,'it''s' ], ? b : !!str c } # beside

        steps:
        - main: kill
          note: >-
              folded

            text
        -   - *v
            - plain text
              that goes on
        """
}
