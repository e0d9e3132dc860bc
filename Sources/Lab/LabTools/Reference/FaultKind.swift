// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabVocabulary
import ScenarioLanguage

/// A kind of fault that a scenario can inject: a command, or a command with one value of a parameter.
///
/// An immutable value. Thread rule: any thread.
struct FaultKind: Sendable, Hashable {
    let actor: ActorKind
    let command: String
    /// The parameter that decides on the fault; nil if the command alone does.
    let parameter: String?
    let word: String?

    /// The text for readers: `server: drop, lost: answer`.
    var title: String {
        let choice = parameter.flatMap { parameter in word.map { ", \(parameter): \($0)" } } ?? ""
        return "\(actor.noun): \(command)\(choice)"
    }

    /// All kinds, those of processes first.
    static let all = declared.flatMap { actor, commands in commands.flatMap { kinds(of: actor, $0) } }

    /// Commands that can be undone and do no harm.
    static let harmless: Set<String> = ["addComplication"]

    private static let declared: [(ActorKind, [String])] = [
        (.faults, ["arm"]),
        (.process, ["kill", "outOfMemory", "terminate", "forceQuit", "suspend", "uninstall", "reinstall"]),
        (.serverProcess, ["kill"]),
        (.server, ["slow", "fail", "drop", "corrupt", "edit", "wrongCertificate"]),
        (.deviceProcess, ["kill", "switchOff"]),
        (
            .device,
            [
                "setClockSkew", "goOffline", "fillDisk", "readOnlyDisk", "lock", "reboot", "erase", "restoreBackup",
                "changeVendorIdentifier", "alterBiometry", "removeBiometry", "allowBiometry", "setPasscode",
                "answerBiometry", "unlinkSharedMemory", "truncateSharedMemory", "overwriteSharedMemory",
                "removeGroupContainer", "switchWatch",
            ]
        ),
        (.link, ["down", "unpair", "slow", "drop", "duplicate", "reorder", "corrupt", "cut"]),
    ]

    /// The parameters whose values are kinds of their own, with those values that cause no fault.
    private static let choices: [String: (parameter: String, harmless: Set<String>)] = [
        "arm": ("action", []), "drop": ("lost", []), "wrongCertificate": ("kind", []), "cut": ("direction", []),
        "answerBiometry": ("answer", ["success"]),
    ]

    private static func kinds(of actor: ActorKind, _ name: String) -> [FaultKind] {
        let field = actor.command(named: name, of: nil)?.field(named: choices[name]?.parameter ?? "")
        guard let field, let words = field.type.words else {
            return [FaultKind(actor: actor, command: name, parameter: nil, word: nil)]
        }
        return words.filter { choices[name]?.harmless.contains($0) != true }.map {
            FaultKind(actor: actor, command: name, parameter: field.name, word: $0)
        }
    }

    /// Whether a step injects it.
    func isDone(by step: CommandStep) -> Bool {
        guard step.command.name == command, step.targets.contains(where: { $0.kind == actor }) else { return false }
        guard let parameter, let word else { return true }
        switch step.arguments.first(where: { $0.field.name == parameter })?.value {
        case .literal(.string(let written))?: return written == word
        case nil:
            // A parameter without a default means all of its values, such as both directions of a link.
            guard let usual = step.command.field(named: parameter)?.defaultValue else { return true }
            return usual == .string(word)
        // A value of a loop, which takes each value in turn.
        case .some: return true
        }
    }
}

extension ActorKind {
    /// The actor's name in the catalogue.
    fileprivate var noun: String {
        switch self {
        case .serverProcess: "server"
        case .deviceProcess: "device"
        case .process: "app"
        default: rawValue
        }
    }
}

extension FieldType {
    /// The words of a choice, also of an optional one.
    fileprivate var words: [String]? {
        switch self {
        case .choice(let words): words
        case .optional(let wrapped): wrapped.words
        default: nil
        }
    }
}
