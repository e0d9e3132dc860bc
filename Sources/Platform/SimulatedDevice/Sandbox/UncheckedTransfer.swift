// SPDX-License-Identifier: Apache-2.0

/// Hands a value that is not `Sendable` to the thread, queue or task that uses it from then on.
///
/// The compiler does not check this: the sender must not use the value after the transfer, unless no thread changes it.
package struct UncheckedTransfer<Value>: @unchecked Sendable {
    // Sendable is safe: by the rule above, only one thread at a time uses a value that changes; the box never changes.
    package let value: Value

    /// - Parameter value: the value that changes hands.
    package init(_ value: Value) { self.value = value }
}
