/// What must hold after a death of the server, and did not.
package struct Breach: Error, CustomStringConvertible {
    /// What was expected and what is there instead.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a ``Breach`` unless the condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw Breach(otherwise()) }
}
