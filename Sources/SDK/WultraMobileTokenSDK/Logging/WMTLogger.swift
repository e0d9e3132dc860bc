// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// How important a message of the log is (mobile-token.md, section 15).
public enum WMTLogLevel: String, Sendable {
    /// What helps to develop.
    case debug = "DEBUG"
    /// What happens.
    case info = "INFO"
    /// Unusual events that were tolerated.
    case warning = "WARNING"
    /// What failed.
    case error = "ERROR"

    var requiredLevel: WMTLogger.VerboseLevel {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warnings
        case .error: .errors
        }
    }
}

/// Receives the messages of the log. Called on the thread that logs; must not block.
public protocol WMTLoggerDelegate: AnyObject {
    /// True to receive only printed messages; false to receive all.
    var wmtFollowVerboseLevel: Bool { get }

    /// Takes one message.
    func wmtLog(message: String, logLevel: WMTLogLevel)
}

/// The log of the Mobile Token SDK, on the standard error of the process (mobile-token.md, section 15). HTTP traffic is
/// logged by the networking library.
///
/// Thread rule: any thread.
public enum WMTLogger {
    /// What is printed.
    public enum VerboseLevel: Int, Sendable {
        /// Nothing.
        case off = 0
        /// Errors.
        case errors = 1
        /// Errors and warnings.
        case warnings = 2
        /// Everything but what helps to develop.
        case info = 3
        /// Everything.
        case debug = 4
    }

    private struct Settings: @unchecked Sendable {
        // Safe: reached only inside the mutex below; the delegate is documented to be called on any thread.
        var level = VerboseLevel.warnings
        weak var delegate: (any WMTLoggerDelegate)?
    }

    private static let settings = Mutex(Settings())

    /// What is printed; warnings and errors unless changed.
    public static var verboseLevel: VerboseLevel {
        get { settings.withLock { $0.level } }
        set { settings.withLock { $0.level = newValue } }
    }

    /// Receives the messages too; held weakly.
    public static var delegate: (any WMTLoggerDelegate)? {
        get { settings.withLock { $0 }.delegate }
        set {
            let new = Settings(delegate: newValue)
            settings.withLock { $0.delegate = new.delegate }
        }
    }

    static func debug(_ message: @autoclosure () -> String) { write(.debug, message) }
    static func info(_ message: @autoclosure () -> String) { write(.info, message) }
    static func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
    static func error(_ message: @autoclosure () -> String) { write(.error, message) }

    /// The message is not evaluated if nothing takes it.
    private static func write(_ level: WMTLogLevel, _ message: () -> String) {
        let current = settings.withLock { $0 }
        let isPrinted = current.level.rawValue >= level.requiredLevel.rawValue
        let delegate = current.delegate.flatMap { isPrinted || !$0.wmtFollowVerboseLevel ? $0 : nil }
        guard isPrinted || delegate != nil else { return }
        let text = message()
        if isPrinted { FileHandle.standardError.write(Data("[WMT:\(level.rawValue)] \(text)\n".utf8)) }
        delegate?.wmtLog(message: text, logLevel: level)
    }
}
