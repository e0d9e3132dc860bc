// SPDX-License-Identifier: Apache-2.0

/// A violated rule after a death of the server.
package struct Breach: Error, CustomStringConvertible {
    /// The expected and the actual state.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a ``Breach`` unless the condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw Breach(otherwise()) }
}
