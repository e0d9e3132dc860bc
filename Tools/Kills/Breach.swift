// SPDX-License-Identifier: Apache-2.0

/// A violated rule after a death.
package struct Breach: Error, CustomStringConvertible {
    /// What is wrong, or was expected.
    package let description: String

    init(_ description: String) { self.description = description }

    /// - Parameter expected: What was expected, as a sentence without its end.
    init(expected: String) { self.init("expected: \(expected)") }
}

/// Throws a ``Breach`` unless the condition holds.
func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    guard condition else { throw Breach(expected: expected()) }
}

/// Throws a ``Breach`` with what is wrong unless the condition holds.
func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw Breach(otherwise()) }
}
