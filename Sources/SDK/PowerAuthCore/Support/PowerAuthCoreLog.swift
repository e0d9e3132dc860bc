// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Receives the lines of the core's log. Called on the thread that logs.
public typealias PowerAuthCoreLogSink = @Sendable (String) -> Void

private struct LogState {
    var isEnabled = false
    var sink: PowerAuthCoreLogSink?
}

private let logState = Mutex(LogState())

/// Switches the log of the core. It is off by default.
public func PowerAuthCoreLogSetEnabled(_ enabled: Bool) { logState.withLock { $0.isEnabled = enabled } }
/// Whether the log of the core is on.
public func PowerAuthCoreLogIsEnabled() -> Bool { logState.withLock { $0.isEnabled } }

/// Sends the lines of the core's log to `sink` instead of the standard error output.
///
/// The SDK above the core uses it to pass the lines to the application's log delegate.
package func setCoreLogSink(_ sink: PowerAuthCoreLogSink?) { logState.withLock { $0.sink = sink } }

/// Writes one line if the log is on. A line never contains key material or a password.
func coreLog(_ message: @autoclosure () -> String) {
    let state = logState.withLock { $0 }
    guard state.isEnabled else { return }
    if let sink = state.sink {
        sink(message())
    } else {
        FileHandle.standardError.write(Data("[PowerAuthCore] \(message())\n".utf8))
    }
}
