// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraMobileTokenSDK
import WultraPowerAuthNetworking
import os.log

/// Brings the logs of the SDKs into that of the app.
public final class SDKLog {
    public static let shared = SDKLog()

    private let log = OSLog(subsystem: "com.example.mobilebank", category: "sdk")
    public private(set) var messages = 0

    public func install(isVerbose: Bool) {
        WPNLogger.verboseLevel = isVerbose ? .debug : .warnings
        WPNLogger.characterLimit = 2_000
        WPNLogger.logHttpTraffic = isVerbose
        WPNLogger.delegate = self
        WMTLogger.verboseLevel = isVerbose ? .debug : .warnings
        WMTLogger.delegate = self
        PowerAuthLogSetEnabled(isVerbose)
    }

    private func write(_ message: String, _ type: OSLogType) {
        messages += 1
        os_log("%{private}@", log: log, type: type, message)
    }
}

extension SDKLog: WPNLoggerDelegate {
    public var wpnFollowVerboseLevel: Bool { true }

    public func wpnLog(message: String, logLevel: WPNLogLevel) {
        switch logLevel {
        case .debug: write(message, .debug)
        case .info: write(message, .info)
        case .warning: write(message, .default)
        case .error: write(message, .error)
        }
    }
}

extension SDKLog: WMTLoggerDelegate {
    public var wmtFollowVerboseLevel: Bool { true }

    public func wmtLog(message: String, logLevel: WMTLogLevel) {
        write("\(logLevel.rawValue): \(message)", logLevel == .error ? .error : .info)
    }
}
