// SPDX-License-Identifier: Apache-2.0

/// A violated rule after a death.
struct Breach: Error, CustomStringConvertible {
    /// What was expected, as a sentence without its end.
    let expected: String

    init(_ expected: String) {
        self.expected = expected
    }

    var description: String { "expected: \(expected)" }
}

/// Throws a ``Breach`` unless the condition holds.
func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    guard condition else { throw Breach(expected()) }
}
