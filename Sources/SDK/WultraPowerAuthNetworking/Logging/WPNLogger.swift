// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import Synchronization

/// How important a message of the log is (networking.md, section 11.2).
public enum WPNLogLevel: Sendable {
    /// Details, among them the bodies of requests and answers.
    case debug
    /// What happens.
    case info
    /// Something to look at.
    case warning
    /// Something failed.
    case error

    fileprivate var name: String { "\(self)".uppercased() }

    /// The least verbose setting that lets the message through.
    fileprivate var required: WPNLogger.VerboseLevel {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warnings
        case .error: .errors
        }
    }
}

/// Takes the messages of the log besides the console.
public protocol WPNLoggerDelegate: AnyObject {
    /// True to get only what ``WPNLogger/verboseLevel-swift.type.property`` lets through, false to get everything.
    var wpnFollowVerboseLevel: Bool { get }

    /// Takes one message. Called on the thread that logs; must not block.
    func wpnLog(message: String, logLevel: WPNLogLevel)
}

/// The log of the library, on the standard error of the process. Thread rule: any thread.
public enum WPNLogger {
    /// How much is logged.
    public enum VerboseLevel: Int, Sendable {
        /// Nothing.
        case off = 0
        /// Errors.
        case errors = 1
        /// Errors and warnings.
        case warnings = 2
        /// What happens besides.
        case info = 3
        /// Everything, among it the bodies of requests and answers.
        case debug = 4

        /// The name of ``debug`` up to version 1.3.
        public static var all: VerboseLevel { .debug }
    }

    private struct Settings {
        weak var delegate: (any WPNLoggerDelegate)?
        var verboseLevel = VerboseLevel.warnings
        var logHttpTraffic = true
        var characterLimit: Int? = 12_000
    }

    /// Carries the settings, whose delegate is not `Sendable`, into the lock that guards them.
    private struct Guarded: @unchecked Sendable {
        // Safe: reached only inside the mutex below; the delegate is documented to be called from any thread.
        var settings = Settings()
    }

    private static let guarded = Mutex(Guarded())

    /// Takes the messages too; held weakly.
    public static var delegate: (any WPNLoggerDelegate)? {
        get { current.delegate }
        set {
            let delegate = UncheckedTransfer(newValue)
            guarded.withLock { $0.settings.delegate = delegate.value }
        }
    }

    /// How much is logged; errors and warnings by default.
    public static var verboseLevel: VerboseLevel {
        get { current.verboseLevel }
        set { guarded.withLock { $0.settings.verboseLevel = newValue } }
    }

    /// Whether requests and answers are logged, their headers and bodies included; true by default.
    public static var logHttpTraffic: Bool {
        get { current.logHttpTraffic }
        set { guarded.withLock { $0.settings.logHttpTraffic = newValue } }
    }

    /// How many characters of a message are logged; 12,000 by default, nil for all.
    public static var characterLimit: Int? {
        get { current.characterLimit }
        set { guarded.withLock { $0.settings.characterLimit = newValue } }
    }

    /// Headers that are not logged. Those that authenticate the sender are never logged, listed or not.
    public static let httpHeadersToSkip = HeaderBlockList()

    private static var current: Settings { guarded.withLock { Guarded(settings: $0.settings) }.settings }

    static func debug(_ message: @autoclosure () -> String) { log(.debug, message) }
    static func info(_ message: @autoclosure () -> String) { log(.info, message) }
    static func warning(_ message: @autoclosure () -> String) { log(.warning, message) }
    static func error(_ message: @autoclosure () -> String) { log(.error, message) }

    /// Logs a message, which is made only if it is taken.
    private static func log(_ level: WPNLogLevel, _ message: () -> String) {
        let settings = current
        let isAllowed = level.required.rawValue <= settings.verboseLevel.rawValue
        let delegate = settings.delegate.flatMap { isAllowed || !$0.wpnFollowVerboseLevel ? $0 : nil }
        guard isAllowed || delegate != nil else { return }
        var text = message()
        if let limit = settings.characterLimit { text = String(text.prefix(limit)) }
        if isAllowed { FileHandle.standardError.write(Data("[WPN:\(level.name)] \(text)\n".utf8)) }
        delegate?.wpnLog(message: text, logLevel: level)
    }
}
