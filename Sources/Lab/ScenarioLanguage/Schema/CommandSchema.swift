// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabVocabulary

/// The schema of a step that is a command: exactly one actor with the command as its value, and the words beside it.
///
/// Actors are free names of a topology, so every key that is not a word of the language is an actor.
struct CommandSchema {
    /// The programs of own apps; free names have their commands, too.
    package let own: OwnPrograms

    /// The actors with fixed names, and their descriptions.
    private static let builtIn: [(name: String, kinds: [ActorKind])] = ReservedWords.builtInActors.map { name in
        (name, ActorTable.builtIn(name))
    }
    /// The kinds of actor with names chosen by a topology.
    private static let free = ActorKind.allCases.filter { kind in !builtIn.contains { $0.kinds.contains(kind) } }

    /// The definitions for a step.
    var definitions: [String: Schema] {
        var definitions = Self.actorCount
        definitions["command"] = command
        definitions["way"] = .object([
            "name": ValueSchema.text.described("The name of the way."), "expect": ExpectationSchema.anything,
            "fails": ExpectationSchema.failure,
        ]).and(.not(.has("expect", "fails")))
        definitions["commandName"] = names(of: Self.free)
        for (name, kinds) in Self.builtIn { definitions["commandName.\(name)"] = names(of: kinds) }
        return definitions
    }

    /// The words beside a command.
    static var siblings: [String: Schema] {
        [
            "as": ValueSchema.variable.described("The name that keeps the answer, visible from there on."),
            "either": Schema.list(of: .definition("way"), atLeast: 2)
                .described("The ways in which the command may end."),
            "eventually": ValueSchema.duration.described(
                "The longest time in which the expectation may come true; without one, in which the command may succeed."
            ),
            "expect": ExpectationSchema.anything.described("The expected answer."),
            "fails": ExpectationSchema.failure.described("The expected error."),
            "note": StepSchema.note,
            "when": StepSchema.when,
            "with": StepSchema.arguments.described("The command's parameters."),
            "within": ValueSchema.duration.described("The longest time that the command may take."),
        ]
    }

    private var command: Schema {
        let builtIn = Self.builtIn
        var keys = Self.siblings
        for (name, kinds) in builtIn {
            keys[name] = .definition("commandName.\(name)").described(kinds.first?.title ?? name)
        }
        // Suggested while the step has no actor yet; a step with an actor is not checked here.
        for word in ReservedWords.stepWords where keys[word] == nil {
            keys[word] = .anything.described(StepSchema.meanings[word]?.sentence ?? "")
        }
        let rules: [Schema] = [
            .not(.hasOnly(ReservedWords.commandSiblings)), .definition("oneActor.0.0"),
            .not(.has("expect", "fails")), .not(.has("expect", "either")), .not(.has("fails", "either")),
            .not(.has("when", "as")),
        ]
        let bindings = builtIn.flatMap { name, kinds in
            declarations(of: kinds).map { command, declared in
                Schema.when(.keys([name: .constant(command)]).and(.has(name)), Self.binding(declared))
            }
        }
        let freeBindings = declarations(of: Self.free).map { command, declared in
            Schema.when(.not(.every(keyMatching: Self.actor, .not(.constant(command)))), Self.binding(declared))
        }
        return Schema.object(keys, others: .definition("commandName")).and(.allOf(rules + bindings + freeBindings))
    }

    /// The keys that are names of actors chosen by a topology.
    private static let actor =
        "^(?!(" + (ReservedWords.commandSiblings + ReservedWords.builtInActors).joined(separator: "|") + ")$)"

    /// The constraints of a command on the words beside it. Several actors may have it, each with parameters of its
    /// own.
    private static func binding(_ declarations: [CommandDeclaration]) -> Schema {
        var variants: [Schema] = []
        for declaration in declarations {
            var keys = [
                "with": Schema.when(
                    .type("object"), ValueSchema.parameters(of: declaration), otherwise: ValueSchema.reference)
            ]
            var rules: [Schema] = []
            if declaration.result == .nothing {
                keys["expect"] = .nothing
                rules.append(.when(.has("as"), .anyOf([.has("fails"), .has("either")])))
            } else {
                keys["expect"] = ExpectationSchema.expectation(of: declaration.result)
            }
            if declaration.fields.contains(where: \.isRequired) { rules.append(.has("with")) }
            let variant = rules.isEmpty ? Schema.keys(keys) : Schema.keys(keys).and(.allOf(rules))
            if !variants.contains(where: { $0.json == variant.json }) { variants.append(variant) }
        }
        return variants.count == 1 ? variants[0] : .anyOf(variants)
    }

    /// The commands of some kinds of actor by name, each with all of its declarations.
    private func declarations(of kinds: [ActorKind]) -> [(name: String, declared: [CommandDeclaration])] {
        let commands = (Vocabulary.lab.commands + own.commands).filter { !$0.actors.isDisjoint(with: kinds) }
        return Dictionary(grouping: commands, by: \.name).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The names of commands, or a reference: a column of `rows` may give the name.
    private func names(of kinds: [ActorKind]) -> Schema {
        .anyOf([
            .word(
                of: declarations(of: kinds).map { name, declared in
                    (name, Set(declared.map(\.summary)).sorted().joined(separator: " / "))
                }), ValueSchema.reference,
        ])
    }

    // MARK: - One actor

    /// The keys beside the actor, with those that exclude each other.
    private static let slots =
        ReservedWords.commandSiblings.filter { !outcomes.contains($0) }.map { [$0] } + [outcomes]
    private static let outcomes = ["either", "expect", "fails"]

    /// At most one key of a step is an actor. A schema cannot count some of the keys, so the definitions count the
    /// other keys, one after the other, and then limit the number of all keys.
    ///
    /// `oneActor.I.N` covers the slots from I on, when N of the earlier ones are present.
    private static var actorCount: [String: Schema] {
        var definitions: [String: Schema] = [:]
        for index in 0...slots.count {
            for count in 0...index {
                definitions["oneActor.\(index).\(count)"] =
                    index == slots.count
                    ? .atMost(keys: count + 1)
                    : .when(
                        .anyOf(slots[index].map { .has($0) }), .definition("oneActor.\(index + 1).\(count + 1)"),
                        otherwise: .definition("oneActor.\(index + 1).\(count)"))
            }
        }
        return definitions
    }
}
