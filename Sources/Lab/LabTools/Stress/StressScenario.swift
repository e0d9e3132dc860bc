// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import LabVocabulary
import ScenarioLanguage

/// A part of a plan as a scenario: an activation, then a `parallel` block with a branch for each app.
///
/// The driver of a stress run decides by what an app and the server have answered; a scenario makes every call in any
/// case. So each may be refused, and only the rule decides whether the scenario passes.
struct StressScenario {
    let part: StressPart
    /// The devices and apps that the part was played with.
    let topology: Topology
    let seed: UInt64
    /// The name of the broken rule.
    let rule: String
    /// What the rule says.
    let sentence: String

    /// A step without its dash and its margin, a line each.
    typealias Lines = [String]

    /// The text of the file.
    /// - Throws: An error of the encoder, which would be a mistake of the lab.
    func text() throws -> String {
        var steps = try preparation()
        var branches: [(lines: [Lines], remarks: [String])] = []
        for app in part.apps {
            var branch = StressBranch(app: app)
            for call in ownCalls(of: app) { try branch.add(call) }
            // A branch without a command would have no app to schedule.
            if branch.steps.isEmpty, let first = part.calls(of: app).first { try branch.add(first) }
            branches.append((branch.steps, branch.remarks))
        }
        steps.append(["parallel:"] + branches.flatMap { Self.branch($0.lines) })
        let (judging, judgement) = try self.judgement()
        steps += judging
        var remarks = branches.flatMap(\.remarks) + overall
        if let judgement { remarks.append(judgement) }
        let lines = head(remarks) + lab + ["", "steps:"] + Self.list(steps)
        return lines.map { $0 + "\n" }.joined()
    }

    /// The calls of an app after the first one, which the activation before the block stands for; if no app has made
    /// another one, the activations themselves.
    private func ownCalls(of app: String) -> [StressPlan.Call] {
        part.calls(of: app).filter { $0.number > 1 || !isActivated }
    }

    private var isActivated: Bool { !part.removableCalls.isEmpty }

    // MARK: Steps

    private func preparation() throws -> [Lines] {
        var steps: [Lines] = []
        if part.calls.contains(where: { [.addBiometry, .biometrySignature].contains($0.call.action) }) {
            steps.append(try Self.step(StressConfiguration.device, EnrolBiometry()))
        }
        guard isActivated, let app = part.apps.first else { return steps }
        return try steps + Self.activation(by: app, code: "code", mayFail: false, countsPasses: false)
    }

    /// An activation as an app and its bank make it.
    /// - Parameters:
    ///   - code: The name of the activation code in the scenario.
    ///   - countsPasses: Whether the driver's questions to the app are repeated.
    static func activation(by app: String, code: String, mayFail: Bool, countsPasses: Bool) throws -> [Lines] {
        var steps = [
            try step("server", InitActivation(), as: code),
            try step(app, CreateActivation { $0.activationCode = "${\(code).activationCode}" }, mayFail: mayFail),
        ]
        if countsPasses { steps.append(try step(app, HasExternalEncryptionKey(), mayFail: mayFail)) }
        return try steps + [
            step(app, PersistActivation { $0.password = StressSecrets.first }, mayFail: mayFail),
            step("server", CommitActivation { $0.activationId = "${\(code).activationId}" }, mayFail: mayFail),
        ]
    }

    /// A command to an actor.
    /// - Parameters:
    ///   - name: The name under which the answer is kept; nil if no step uses it.
    ///   - mayFail: Whether the step is also right if the command fails.
    static func step<C: Command>(
        _ actor: String, _ command: C, as name: String? = nil, mayFail: Bool = false
    ) throws -> Lines {
        var arguments = try command.arguments().objectValue ?? [:]
        for field in C.fields where arguments[field.name] == field.defaultValue { arguments[field.name] = nil }
        arguments = arguments.filter { $0.value != .null }
        var lines = ["\(actor): \(C.name)"]
        if !arguments.isEmpty { lines.append("with: \(ShellLine.flow(.object(arguments)))") }
        if let name { lines.append("as: \(name)") }
        if mayFail { lines.append("either: [{ name: done }, { name: not done, fails: any }]") }
        return lines
    }

    // MARK: The rule

    /// The steps that decide whether the rule holds, and a remark if a scenario cannot decide it.
    private func judgement() throws -> (steps: [Lines], remark: String?) {
        if SharingCheckers.inScenarios.contains(where: { $0.name == rule }) {
            return ([try Self.step("trace", ListBrokenRules()) + ["expect: []"]], nil)
        }
        let tokens = Set(part.calls.compactMap(\.call.token)).sorted()
        switch rule {
        case "tokens" where !tokens.isEmpty:
            let steps = try tokens.map { token in
                let questions = try part.apps.map { try Self.step($0, HasLocalToken { $0.name = token }) }
                return ["same:"] + Self.list(questions)
            }
            return (steps, nil)
        case "deaths", "clean end": return ([], nil)
        default:
            return ([], "The rule `\(rule)` is not judged in scenarios: write after the block what must hold there.")
        }
    }

    // MARK: Remarks

    /// What the whole scenario does in another way than the run.
    private var overall: [String] {
        func makes(_ actions: StressAction...) -> Bool { part.calls.contains { actions.contains($0.call.action) } }
        var remarks: [String] = []
        if makes(.changePassword) {
            remarks.append("A changed password is used by the app that has changed it; the others use the first one.")
        }
        if makes(.externalKey) {
            remarks.append("The application's own key is given to the app that adds it, and not to the others.")
        }
        if makes(.status) {
            remarks.append("An app whose status shows that its activation has ended does not remove it.")
        }
        return remarks
    }

    private func head(_ remarks: [String]) -> [String] {
        let title = "What is left of a stress run with seed \(seed): \(rule)"
        var lines = [
            "# `lab stress sharing` with seed \(seed) has broken the rule `\(rule)`. \(sentence)",
            "# These are the calls that were left when the plan was shrunk. `lab run` plays them at the same time,",
            "# `lab explore` in every order of the fault points.",
        ]
        if !remarks.isEmpty {
            lines += ["#", "# What the scenario does not repeat:"] + remarks.map { "#   \($0)" }
        }
        return lines + ["name: \(JSONValue.string(title))", ""]
    }

    // MARK: Devices

    /// The devices of the run.
    private var lab: [String] {
        var lines = ["lab:", "  topology:", "    devices:"]
        for device in topology.devices {
            lines += ["      \(device.name):", "        kind: \(device.kind.rawValue)"]
            if device.kind == .phone {
                lines.append("        suspension: \(device.suspension.rawValue)")
                lines.append("        biometry: \(device.biometry.rawValue)")
            }
            lines.append("        apps:")
            for app in device.apps { lines += Self.lines(of: app).map { "          \($0)" } }
        }
        if !topology.links.isEmpty { lines.append("    links:") }
        for link in topology.links {
            lines.append("      \(link.name): { phone: \(link.phone), watch: \(link.watch) }")
        }
        return lines
    }

    private static func lines(of app: AppSpec) -> [String] {
        var lines = ["\(app.name):", "  bundleIdentifier: \(app.bundleIdentifier)"]
        if let host = app.host { lines.append("  host: \(host)") }
        let lists = [
            ("appGroups", app.appGroups), ("keychainAccessGroups", app.keychainAccessGroups),
            ("quirks", Self.quirks(of: app)),
        ]
        for (key, names) in lists where !names.isEmpty {
            lines.append("  \(key): [\(names.joined(separator: ", "))]")
        }
        lines += ["  powerAuth:", "    instanceId: \(app.powerAuth.instanceId)"]
        guard let sharing = app.powerAuth.sharing else { return lines }
        return lines + [
            "    sharing:", "      appGroup: \(sharing.appGroup)", "      appIdentifier: \(sharing.appIdentifier)",
            "      keychainAccessGroup: \(sharing.keychainAccessGroup)",
        ]
    }

    /// A file names each quirk; only the command line has a word for all.
    private static func quirks(of app: AppSpec) -> [String] {
        (try? QuirkSet(parsing: app.quirks))?.quirks.map(\.rawValue).sorted() ?? app.quirks
    }

    // MARK: Lists

    /// Steps as elements of a list, two columns inside of the key above it.
    private static func list(_ steps: [Lines]) -> Lines {
        steps.flatMap { step in step.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element } }
    }

    /// Steps as one branch of a block.
    private static func branch(_ steps: [Lines]) -> Lines {
        let lines = steps.flatMap { step in step.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element } }
        return lines.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
    }
}
