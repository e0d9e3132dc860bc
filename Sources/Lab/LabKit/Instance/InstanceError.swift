public import Foundation

/// Why something cannot be done with an instance.
public enum InstanceError: Error, Hashable, Sendable {
    /// A Unix socket path must fit 107 bytes.
    case socketPathTooLong(path: String)
    /// A name that cannot be part of a path.
    case invalidName(String)
    /// The directory is not an instance, or the instance has ended.
    case noInstance(path: String)
    /// A file of the instance does not have the expected content.
    case unreadable(path: String, expected: String)
    /// The runtime directory could be read or changed by others.
    case notPrivate(path: String)
    /// The lab's clock was asked to run back.
    case clockBackwards(by: LabDuration)
    /// The lab's clock was asked to go beyond its range.
    case clockTooFar(by: LabDuration)
    /// All slots of the fault table are taken.
    case faultTableFull(slots: Int)
    /// A text of a fault rule does not fit its slot.
    case faultTextTooLong(String, bytes: Int)
    /// Another process answers at the endpoint.
    case endpointTaken(name: String, pid: Int32?)
}

extension InstanceError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .socketPathTooLong(let path):
            """
            the socket path '\(path)' has \(path.utf8.count) bytes and the system allows \
            \(InstanceLayout.maximumSocketPath); set LAB_RUNTIME_DIR to a shorter directory or shorten the name
            """
        case .invalidName(let name):
            "'\(name)' cannot name a part of an instance; use letters, digits, '-', '_' and '.', and begin without '.'"
        case .noInstance(let path):
            "there is no running instance at '\(path)'; start one with `lab up`, or see what runs with `lab ps`"
        case .unreadable(let path, let expected):
            "'\(path)' is not \(expected); it was damaged, or made by another version of the lab"
        case .notPrivate(let path):
            """
            '\(path)' must be a directory that only you can use (owner you, mode 0700); correct that, or set \
            LAB_RUNTIME_DIR to another directory
            """
        case .clockBackwards(let duration):
            "the lab's clock cannot go back (asked for \(duration)); only a device's own skew can be negative"
        case .clockTooFar(let duration):
            "the lab's clock cannot go forward by \(duration); its range ends with the year 2249"
        case .faultTableFull(let slots):
            "all \(slots) fault rules of the instance are in use; disarm some first"
        case .faultTextTooLong(let text, let bytes):
            "'\(text)' is too long for a fault rule, which holds \(bytes) bytes"
        case .endpointTaken(let name, let pid):
            "another process answers as '\(name)'\(pid.map { " (pid \($0))" } ?? ""); end it first"
        }
    }
}
