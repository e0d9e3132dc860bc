// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import Synchronization

/// Receives every message of the SDK's log while the log is enabled (sdk.md, section 4.5).
public protocol PowerAuthLogDelegate: AnyObject {
    /// Takes one message. Called on the thread that logs; must not block.
    func powerAuthLog(_ log: String)
}

/// Switches the log of the SDK and of its core, off by default.
public func PowerAuthLogSetEnabled(_ enabled: Bool) {
    PowerAuthLog.update { $0.isEnabled = enabled }
    setCoreLogSink { line in PowerAuthLog.write(line) }
    PowerAuthCoreLogSetEnabled(enabled)
}

/// True when the log is on.
public func PowerAuthLogIsEnabled() -> Bool { PowerAuthLog.isEnabled }
/// Adds HTTP headers and unencrypted bodies to the log, off by default.
public func PowerAuthLogSetVerbose(_ verbose: Bool) { PowerAuthLog.update { $0.isVerbose = verbose } }
/// True when the log is verbose.
public func PowerAuthLogIsVerbose() -> Bool { PowerAuthLog.isVerbose }

/// Sets the receiver of the messages besides the system log; held strongly.
public func PowerAuthLogSetDelegate(_ delegate: (any PowerAuthLogDelegate)?) {
    let delegate = UncheckedTransfer(delegate)
    PowerAuthLog.update { $0.delegate = delegate.value }
}

/// The log of the SDKs: messages go to the delegate and to standard error.
package enum PowerAuthLog {
    struct Settings {
        var isEnabled = false
        var isVerbose = false
        var delegate: (any PowerAuthLogDelegate)?
    }

    /// Carries the settings, whose delegate is not `Sendable`, into the lock that guards them.
    private struct Guarded: @unchecked Sendable {
        // Safe: reached only inside the mutex below; the delegate is documented to be called from any thread.
        var settings = Settings()
    }

    private static let guarded = Mutex(Guarded())

    package static var isEnabled: Bool { guarded.withLock { $0.settings.isEnabled } }
    package static var isVerbose: Bool { guarded.withLock { $0.settings.isVerbose } }

    static func update(_ change: @Sendable (inout Settings) -> Void) { guarded.withLock { change(&$0.settings) } }

    /// Logs a message; nothing is evaluated while the log is off.
    package static func write(_ message: @autoclosure () -> String) {
        let current = guarded.withLock { Guarded(settings: $0.settings) }.settings
        guard current.isEnabled else { return }
        let text = message()
        current.delegate?.powerAuthLog(text)
        emit("[PowerAuth] " + text)
    }

    /// Logs a warning that cannot be switched off and does not go to the delegate.
    package static func criticalWarning(_ message: String) { emit("[PowerAuth] CRITICAL WARNING: " + message) }

    private static func emit(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
