// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import LabVocabulary

/// The schemas of steps: the words of the language, and commands.
enum StepSchema {
    package static let steps = Schema.list(of: .definition("step"), atLeast: 1)
    package static let note = ValueSchema.text.described("A remark, shown beside the step.")
    package static let when = Schema.object(
        [
            "check": ValueSchema.reference.described("A value kept by a step, or one of the row."),
            "expect": ExpectationSchema.anything.described("The expected value."),
        ], required: ["check", "expect"]
    ).described("The step is carried out only when this holds.")

    /// The meaning of each word, and its possible values, for editors.
    package static let meanings: [String: (sentence: String, example: JSONValue)] = [
        "advance": (
            "Moves the lab's clock; what became due happens, in order.",
            "5m"
        ),
        "check": (
            "An expectation about a value that was kept, or steps that are all carried out although one fails.",
            "${code.activationId}"
        ),
        "during": (
            "The steps, while faults are armed, which end with them.",
            [["pairing": "down"]]
        ),
        "each": (
            "The steps, once for each value.",
            [
                "in": ["1234", "5678"], "as": "password",
                "steps": [["main": "validatePassword", "with": ["password": "${password}"]]],
            ]
        ),
        "eventually": (
            "Repeats the steps until they hold, for at most that long.",
            "2s"
        ),
        "include": (
            "The steps of another file.",
            "steps/activate.yaml"
        ),
        "never": (
            "The steps, during which an event must not occur, or a command must not end as stated.",
            ["event": "push.dropped"]
        ),
        "same": (
            "Commands that must all give the same answer.",
            [["main": "activationIdentifier"], ["wallet": "activationIdentifier"]]
        ),
        "order": (
            "Events in the traces that must have occurred in this order.",
            [["event": "server.push"], ["event": "push.received"]]
        ),
        "parallel": (
            "Independent lists of steps.",
            [["main": "fetchActivationStatus"], [["wallet": "fetchActivationStatus"]]]
        ),
        "race": (
            "Lists of steps that start at the same moment.",
            [["main": "fetchActivationStatus"], ["wallet": "fetchActivationStatus"]]
        ),
        "repeat": (
            "The steps, several times.",
            3
        ),
        "stays": (
            "The steps, now and each time a tenth of that lab time has passed.",
            "10s"
        ),
        "waitFor": (
            "Waits for an event in a process's trace, also one that came before.",
            ["event": "link.delivered", "within": "2s"]
        ),
    ]

    /// The definitions for the schemas above; steps can name the commands of own apps.
    static func definitions(_ own: OwnPrograms) -> [String: Schema] {
        var definitions = ["step": step, "branch": branch, "event": event(with: [:]), "branches": branches]
        definitions["eventFields"] = eventFields
        definitions["place"] = .anyOf([.word(of: TurnOrder.places), checkpoint])
        definitions["turns"] = turns
        definitions["orders"] = orders
        for (word, schema) in words { definitions["word.\(word)"] = schema }
        return definitions.merging(CommandSchema(own: own).definitions) { old, _ in old }
    }

    /// A word of the language decides the kind of a step; without one it is a command. `eventually` is a word if there
    /// is no command, and `order` if there is no block whose turns it orders.
    private static var step: Schema {
        let words = ReservedWords.stepWords.filter { $0 != "eventually" }
        let block = Schema.hasOnly(ReservedWords.siblings + ["steps"]).and(.has("eventually"))
        return Schema.type("object").and(
            .when(
                .anyOf(words.map { .has($0) }),
                .allOf(words.map { .when($0 == "order" ? orderOfEvents : .has($0), .definition("word.\($0)")) }),
                otherwise: .when(block, .definition("word.eventually"), otherwise: .definition("command"))))
    }

    /// The value of `with`: a mapping, or a reference to one that is known before the run.
    static let arguments = Schema.anyOf([.type("object"), ValueSchema.reference])

    private static let branch = Schema.when(.type("array"), steps, otherwise: .definition("step"))
    private static let branches = Schema.list(of: .definition("branch"), atLeast: 2)
    private static let orderOfEvents = Schema.has("order").and(.not(.anyOf([.has("parallel"), .has("race")])))
    private static let checkpoint = Schema.text(matching: Checkpoint.pattern)
        .described("A checkpoint of an own app.")
    /// Where a process continues, or dies.
    private static let turnPlace = Schema.when(
        .type("object"),
        .object(
            [TurnOrder.dies: Schema.definition("place").described("The place at which the process is killed.")],
            required: [TurnOrder.dies]), otherwise: .definition("place"))
    /// Each element is one process and its place.
    private static let turns = Schema.list(
        of: Schema.object([:], others: turnPlace).and(.notEmpty).and(.atMost(keys: 1)), atLeast: 1)
    private static let order = Schema.definition("turns").described(
        "The turns of the branches' processes, one after the other, each with the place from which it continues.")

    /// `all`, or bounds.
    private static var orders: Schema {
        .when(
            .type("object"),
            .object([
                "preemptions": ValueSchema.count(in: ExploredOrders.preemptionCounts).described(
                    "How often an order may leave an app that could have gone on; by default 2."),
                "deaths": ValueSchema.count(in: ExploredOrders.deathCounts).described(
                    "How many apps and agents of devices an order may kill at a place; by default 0."),
                "budget": ValueSchema.duration.described(
                    "The real time after which no order begins; the scenario passes without the rest."),
            ]), otherwise: .constant("all"))
    }
    private static let everyOrder = Schema.definition("orders").described(
        "The orders of the turns in which a run plays the block, each in an instance of its own: `all`, or its bounds.")

    /// The shape of each word of ``ReservedWords/stepWords``, with the words beside it.
    package static var words: [String: Schema] {
        [
            "advance": word("advance", ValueSchema.duration),
            "check": check,
            "during": word(
                "during", .list(of: .definition("command"), atLeast: 1), ["steps": steps], required: ["steps"]),
            "each": word(
                "each",
                .object(
                    [
                        "in": Schema.anyOf([.list(of: .anything, atLeast: 1), ValueSchema.reference])
                            .described("The values."),
                        "as": ValueSchema.variable.described("The name of the value in each round."), "steps": steps,
                    ], required: ["in", "as", "steps"])),
            "eventually": block("eventually", limit: "for", ValueSchema.duration, isNeeded: false),
            "include": word(
                "include", ValueSchema.text,
                [
                    "with": arguments.described("Values for the parameters of the file."),
                    "as": Schema.object([:], others: ValueSchema.variable)
                        .described("Other names for the outputs of the file."),
                ]),
            "never": word(
                "never",
                .when(
                    .has("event"), .definition("event"),
                    otherwise: Schema.definition("command").and(.keys(["as": .nothing, "when": .nothing]))),
                ["steps": steps], required: ["steps"]),
            "same": word("same", .list(of: Schema.definition("command").and(.keys(["when": .nothing])), atLeast: 2)),
            "order": word("order", .list(of: .definition("event"), atLeast: 2)),
            "parallel": word("parallel", .definition("branches"), ["order": order, "orders": everyOrder]),
            "race": race,
            "repeat": block(
                "repeat", limit: "times",
                .anyOf([.integer(atLeast: 1), .text(matching: "^[0-9]+$"), ValueSchema.reference]),
                ["as": ValueSchema.variable.described("The name of the number of the round.")]),
            "stays": block("stays", limit: "for", ValueSchema.duration),
            "waitFor": word(
                "waitFor",
                event(with: ["within": ValueSchema.duration.described("The longest time to wait, by default 5 s.")])),
        ]
    }

    /// A list is steps, unless it has an expectation.
    private static var check: Schema {
        .when(
            Schema.keys(["check": .type("array")]).and(.not(.has("expect"))), word("check", steps, isExemplary: false),
            otherwise: word(
                "check", .anything, ["expect": ExpectationSchema.anything.described("The expected value.")],
                required: ["expect"]))
    }

    private static var race: Schema {
        word(
            "race", .definition("branches"),
            [
                "order": order,
                "orders": everyOrder,
                "winners": ExpectationSchema.expectation(of: .integer)
                    .described("How many branches succeed; by default all."),
                "others": ExpectationSchema.failure.described("The error of every other branch."),
                "as": ValueSchema.variable.described("The name that keeps the winner, and is an actor from there on."),
            ]
        ).and(.allOf([.when(.anyOf([.has("others"), .has("as")]), .has("winners"))]))
    }

    /// An event in the trace of a process.
    private static func event(with more: [String: Schema]) -> Schema {
        let keys: [String: Schema] = [
            "event": .word(of: TraceEventName.allCases.map { ($0.rawValue, $0.summary) }),
            "peer": ValueSchema.text.described("The process; by default any."),
            "where": ExpectationSchema.anything.described("The expected fields of the event."),
        ]
        return Schema.object(keys.merging(more) { old, _ in old }, required: ["event"]).and(
            .allOf([.definition("eventFields")]))
    }

    /// The conditions of `where` on each event.
    private static var eventFields: Schema {
        .allOf(
            TraceEventName.allCases.map { event in
                .when(
                    Schema.keys(["event": .constant(event.rawValue)]).and(.has("event")),
                    .keys(["where": ExpectationSchema.expectation(of: event.type)]))
            })
    }

    /// A step that is a word, with the words allowed beside it.
    /// - Parameter isExemplary: Whether the example of the word has this form.
    private static func word(
        _ word: String, _ value: Schema, _ siblings: [String: Schema] = [:], required: [String] = [],
        isExemplary: Bool = true
    ) -> Schema {
        var keys = siblings
        keys["note"] = note
        keys["when"] = when
        let meaning = meanings[word]
        let examples = isExemplary ? [meaning?.example].compactMap(\.self) : []
        keys[word] = value.described(meaning?.sentence ?? "", examples: examples)
        return .object(keys, required: [word] + required)
    }

    /// A block in both spellings: `word: 5s` with `steps` beside it, and `word: { for: 5s, steps: […] }`.
    private static func block(
        _ name: String, limit: String, _ value: Schema, _ siblings: [String: Schema] = [:], isNeeded: Bool = true
    ) -> Schema {
        let inside = siblings.merging([limit: value, "steps": steps]) { old, _ in old }
        let short = isNeeded ? value : .anyOf([value, .type("null")])
        return .when(
            .keys([name: .type("object")]),
            word(name, .object(inside, required: isNeeded ? [limit, "steps"] : ["steps"]), isExemplary: false),
            otherwise: word(
                name, short, siblings.merging(["steps": steps]) { old, _ in old }, required: ["steps"]))
    }
}

/// The schemas of expectations: the values of `expect`, `fails`, `where` and `winners`.
enum ExpectationSchema {
    /// An expectation of a value of unknown type.
    package static let anything = Schema.definition("expectation")
    /// The expectation of a command's error.
    package static let failure = Schema.definition("failure")

    /// The definitions for the schemas above; `ownErrors` are those that only own apps have.
    static func definitions(ownErrors: [String]) -> [String: Schema] {
        [
            "expectation": .when(
                .hasOnly(Matcher.words), .definition("matcher"),
                otherwise: .elementsAndMembers(anything)),
            "matcher": .object(matchers),
            "errorCode": errorCode(ownErrors), "failure": failureShape,
        ]
    }

    /// The value of each matcher's word.
    static var matchers: [String: Schema] {
        let several = Schema.list(of: anything, atLeast: 1)
        let two = Schema.list(of: ValueSchema.quantity, atLeast: 2, atMost: 2)
        return [
            "absent": ValueSchema.flag.described("No value."),
            "all": several.described("All of these hold."),
            "any": ValueSchema.flag.described("Any value."),
            "atLeast": ValueSchema.quantity.described(
                "A number or duration from this one on.", examples: [1, "250ms"]),
            "atMost": ValueSchema.quantity.described("A number or duration up to this one.", examples: [5, "2s"]),
            "between": two.described(
                "A number or duration from the first to the second, both included.", examples: [[1, 5]]),
            "contains": anything.described(
                "Text with this substring, or a list with such an element.", examples: ["phone"]),
            "each": anything.described("A list whose elements are all like this.", examples: [["type": "text"]]),
            "endsWith": ValueSchema.text.described("Text with this ending."),
            "equals": anything.described("The same value."),
            "exactly": anything.described("The same value, without members that are not written here."),
            "length": anything.described(
                "The number of characters, elements or members.", examples: [8, ["atLeast": 1]]),
            "matches": ValueSchema.text.described(
                "Text in which the regular expression finds something.", examples: ["^[0-9]{8}$"]),
            "near": two.described(
                "A number or duration that differs from the first by the second at most.", examples: [["5m", "1s"]]),
            "not": anything.described("None of these holds."),
            "oneOf": several.described("One of these holds.", examples: [["active", "blocked"]]),
            "startsWith": ValueSchema.text.described("Text with this beginning."),
            "type": Schema.word(of: Matcher.ValueKind.allCases.map(\.rawValue)).described("A value of this kind."),
        ]
    }

    /// The schema of an expectation of a value of a type.
    package static func expectation(of type: FieldType) -> Schema {
        switch type {
        case .any, .map: return anything
        case .optional(let wrapped): return expectation(of: wrapped)
        case .object(let members):
            let names = members.map(\.name)
            let closed = Schema.object(
                Dictionary(
                    uniqueKeysWithValues: members.map {
                        ($0.name, expectation(of: $0.type).described(ValueSchema.meaning(of: $0)))
                    }))
            return .when(
                Schema.hasOnly(Matcher.words.filter { !names.contains($0) }).and(.notEmpty),
                .definition("matcher"), otherwise: .anyOf([closed, ValueSchema.reference, .type("null")]))
        case .list(let element):
            return .when(
                .type("object"), .definition("matcher"),
                otherwise: .anyOf([.list(of: expectation(of: element)), ValueSchema.reference, .type("null")]))
        default:
            return .when(
                .type("object"), .definition("matcher"),
                otherwise: .anyOf([ValueSchema.value(of: type), .type("null")]))
        }
    }

    /// The name or number of an error, or matchers of it.
    private static func errorCode(_ ownErrors: [String]) -> Schema {
        let name = Schema.anyOf([
            .word(of: ErrorNames.all + ownErrors), .type("integer"), .text(matching: "^[0-9]+$"), ValueSchema.reference,
        ])
        var words = matchers
        let code = Schema.definition("errorCode")
        for word in ["equals", "exactly"] { words[word] = code }
        for word in ["all", "oneOf"] { words[word] = .list(of: code, atLeast: 1) }
        words["not"] = .anyOf([code, .list(of: code, atLeast: 1)])
        return .when(.type("object"), .object(words), otherwise: name)
    }

    private static var failureShape: Schema {
        let members = Schema.object(
            [
                "code": Schema.definition("errorCode").described("Name or number of the error."),
                "domain": anything.described("Domain of the error."),
                "message": anything.described("Its text."),
            ], others: anything)
        let short = Schema.anyOf([.definition("errorCode"), .constant("any")])
        let matcher = Schema.hasOnly(Matcher.words)
        return .when(.type("object"), .when(matcher, .definition("matcher"), otherwise: members), otherwise: short)
    }
}
