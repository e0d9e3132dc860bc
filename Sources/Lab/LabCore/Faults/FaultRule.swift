// SPDX-License-Identifier: Apache-2.0

public import LabPoints
import LabSystem

/// What shall happen at a fault point.
public struct FaultRule: Hashable, Sendable {
    /// The injected fault.
    public enum Action: Hashable, Sendable {
        /// The process gets SIGKILL.
        case kill
        /// The passing thread is held for a real time.
        case delay(LabDuration)
        /// The passing code fails with an error, see `InjectedFault.error`: an errno name such as `ENOSPC`, or
        /// `unavailable`.
        case fail(String)

        /// The action as scenarios and command lines spell it.
        public var word: FaultActionWord {
            switch self {
            case .kill: .kill
            case .delay: .delay
            case .fail: .fail
            }
        }
    }

    /// Where.
    public var point: FaultPoint
    /// In which process: the actor name, e.g. `main`.
    public var process: String
    /// What happens.
    public var action: Action
    /// Which passes the rule is about: those whose subject is this text, or ends with it after a `/`; nil means all.
    public var subject: String?
    /// At which of these passes, counted from 1 in each incarnation of the process, from the arming or the process's start,
    /// whichever is later.
    public var pass: Int
    /// How often the rule fires in all, over all incarnations; 0 means without end, then at every pass from `pass` on.
    public var limit: Int

    /// Makes a rule.
    public init(
        point: FaultPoint, process: String, action: Action, subject: String? = nil, pass: Int = 1, limit: Int = 1
    ) {
        self.point = point
        self.process = process
        self.action = action
        self.subject = subject
        self.pass = pass
        self.limit = limit
    }

    /// Whether a pass about `subject` is one that the rule counts.
    func isAbout(_ subject: String) -> Bool {
        guard let wanted = self.subject else { return true }
        return subject == wanted || subject.hasSuffix("/" + wanted)
    }

    /// The errors `.fail` knows: errno names and `unavailable`.
    public static var errors: [String] { Errno.names + ["unavailable"] }
}

/// The error that code at a fault point fails with.
public struct InjectedFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where.
    public let point: FaultPoint
    /// The errno name the rule asks for, e.g. `ENOSPC`, or `unavailable`.
    public let error: String

    /// Makes an injected error.
    public init(point: FaultPoint, error: String) {
        self.point = point
        self.error = error
    }

    /// The error number; nil for `unavailable`.
    public var errno: Int32? { Errno.number(named: error) }

    public var description: String { "injected fault at \(point): \(error)" }
}
