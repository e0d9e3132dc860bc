// SPDX-License-Identifier: Apache-2.0

package import LabControl
package import LabCore
import LabFile
import LabSystem
package import LabVocabulary
package import ScenarioLanguage

/// Gives commands to the actors of an instance, and does what a command means beside its answer: it notes which
/// processes were launched and which may end, and for the step of a record it masks secrets and writes the history.
///
/// Thread rule: any thread. Every call may block.
package struct ActorSession: Sendable {
    /// The answer to a command, and the time of the work on it.
    package struct Outcome {
        package let answer: Result<JSONValue, ControlError>
        /// Nil for commands that the runner carries out itself, and without an answer.
        package let interval: HandlingInterval?

        package init(answer: Result<JSONValue, ControlError>, interval: HandlingInterval?) {
            self.answer = answer
            self.interval = interval
        }

        /// The result; nil if the command failed.
        package var result: JSONValue? { try? answer.get() }

        /// The error, if it failed.
        package var error: ControlError? { if case .failure(let error) = answer { error } else { nil } }

        /// Time added to the peer's own work, in nanoseconds.
        package var overhead: UInt64? {
            interval.map { $0.received - $0.sent - min($0.handling, $0.received - $0.sent) }
        }
    }

    package let instance: InstanceConnection

    package init(instance: InstanceConnection) { self.instance = instance }

    /// The role of an actor that has a command, and the command's declaration.
    /// - Throws: ``BadUsage`` with the word that was probably meant.
    package func find(_ command: String, of actor: String) throws(BadUsage) -> (
        target: Target, command: CommandDeclaration
    ) {
        guard let targets = instance.actors[actor] else {
            throw BadUsage(.unknownActor(name: actor, known: instance.actors.names))
        }
        for target in targets {
            if let declaration = target.command(named: command) { return (target, declaration) }
        }
        if let role = targets.first?.kind, Vocabulary.lab.command(named: command, of: role) == nil,
            let other = role.withOtherSDK,
            Vocabulary.lab.command(named: command, of: other) != nil
        {
            throw BadUsage(
                .misplacedCommand(
                    command: command, actor: actor, actorIs: role.title, belongsTo: [other.title],
                    example: instance.actors.names(understanding: command).first.map { "\($0): \(command)" }))
        }
        let known = targets.flatMap(\.commands).map(\.name)
        throw BadUsage(.unknownCommand(command: command, actor: actor, known: known))
    }

    /// Makes the connection to a target before it is needed.
    package func connect(to target: Target) {
        guard case .endpoint(let endpoint, _) = instance.host.route(of: target) else { return }
        if case .peer = endpoint { _ = try? instance.findProcess(of: target.actor) }
        // Only the processes of apps are kept; another one, also that for an app of another host, holds its endpoint.
        guard let process = instance.watch(of: endpoint) ?? instance.parts.process(of: endpoint),
            !ProcessTable.isStopped(process.pid)
        else { return }
        try? instance.clients.ping(endpoint, timeout: .seconds(1).stretched, watching: process)
    }

    /// Sends a command as a step of a record. Its secrets are masked before any of it is written or shown.
    /// - Parameters:
    ///   - timeout: Real time after which the answer counts as missing.
    ///   - history: The record; its redactor learns the secrets.
    /// - Throws: if the lab itself fails.
    package func perform(
        _ command: CommandDeclaration, of target: Target, arguments: [String: JSONValue], step: String,
        timeout: LabDuration, recordedIn history: History
    ) throws -> Outcome {
        for field in command.fields {
            guard let value = arguments[field.name] else { continue }
            field.type.secretTexts(of: value).forEach(history.redactor.insert)
        }
        let outcome = try call(
            target, command: command.name, arguments: .object(arguments), operation: step, timeout: timeout)
        if let result = outcome.result { command.result.secretTexts(of: result).forEach(history.redactor.insert) }
        history.record(.command(.init(of: target.actor, command.name, ended: outcome)), step: step)
        return outcome
    }

    /// Sends a command with typed arguments and result.
    /// - Parameter operation: The operation's name in traces; nil if not needed.
    /// - Throws: `ControlError` if the command failed; ``LabFailure`` if the actor does not have it.
    package func call<C: Command>(
        _ command: C, by actor: String, operation: String? = nil, timeout: LabDuration
    ) throws -> C.Result {
        guard let target = instance.actors[actor]?.first(where: { C.info.actors.contains($0.kind) }) else {
            throw LabFailure("The instance has no actor `\(actor)` with the command `\(C.name)`.")
        }
        let value = try call(
            target, command: C.name, arguments: command.arguments(), operation: operation, timeout: timeout
        ).answer.get()
        do {
            return try value.decode(C.Result.self)
        } catch {
            throw LabFailure("`\(actor)` answered `\(C.name)` with \(value): \(JSONValue.explain(error)).")
        }
    }

    /// Sends a command.
    /// - Parameters:
    ///   - arguments: An object.
    ///   - operation: The operation's name in traces: the step's number.
    ///   - timeout: Real time after which the answer counts as missing.
    /// - Throws: if the lab itself fails.
    package func call(
        _ target: Target, command: String, arguments: JSONValue, operation: String?,
        timeout: LabDuration = ControlClient.patience
    ) throws -> Outcome {
        let outcome = try answer(of: target, to: command, arguments: arguments, operation: operation, timeout: timeout)
        let topology = instance.manifest.topology
        instance.expect(WantedEnd.of(command, to: target, error: outcome.error, in: topology))
        if target.kind == .process, let launched = try? outcome.result?.decode(LaunchedProcess.self) {
            instance.note(launched, of: target.actor)
        }
        return outcome
    }

    private func answer(
        of target: Target, to command: String, arguments: JSONValue, operation: String?, timeout: LabDuration
    ) throws -> Outcome {
        if let refusal = instance.host.refusal(of: target) { return Outcome(answer: .failure(refusal), interval: nil) }
        guard case .endpoint(let endpoint, let about) = instance.host.route(of: target) else {
            let request = ControlRequest(
                command: command, arguments: arguments, actor: target.actor, operation: operation)
            let outcome = InstanceHandlers.perform(request, of: target.kind, on: instance)
            instance.host.settle(after: target)
            return Outcome(answer: outcome, interval: nil)
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
            if let error = reply.error { return Outcome(answer: .failure(error), interval: interval) }
            if target.kind == .link, [LinkUp.name, LinkDown.name].contains(command) {
                instance.waitForLink(target.actor, toBeUp: command == LinkUp.name)
            }
            let result = reply.result ?? .null
            if let breach = Self.breach(of: target, command, by: result) {
                return Outcome(answer: .failure(breach), interval: interval)
            }
            return Outcome(answer: .success(result), interval: interval)
        } catch let error as ControlError {
            if error.isDeath, case .peer = endpoint { letDeviceNotice(theEndOf: target.actor) }
            return Outcome(answer: .failure(error), interval: nil)
        }
    }

    /// Maximum real time for an app to be gone after it has closed its connections, and for its device to notice.
    private static let dyingTime = LabDuration.milliseconds(500).stretched

    /// Waits until an app is gone and its device has recorded that, so that the next step, and the check at the end of
    /// this one, find the app ended. A device looks for ends before it answers.
    private func letDeviceNotice(theEndOf app: String) {
        guard let (device, _) = instance.manifest.topology.app(named: app),
            let process = instance.watch(of: .peer(app)),
            // An agent that an order holds notices the end when it continues.
            instance.faults.turns.place(of: device.name).place == .running,
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

extension FieldType {
    /// The texts in a value of this type that must not appear in any record of a run.
    fileprivate func secretTexts(of value: JSONValue) -> [String] {
        switch (self, value) {
        case (.secret, .string(let text)): [text]
        case (.optional(let wrapped), _): wrapped.secretTexts(of: value)
        case (.list(let element), .array(let values)): values.flatMap(element.secretTexts)
        case (.object(let members), .object(let values)):
            members.flatMap { member in values[member.name].map(member.type.secretTexts) ?? [] }
        default: []
        }
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
    package var text: String {
        let code = [name, self.code.map(String.init)].compactMap(\.self).joined(separator: " ")
        return "\(code.isEmpty ? domain : "\(code) (\(domain))"): \(message)"
    }
}
