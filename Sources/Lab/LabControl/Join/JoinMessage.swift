// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabPoints

/// What the runners of two joined labs say to each other (docs/two-hosts.md).
public enum JoinMessage: Codable, Sendable {
    // From the guest.

    /// The first word on every connection.
    case hello(JoinHello)
    /// Asks what the owner's clocks show, to learn how far they are from those here; with the own monotonic time.
    case measure(sent: UInt64)
    /// The instance is there, and can take states.
    case ready
    /// A state was taken over; the guest's clock is ahead by so many nanoseconds of lab time.
    case settled(number: UInt64, lead: Int64)
    /// The answer to a command.
    case reply(JoinReply)
    /// Something was written into a trace: an object as in trace files, with the owner's monotonic time.
    case event(JSONValue)

    // From the owner.

    /// The guest may take part.
    case welcome(JoinWelcome)
    /// The guest cannot take part, because of what the sentence says.
    case refused(String)
    /// What the owner's clocks showed when a `measure` arrived, in nanoseconds.
    case measured(sent: UInt64, real: Int64, monotonic: UInt64)
    /// What the guest has to follow.
    case state(JoinState)
    /// A command for an actor of the guest.
    case call(JoinCall)

    // From both.

    /// Bytes of a connection between an app of the guest and the owner's server; the first ones open it.
    case stream(id: UInt64, data: Data)
    /// The end of such a connection.
    case streamEnd(id: UInt64)
    /// Nothing more comes. The other side answers with the same word.
    case bye(String)
    /// Says nothing; finds out whether the other side can be reached.
    case probe
}

/// Who wants to join.
public struct JoinHello: Codable, Sendable {
    /// The version of these messages.
    public var version: Int
    /// The joining instance's id; nil before it has been made.
    public var instance: String?
    /// The devices that it plays; empty for all that the owner does not play.
    public var devices: [String]

    /// The version that this program speaks.
    public static let currentVersion = 1

    /// A greeting of this program.
    public init(instance: String?, devices: [String]) {
        version = Self.currentVersion
        self.instance = instance
        self.devices = devices
    }
}

/// What a guest needs to know before it makes its instance.
public struct JoinWelcome: Codable, Sendable {
    /// The owner's instance.
    public var instance: String
    /// The resolved topology of both.
    public var topology: Topology
    /// The seed of both.
    public var seed: UInt64
    /// The devices that the guest plays.
    public var devices: [String]
    /// What the owner's server has reported.
    public var server: ServerReady
    /// See ``HostAssignment/bootsBefore``.
    public var bootsBefore: UInt64
    /// The lab's certificate authority, as PEM, when the server uses TLS.
    public var authority: String?

    /// Makes a welcome.
    public init(
        instance: String, topology: Topology, seed: UInt64, devices: [String], server: ServerReady, authority: String?,
        bootsBefore: UInt64
    ) {
        self.bootsBefore = bootsBefore
        self.instance = instance
        self.topology = topology
        self.seed = seed
        self.devices = devices
        self.server = server
        self.authority = authority
    }
}

/// What a guest follows, complete each time.
public struct JoinState: Codable, Sendable {
    /// Counts the states.
    public var number: UInt64
    /// How the owner's clock is set, on the owner's machine.
    public var clock: ClockSetting
    /// The faults that are armed for processes of the guest.
    public var faults: [JoinFault]
    /// How the guest's watches reach their phones: the members of the invitation, by the names of the links.
    public var invitations: [String: JSONValue]

    /// Makes a state.
    public init(number: UInt64, clock: ClockSetting, faults: [JoinFault], invitations: [String: JSONValue]) {
        self.number = number
        self.clock = clock
        self.faults = faults
        self.invitations = invitations
    }
}

/// A fault that is armed for a process of a guest, in the words of the command that arms it.
public struct JoinFault: Codable, Sendable {
    /// The owner's number of the arming.
    public var id: UInt32
    var point: String
    var process: String
    var action: FaultActionWord
    var delayNanoseconds: Int64
    var error: String
    var subject: String?
    var pass: Int
    /// How many firings are left; 0 for no limit.
    var limit: Int

    /// Describes an armed fault that has not fired for the last time.
    public init(_ armed: FaultTable.Armed) {
        let rule = armed.rule
        (id, point, process, pass) = (armed.id, rule.point.rawValue, rule.process, rule.pass)
        (action, delayNanoseconds, error, subject) = (rule.action.word, 0, "", rule.subject)
        switch rule.action {
        case .kill: break
        case .delay(let duration): delayNanoseconds = duration.nanoseconds
        case .fail(let name): error = name
        }
        limit = rule.limit == 0 ? 0 : max(1, rule.limit - armed.fired)
    }

    /// The rule; nil when this program does not know the point.
    public var rule: FaultRule? {
        guard let point = FaultPoint(rawValue: point) else { return nil }
        let action: FaultRule.Action =
            switch action {
            case .kill: .kill
            case .delay: .delay(LabDuration(nanoseconds: delayNanoseconds))
            case .fail: .fail(error)
            }
        return FaultRule(point: point, process: process, action: action, subject: subject, pass: pass, limit: limit)
    }
}

/// A command on its way to an actor of a guest.
public struct JoinCall: Codable, Sendable {
    /// Ties the reply to the call.
    public var id: UInt64
    /// The app, the device or the link that the command is about.
    public var actor: String
    /// The command's name in the vocabulary.
    public var command: String
    /// Its arguments.
    public var arguments: JSONValue
    /// The operation that it belongs to.
    public var operation: String?

    /// Makes a call of a request.
    public init(id: UInt64, actor: String, request: ControlRequest) {
        self.id = id
        self.actor = actor
        command = request.command
        arguments = request.arguments
        operation = request.operation
    }
}

/// The outcome of a command.
public struct JoinReply: Codable, Sendable {
    /// The id of the call.
    public var id: UInt64
    /// The result of a command that has succeeded.
    public var result: JSONValue?
    /// Why it has failed.
    public var error: ControlError?
    /// How long the process worked on it, in nanoseconds.
    public var handling: UInt64?

    /// Makes a reply.
    public init(id: UInt64, _ outcome: Result<JSONValue, ControlError>, handling: UInt64?) {
        self.id = id
        self.handling = handling
        switch outcome {
        case .success(let value): result = value
        case .failure(let failure): error = failure
        }
    }

    /// The outcome.
    public var outcome: Result<JSONValue, ControlError> {
        if let error { .failure(error) } else { .success(result ?? .null) }
    }
}
