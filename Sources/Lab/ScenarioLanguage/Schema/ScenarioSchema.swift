// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// The JSON Schemas (draft-07, which editors support best) of the files that people write for the lab, generated from
/// the declarations of the vocabulary and the language.
///
/// `lab run` checks what a schema cannot, such as whether a topology has an actor or a reference a value.
public enum ScenarioSchema {
    /// The kinds of file.
    public enum Kind: CaseIterable, Sendable {
        /// A scenario.
        case scenario
        /// Steps for `include`.
        case include
        /// `lab.yaml`.
        case lab
    }

    /// The schema of a kind of file.
    /// - Parameter own: The programs of own apps, whose commands and errors steps can name.
    public static func json(of kind: Kind, with own: OwnPrograms = .none) -> JSONValue {
        switch kind {
        case .scenario: scenario.document(title: "PowerAuth Lab scenario", definitions: definitions(own))
        case .include: include.document(title: "PowerAuth Lab steps for include", definitions: definitions(own))
        case .lab:
            TopologySchema.labFile.document(
                title: "PowerAuth Lab topologies",
                definitions: TopologySchema.definitions.merging(ValueSchema.definitions) { old, _ in old })
        }
    }

    private static func definitions(_ own: OwnPrograms) -> [String: Schema] {
        [
            ValueSchema.definitions, ExpectationSchema.definitions(ownErrors: own.errors), StepSchema.definitions(own),
            TopologySchema.definitions, ["value": value],
        ].reduce(into: [:]) { all, some in all.merge(some) { old, _ in old } }
    }

    private static var scenario: Schema {
        .object(
            [
                "name": ValueSchema.text.described(
                    "Title in reports; it states the rule that the scenario shows.",
                    examples: ["A wrong password costs an attempt"]),
                "about": Schema.anything.described("What the scenario is about."),
                "manual": Schema.when(
                    .type("array"), .list(of: ValueSchema.text), otherwise: ValueSchema.text
                ).described("The chapters of the manuals that the scenario shows.", examples: ["SDK: Password Change"]),
                "tags": Schema.list(of: ValueSchema.text).described(
                    "Tags for selection.", examples: [["sharing", "slow"]]),
                "quarantine": quarantine.described(
                    "Why the scenario is known to fail.",
                    examples: [["reason": "A defect is being fixed", "until": "2027-01-31"]]),
                "requires": requirements.described(
                    "What the topology must have; otherwise the scenario is not run.",
                    examples: [["actors": ["wallet"], "tls": true]]),
                "lab": topology,
                "values": Schema.object([:], others: .definition("value"))
                    .described(
                        "Constants, generated values, secrets, values from the environment.",
                        examples: [["pin": ["generate": "pin", "digits": 4], "user": "alice"]]),
                "rows": Schema.when(
                    .type("string"), .text(matching: "\\.(csv|yaml)$"),
                    otherwise: .list(of: .type("object"), atLeast: 1)
                ).described(
                    "The scenario is run once for each row of the list or file, `${row.…}` being its values.",
                    examples: ["users.csv", [["id": "short", "password": "12"]]]),
                "setup": phase(with: [
                    StepReader.shared: ValueSchema.flag.described(
                        "Whether the steps are carried out once for all rows, each of which begins with the state that they leave.",
                        default: false)
                ]).described("Steps before those of the scenario, with a time limit of their own."),
                "steps": StepSchema.steps,
                "tearDown": phase().described("Steps that always run, with a time limit of their own."),
            ], required: ["name", "steps"])
    }

    private static let quarantine = Schema.when(
        .type("object"),
        .object(
            [
                "reason": ValueSchema.text.described("Why it does not pass."),
                "owner": ValueSchema.text.described("Who is responsible for it."),
                "until": Schema.text(matching: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
                    .described("The last day of the quarantine, such as 2027-01-31."),
            ], required: ["reason"]), otherwise: ValueSchema.text)

    private static let requirements = Schema.object([
        "actors": Schema.list(of: ValueSchema.text).described("Apps, devices and links by name."),
        "tls": ValueSchema.flag.described("Whether the server has TLS."),
        "sharing": ValueSchema.flag.described("Whether an app shares its activation."),
        "biometry": ValueSchema.flag.described("Whether a device has biometry."),
    ])

    /// Steps, or steps with a real-time limit for all of them.
    /// - Parameter more: Further keys of the object.
    private static func phase(with more: [String: Schema] = [:]) -> Schema {
        let keys = [
            "within": ValueSchema.duration.described(
                "The longest time that the steps may take together.", default: "30s"),
            "steps": StepSchema.steps,
        ]
        return .when(
            .type("object"), .object(keys.merging(more) { old, _ in old }, required: ["steps"]),
            otherwise: StepSchema.steps)
    }

    private static var include: Schema {
        .object(
            [
                "name": ValueSchema.text.described("What the steps do."),
                "about": Schema.anything.described("What the steps are about."),
                "parameters": Schema.object([:], others: parameter).described(
                    "What an `include` gives with `with`; one without a default must be given."),
                "outputs": Schema.object([:], others: .anything).described(
                    "Names of values that the steps keep and hand to the includer, with their meanings."),
                "steps": StepSchema.steps,
            ], required: ["steps"])
    }

    /// A parameter with its declaration, or only with its default.
    private static var parameter: Schema {
        .when(
            .type("object"),
            .object([
                "type": Schema.word(of: StepReader.parameterTypes.keys.sorted()).described(
                    "The type of its values.", default: "any"),
                "default": Schema.anything.described("The value of a parameter that is not given."),
                "meaning": ValueSchema.text.described("What it means."),
            ]))
    }

    private static var topology: Schema {
        let chosen = Schema.object([
            "use": ValueSchema.text.described("A topology of lab.yaml."),
            "override": Schema.definition("topologyPart").described("Parts of it to replace."),
        ])
        let own = Schema.object(
            ["topology": Schema.definition("topology").described("A topology of its own.")], required: ["topology"])
        return Schema.when(
            .type("object"), .when(.has("topology"), own, otherwise: chosen), otherwise: ValueSchema.text
        ).described(
            "A topology of lab.yaml, with parts replaced, or one of its own.",
            examples: ["default", ["use": "default"]])
    }

    private static var value: Schema {
        let generated = Schema.object(
            [
                "generate": .word(of: GeneratedValue.Kind.allCases.map(\.rawValue)),
                "digits": Schema.type("integer", "string").described("Digits of a PIN.", default: 4),
                "below": Schema.type("integer", "string").described("The exclusive upper limit.", default: 1000),
            ], required: ["generate"])
        let environment = Schema.object(
            [
                "environment": ValueSchema.text.described("The variable that holds the value."),
                "default": Schema.anything.described("The value when the variable is not set."),
                "secret": ValueSchema.flag.described("Whether it is masked in all output."),
            ], required: ["environment"])
        let secret = Schema.object(["secret": ValueSchema.text], required: ["secret"])
        return .when(
            .type("object"),
            .when(
                .has("generate"), generated,
                otherwise: .when(
                    .has("environment"), environment, otherwise: .when(.has("secret"), secret, otherwise: .anything))))
    }
}
