// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabPoints
package import SimulatedDevice

/// How much a message of the log matters.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The platform's number of the level.
    public let rawValue: UInt8

    /// - Parameter rawValue: the platform's number of the level.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What an investigation needs.
    public static let `default` = OSLogType(rawValue: 0)
    /// What helps to understand an error.
    public static let info = OSLogType(rawValue: 1)
    /// What helps to develop the app.
    public static let debug = OSLogType(rawValue: 2)
    /// Something went wrong in the app.
    public static let error = OSLogType(rawValue: 16)
    /// A defect of the app or of the system.
    public static let fault = OSLogType(rawValue: 17)

    /// The word for it in the lab's trace.
    var word: String {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: "notice"
        }
    }
}

/// A part of the app that writes into the system's log. Thread rule: any thread.
///
/// In an app of the lab a message of any level is the event `log` of its trace, with private values masked. Any other
/// process writes it to standard error.
public final class OSLog: NSObject, Sendable {
    private let subsystem: String
    private let category: String
    private let isOn: Bool
    private let sandbox: Sandbox?

    /// Of no part in particular.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// Writes nothing.
    public static let disabled = OSLog(subsystem: "", category: "", isOn: false, sandbox: nil)

    /// - Parameters:
    ///   - subsystem: the app or library, such as its bundle identifier.
    ///   - category: the part of it.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isOn: true, sandbox: nil)
    }

    /// - Parameters:
    ///   - subsystem: the app or library.
    ///   - category: the part of it.
    ///   - isOn: whether anything is written.
    ///   - sandbox: the app that writes; nil for that of the process, at each message.
    package init(subsystem: String, category: String, isOn: Bool = true, sandbox: Sandbox?) {
        self.subsystem = subsystem
        self.category = category
        self.isOn = isOn
        self.sandbox = sandbox
        super.init()
    }

    /// Whether a message of the level is written: all are, but those of ``disabled``.
    public func isEnabled(type: OSLogType) -> Bool { isOn }

    /// Writes a message whose private values are masked.
    func write(_ text: String, _ type: OSLogType) {
        guard isOn else { return }
        guard let sandbox = sandbox ?? Sandbox.currentIfEntered else {
            let origin = [subsystem, category].filter { !$0.isEmpty }.map { "\($0): " }.joined()
            FileHandle.standardError.write(Data("\(origin)\(type.word): \(text)\n".utf8))
            return
        }
        sandbox.trace(
            .log,
            [
                .logLevel: .text(type.word), .logMessage: .text(text),
                .logSubsystem: subsystem.isEmpty ? nil : .text(subsystem),
                .logCategory: category.isEmpty ? nil : .text(category),
            ])
    }
}

/// Writes messages into the system's log, by their levels. Thread rule: any thread.
public struct Logger: Sendable {
    private let log: OSLog

    /// Of no part in particular.
    public init() { log = .default }

    /// - Parameters:
    ///   - subsystem: the app or library, such as its bundle identifier.
    ///   - category: the part of it.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// - Parameter logObj: the part of the app that writes.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of a level.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
    /// Writes a message of the level ``OSLogType/default``.
    public func log(_ message: OSLogMessage) { log(level: .default, message) }
    /// Writes a message of the level ``OSLogType/debug``.
    public func trace(_ message: OSLogMessage) { log(level: .debug, message) }
    /// Writes a message of the level ``OSLogType/debug``.
    public func debug(_ message: OSLogMessage) { log(level: .debug, message) }
    /// Writes a message of the level ``OSLogType/info``.
    public func info(_ message: OSLogMessage) { log(level: .info, message) }
    /// Writes a message of the level ``OSLogType/default``.
    public func notice(_ message: OSLogMessage) { log(level: .default, message) }
    /// Writes a message of the level ``OSLogType/error``.
    public func warning(_ message: OSLogMessage) { log(level: .error, message) }
    /// Writes a message of the level ``OSLogType/error``.
    public func error(_ message: OSLogMessage) { log(level: .error, message) }
    /// Writes a message of the level ``OSLogType/fault``.
    public func critical(_ message: OSLogMessage) { log(level: .fault, message) }
    /// Writes a message of the level ``OSLogType/fault``.
    public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}
