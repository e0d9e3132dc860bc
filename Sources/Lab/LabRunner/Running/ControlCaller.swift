import LabKit
import LabSystem
import Synchronization

/// Sends commands to actors and returns their answers.
///
/// Thread rule: any thread. Every call may block.
struct ControlCaller: Sendable {
    /// The answer to a command, and the time of the work on it.
    struct Outcome {
        enum Answer {
            case result(JSONValue)
            case error(ControlError)

            init(_ outcome: Result<JSONValue, ControlError>) {
                switch outcome {
                case .success(let value): self = .result(value)
                case .failure(let error): self = .error(error)
                }
            }
        }

        let answer: Answer
        /// Nil for commands that the runner carries out itself, and without an answer.
        let interval: HandlingInterval?

        /// The error, if it failed.
        var error: ControlError? { if case .error(let error) = answer { error } else { nil } }

        /// Time added to the peer's own work, in nanoseconds.
        var overhead: UInt64? {
            interval.map { $0.received - $0.sent - min($0.handling, $0.received - $0.sent) }
        }
    }

    let instance: InstanceConnection

    /// Makes the connection to a target before it is needed.
    func connect(to target: Target) {
        guard case .endpoint(let endpoint, _) = instance.route(of: target) else { return }
        if case .peer = endpoint { _ = try? instance.findProcess(of: target.actor) }
        // Only the processes of apps are kept; another one, also that for an app of another host, holds its endpoint.
        guard let process = instance.watch(of: endpoint) ?? instance.process(of: endpoint),
            !ProcessTable.isStopped(process.pid)
        else { return }
        _ = try? instance.clients[endpoint].call(
            ControlRequest(command: "ping"), timeout: .seconds(1).stretched, watching: process)
    }

    /// Sends a command.
    ///
    /// - Parameters:
    ///   - target: The actor.
    ///   - command: The command's name.
    ///   - arguments: An object.
    ///   - operation: The operation's name in traces: the step's number.
    ///   - timeout: Real time after which the answer counts as missing.
    /// - Throws: if the lab itself fails.
    func call(
        _ target: Target, command: String, arguments: JSONValue, operation: String?,
        timeout: LabDuration = ControlClient.patience
    ) throws -> Outcome {
        let outcome = try answer(
            of: target, to: command, arguments: arguments, operation: operation, timeout: timeout)
        let topology = instance.manifest.topology
        instance.expect(WantedEnd.of(command, to: target, error: outcome.error, in: topology))
        return outcome
    }

    private func answer(
        of target: Target, to command: String, arguments: JSONValue, operation: String?, timeout: LabDuration
    ) throws -> Outcome {
        if let refusal = instance.refusal(of: target) { return Outcome(answer: .error(refusal), interval: nil) }
        guard case .endpoint(let endpoint, let about) = instance.route(of: target) else {
            let request = ControlRequest(
                command: command, arguments: arguments, actor: target.actor, operation: operation)
            let outcome = InstanceCommands.perform(request, of: target.kind, on: instance)
            if target.kind == .clock || target.kind == .faults { instance.settleGuest() }
            return Outcome(answer: Outcome.Answer(outcome), interval: nil)
        }
        let request = ControlRequest(command: command, arguments: arguments, actor: about, operation: operation)
        do {
            if case .peer = endpoint { try checkRunning(target.actor) }
            let sent = MonotonicClock.nanoseconds()
            let reply = try instance.ask(endpoint, request, timeout: timeout)
            let received = MonotonicClock.nanoseconds()
            let interval = HandlingInterval(
                sent: sent, received: received, handling: reply.handlingNanoseconds ?? 0, actor: target.actor,
                operation: operation ?? "")
            if let error = reply.error { return Outcome(answer: .error(error), interval: interval) }
            if target.kind == .link, [LinkUp.name, LinkDown.name].contains(command) {
                LinkSettling(instance: instance).wait(for: target.actor, toBe: command == LinkUp.name)
            }
            let result = reply.result ?? .null
            if let breach = Self.breach(of: target, command, by: result) {
                return Outcome(answer: .error(breach), interval: interval)
            }
            return Outcome(answer: .result(result), interval: interval)
        } catch let error as ControlError {
            if error.isDeath, case .peer = endpoint { letDeviceNotice(theEndOf: target.actor) }
            return Outcome(answer: .error(error), interval: nil)
        }
    }

    /// Maximum real time for an app to be gone after it has closed its connections, and for its device to notice.
    private static let dyingTime = LabDuration.milliseconds(500).stretched

    /// Waits until an app is gone and its device has recorded that, so that the next step, and the check at the end of
    /// this one, find the app ended. A device looks for ends before it answers.
    private func letDeviceNotice(theEndOf app: String) {
        guard let (device, _) = instance.manifest.topology.app(named: app),
            let process = instance.watch(of: .peer(app)),
            (try? process.waitForExit(timeoutNanoseconds: Self.dyingTime.nanoseconds)) == true
        else { return }
        _ = try? instance.processes(of: device.name, timeout: Self.dyingTime)
    }

    /// The problem with the answer of a user's own program, which may be written in any language.
    private static func breach(of target: Target, _ command: String, by result: JSONValue) -> ControlError? {
        guard let declared = target.own?.commands.first(where: { $0.name == command })?.result,
            !declared.admits(result)
        else { return nil }
        // The value is not shown: it may be a secret.
        return .badReply(
            "the answer of `\(target.actor)` to `\(command)` is not what its vocabulary says: \(declared.title)")
    }

    /// Rejects calls to an app that cannot answer.
    private func checkRunning(_ app: String) throws {
        guard try instance.findProcess(of: app) else {
            throw ControlError(.notRunning, message: "`\(app)` does not run; write `\(app): launch` before")
        }
        guard let process = instance.watch(of: .peer(app)), ProcessTable.isStopped(process.pid) else { return }
        // It would answer once resumed; waiting for that is up to the scenario.
        throw ControlError(
            .suspended, message: "`\(app)` is suspended and answers nothing; write `\(app): resume` before")
    }
}

/// The control connections of an instance, one per endpoint, made when first needed.
///
/// Thread rule: any thread.
final class ControlClients: Sendable {
    private let layout: InstanceLayout
    private let clients = Mutex<[InstanceEndpoint: ControlClient]>([:])

    init(_ layout: InstanceLayout) {
        self.layout = layout
    }

    subscript(endpoint: InstanceEndpoint) -> ControlClient {
        get throws {
            try clients.withLock { clients in
                if let client = clients[endpoint] { return client }
                let client = try ControlClient(layout, endpoint)
                clients[endpoint] = client
                return client
            }
        }
    }

    /// Ends all pending calls.
    func interrupt() {
        for client in clients.withLock({ Array($0.values) }) { client.interrupt() }
    }
}

extension ControlError {
    /// The spelling of an error's `code` in expectations.
    enum CodeForm {
        case name
        case number
    }

    /// The error in the form of expectations: `code`, `domain`, `message`, and the members of userInfo beside them.
    func matchable(code form: CodeForm) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if case .object(let info)? = userInfo { members = info }
        members["domain"] = .string(domain)
        members["message"] = .string(message)
        let number = code.map { JSONValue.integer(Int64($0)) }
        let name = self.name.map(JSONValue.string)
        members["code"] = (form == .name ? name ?? number : number ?? name) ?? .null
        return .object(members)
    }

    /// The error in a sentence.
    var text: String {
        let code = [name, self.code.map(String.init)].compactMap(\.self).joined(separator: " ")
        return "\(code.isEmpty ? domain : "\(code) (\(domain))"): \(message)"
    }
}
