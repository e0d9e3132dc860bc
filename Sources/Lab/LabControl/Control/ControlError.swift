// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore

/// The names of the lab's own errors, then of those of devices, in the order of the listings; `lab explain` says what
/// each means.
public enum LabErrorName: String, CaseIterable, Sendable {
    case badArgument, badReply, badRequest, cancelled, failed, interrupted, notHere, notJoined, notRunning, peerDied
    case suspended, timedOut, unknownCommand
    /// The name is that of Apple's push service.
    case badDeviceToken = "BadDeviceToken"
    case `internal`, launchFailed, unknownActor, unknownDeviceToken, wrongState
}

/// Why a command failed, in the form that travels: what an `NSError` of an SDK says, or an error of the lab itself.
public struct ControlError: Error, Hashable, Codable, Sendable {
    /// The error domain, e.g. `PowerAuthErrorDomain`; `lab` for errors of the lab itself.
    public var domain: String
    /// The error code within the domain.
    public var code: Int?
    /// The code's name, e.g. `externalPendingOperation`; of an error of the lab or of a device, a ``LabErrorName``.
    public var name: String?
    /// What happened, for people.
    public var message: String
    /// Details.
    public var userInfo: JSONValue?

    /// Makes an error.
    public init(domain: String, code: Int? = nil, name: String? = nil, message: String, userInfo: JSONValue? = nil) {
        self.domain = domain
        self.code = code
        self.name = name
        self.message = message
        self.userInfo = userInfo
    }

    /// Makes an error of the lab itself.
    public init(_ name: LabErrorName, message: String) {
        self.init(domain: Self.labDomain, name: name.rawValue, message: message)
    }

    /// Makes an error in the domain of devices, which apps use as well.
    public static func device(_ name: LabErrorName, _ message: String) -> ControlError {
        ControlError(domain: deviceDomain, name: name.rawValue, message: message)
    }

    /// The domain of the lab's own errors.
    public static let labDomain = "lab"
    /// The domain of the errors of devices.
    private static let deviceDomain = "device"
    /// The domain of requests that had no answer, as the platform calls it.
    public static let urlLoadingDomain = "NSURLErrorDomain"

    /// Which error of the lab or of a device it is; nil for all others, whose domains use some of the names, too.
    public var labError: LabErrorName? {
        [Self.labDomain, Self.deviceDomain].contains(domain) ? name.flatMap(LabErrorName.init(rawValue:)) : nil
    }

    /// Whether a process did not answer the lab in time. An app's request that timed out has the same name in a domain
    /// of its own.
    public var isUnanswered: Bool { labError == .timedOut }

    /// Whether the process died before it answered.
    public var isDeath: Bool { labError == .peerDied }

    /// A command that the receiver does not have.
    public static func unknownCommand(_ command: String, known: [String] = []) -> ControlError {
        let nearest = nearest(command, among: known).map { "; did you mean '\($0)'?" } ?? ""
        return ControlError(.unknownCommand, message: "there is no command '\(command)' here\(nearest)")
    }

    /// Arguments that do not fit the command.
    public static func badArgument(_ message: String) -> ControlError { ControlError(.badArgument, message: message) }

    /// A message that is not a request.
    static func badRequest(_ message: String) -> ControlError { ControlError(.badRequest, message: message) }

    /// An answer that breaks the protocol between the lab and its processes, or does not fit the command.
    public static func badReply(_ message: String) -> ControlError { ControlError(.badReply, message: message) }

    /// Any other failure.
    public static func failed(_ error: any Error) -> ControlError {
        error as? ControlError ?? ControlError(.failed, message: "\(error)")
    }

    /// The error as it travels.
    var json: JSONValue {
        var members: [String: JSONValue] = ["domain": .string(domain), "message": .string(message)]
        members["code"] = code.map { .integer(Int64($0)) }
        members["name"] = name.map { .string($0) }
        members["userInfo"] = userInfo
        return .object(members)
    }

    /// Reads an error; what is missing is left empty.
    init(json: JSONValue) {
        domain = json["domain"]?.stringValue ?? Self.labDomain
        code = json["code"]?.integerValue.flatMap { Int(exactly: $0) }
        name = json["name"]?.stringValue
        message = json["message"]?.stringValue ?? "the process named no reason"
        userInfo = json["userInfo"]
    }
}

extension ControlError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        let label = name ?? code.map { "\(domain) \($0)" } ?? domain
        return "\(label): \(message)"
    }
}
