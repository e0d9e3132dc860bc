// SPDX-License-Identifier: Apache-2.0

import Foundation

// `os_log` in its older form, with a format and values, and in its newer one, with a message. Values are of any type: on
// Linux a text is no value of a format. Thread rule: any thread.

/// Writes a message into the system's log.
/// - Parameters:
///   - message: the format; `%{public}@` shows a text or an object that is private otherwise, and `%{private}d` masks a
///     number.
///   - log: the part of the app that writes.
///   - type: the level.
///   - args: the values, one for each place of the format.
public func os_log(
    _ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ args: Any...
) {
    log.write(LogFormat.text(message.description, args), type)
}

/// Writes a message into the system's log; as ``os_log(_:log:type:_:)``.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ args: Any...) {
    log.write(LogFormat.text(message.description, args), type)
}

/// Writes a message into the system's log.
/// - Parameters:
///   - type: the level.
///   - log: the part of the app that writes.
///   - message: the text with its values.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(message.text, type)
}

/// Writes a message of the level ``OSLogType/default`` into the system's log.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

/// The format of `os_log`.
enum LogFormat {
    /// The text of a format with its values. A value that does not fit the conversion of its place is shown by its own
    /// description, and a place without a value stays as it is.
    static func text(_ format: String, _ values: [Any]) -> String {
        var rest = values[...]
        return format.replacing(#/%(?:\{([^}]*)\})?([-+ #0-9.]*)(?:hh|h|ll|l|q|L|z|t|j)?([@diuxXofeEgGaAcsSp%])/#) {
            place in
            if place.3 == "%" { return "%" }
            guard let value = rest.popFirst() else { return String(place.0) }
            let isPlain = !["@", "s", "S", "p"].contains(place.3)
            return privacy(place.1 ?? "").shown(written(value, String(place.2), String(place.3)), isPlain: isPlain)
        }
    }

    private static func privacy(_ options: Substring) -> OSLogPrivacy {
        let words = options.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let mask: OSLogPrivacy.Mask = words.contains("mask.hash") ? .hash : .none
        if words.contains("public") { return .public }
        return words.contains("private") || words.contains("sensitive") ? .private(mask: mask) : .auto(mask: mask)
    }

    private static func written(_ value: Any, _ flags: String, _ conversion: String) -> String {
        if "diuxXo".contains(conversion), let number = value as? any BinaryInteger {
            let isSigned = "di".contains(conversion)
            let bits: any CVarArg =
                isSigned ? Int64(truncatingIfNeeded: number) : UInt64(truncatingIfNeeded: number)
            return String(format: "%\(flags)ll\(conversion)", bits)
        }
        if "feEgGaA".contains(conversion), let number = value as? any BinaryFloatingPoint {
            return String(format: "%\(flags)\(conversion)", Double(number))
        }
        return String(describing: value)
    }
}
