public import Foundation

/// Why a command failed, in the form that travels: what an `NSError` of an SDK says, or an error of the lab itself.
public struct ControlError: Error, Hashable, Codable, Sendable {
    /// The error domain, e.g. `PowerAuthErrorDomain`; `lab` for errors of the lab itself.
    public var domain: String
    /// The error code within the domain.
    public var code: Int?
    /// The code's name, e.g. `externalPendingOperation`, or one of the lab's: `invalidConfiguration`,
    /// `unknownCommand`, `badArgument`, `badReply`, `badRequest`, `peerDied`, `timedOut`, `interrupted`, `failed`.
    public var name: String?
    /// What happened, for people.
    public var message: String
    /// Details.
    public var userInfo: JSONValue?

    /// Makes an error.
    public init(
        domain: String = ControlError.labDomain, code: Int? = nil, name: String? = nil, message: String,
        userInfo: JSONValue? = nil
    ) {
        self.domain = domain
        self.code = code
        self.name = name
        self.message = message
        self.userInfo = userInfo
    }

    /// The domain of the lab's own errors.
    public static let labDomain = "lab"
    /// The domain of requests that had no answer, as the platform calls it.
    public static let urlLoadingDomain = "NSURLErrorDomain"

    /// Whether a process did not answer the lab in time. An app's request that timed out has the same name in a domain
    /// of its own.
    public var isUnanswered: Bool { domain == Self.labDomain && name == "timedOut" }

    /// Whether the process died before it answered.
    public var isDeath: Bool { domain == Self.labDomain && name == "peerDied" }

    /// A command that the receiver does not have.
    public static func unknownCommand(_ command: String, known: [String] = []) -> ControlError {
        let nearest = nearest(command, among: known).map { "; did you mean '\($0)'?" } ?? ""
        return ControlError(name: "unknownCommand", message: "there is no command '\(command)' here\(nearest)")
    }

    /// Arguments that do not fit the command.
    public static func badArgument(_ message: String) -> ControlError {
        ControlError(name: "badArgument", message: message)
    }

    /// A message that is not a request.
    static func badRequest(_ message: String) -> ControlError {
        ControlError(name: "badRequest", message: message)
    }

    /// An answer that breaks the protocol between the lab and its processes, or does not fit the command.
    public static func badReply(_ message: String) -> ControlError {
        ControlError(name: "badReply", message: message)
    }

    /// Any other failure.
    public static func failed(_ error: any Error) -> ControlError {
        error as? ControlError ?? ControlError(name: "failed", message: "\(error)")
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
