// SPDX-License-Identifier: Apache-2.0

import LabControl

@testable import LabReports

// The keys of a scenario's file, and of a file of steps.
extension RedCase {
    private static let step = "main: hasValidActivation"

    private static func file(_ header: String, _ steps: String = "- main: hasValidActivation\n  expect: true") -> String
    {
        "name: Red\n\(header)\nsteps:\n\(steps)\n"
    }

    private static func refused(_ word: String, _ sentence: String, _ header: String) -> RedCase {
        RedCase(word, .refused(sentence), file(header))
    }

    private static func notPlayed(_ word: String, _ remark: String, _ requires: String) -> RedCase {
        RedCase(word, .notPlayed(remark), file("requires: \(requires)"))
    }

    private static func phase(_ word: String, _ reason: String, _ phase: String) -> RedCase {
        let steps = "[{ wallet: hasValidActivation, expect: true }]"
        return RedCase(
            word, .red(reason), file(phase.replacing("STEPS", with: steps)),
            red: ["wallet.hasValidActivation": [no], "main.hasValidActivation": [yes]],
            green: ["wallet.hasValidActivation": [yes], "main.hasValidActivation": [yes]], limit: ("0ms", "1m"))
    }

    private static func value(
        _ word: String, _ value: String, red: String, green: String, kind: Kind = .red("the value is not as expected")
    ) -> RedCase {
        RedCase(
            word, kind, file("values: { it: \(value) }", "- check: \"${it}\"\n  expect: LIMIT"), limit: (red, green))
    }

    private static func included(_ word: String, _ sentence: String, _ text: String, call: String = "") -> RedCase {
        RedCase(word, .refused(sentence), "- include: steps.yaml\(call)", files: ["steps.yaml": text])
    }

    static let ofFiles: [RedCase] = [
        RedCase("scenario.name", .refused("`name`"), "tags: [a]\nsteps:\n- main: hasValidActivation\n"),
        refused("scenario.manual", "`manual`", "manual: { a: b }"),
        refused("scenario.tags", "`tags`", "tags: { a: b }"),
        refused("scenario.lab", "no-such-topology", "lab: no-such-topology"),
        refused("scenario.lab.use", "no-such-topology", "lab: { use: no-such-topology }"),
        refused("scenario.lab.override", "`devises`", "lab: { use: default, override: { devises: {} } }"),
        refused("scenario.lab.topology", "`use`", "lab: { use: default, topology: { devices: {} } }"),
        notPlayed("scenario.requires", "has no `tablet`", "{ actors: [tablet] }"),
        notPlayed("scenario.requires.actors", "has no `tablet`", "{ actors: [main, tablet] }"),
        notPlayed("scenario.requires.tls", "has no server with TLS", "{ tls: true }"),
        notPlayed("scenario.requires.sharing", "has no app that shares", "{ sharing: true }"),
        notPlayed("scenario.requires.biometry", "a device with biometry", "{ biometry: false }"),
        RedCase("scenario.quarantine", .setAside, file("quarantine: known"), red: main(no)),
        RedCase("scenario.quarantine.reason", .setAside, file("quarantine: { reason: known }"), red: main(no)),
        RedCase(
            "scenario.quarantine.until", .red("the result is not as expected"),
            file("quarantine: { reason: known, until: 2020-01-31 }"), red: main(no), green: main(yes)),
        value("scenario.values", "1", red: "2", green: "1"),
        RedCase(
            "scenario.rows", .red("the result is not as expected"),
            file("rows: [{ expected: true }, { id: b, expected: true }]", "- \(step)\n  expect: \"${row.expected}\""),
            red: main(no), green: main(yes)),
        RedCase(
            "scenario.rows", .red("the result is not as expected"),
            file("rows: table.csv", "- \(step)\n  expect: \"${row.expected}\""),
            files: ["table.csv": "id,expected\na,true\nb,true\n"], red: main(no), green: main(yes)),
        RedCase("scenario.steps", .red("the result is not as expected"), file(""), red: main(no), green: main(yes)),
        phase("scenario.setup", "in the set-up, the result is not as expected", "setup: STEPS"),
        phase(
            "scenario.setup.steps", "in the set-up, the result is not as expected",
            "setup: { within: 1m, steps: STEPS }"),
        refused(
            "scenario.setup.shared", "there are no `rows`",
            "setup: { shared: true, steps: [{ main: hasValidActivation }] }"),
        phase("scenario.setup.within", "in the set-up, it did not begin", "setup: { within: LIMIT, steps: STEPS }"),
        phase("scenario.tearDown", "in the tear-down, the result is not as expected", "tearDown: STEPS"),
        phase(
            "scenario.tearDown.steps", "in the tear-down, the result is not as expected",
            "tearDown: { within: 1m, steps: STEPS }"),
        phase(
            "scenario.tearDown.within", "in the tear-down, it did not begin",
            "tearDown: { within: LIMIT, steps: STEPS }"),
        value("value.generate", "{ generate: number, below: 1 }", red: "1", green: "0"),
        value("value.below", "{ generate: number, below: 1 }", red: "{ atLeast: 1 }", green: "{ atMost: 0 }"),
        value("value.digits", "{ generate: pin, digits: 6 }", red: "{ length: 4 }", green: "{ length: 6 }"),
        value("value.environment", "{ environment: RED_CASE }", red: "unseen", green: "seen"),
        value("value.default", "{ environment: RED_CASE_2, default: a }", red: "b", green: "a"),
        value("value.secret", "{ secret: \"correct horse\" }", red: "\"battery staple\"", green: "\"correct horse\""),
        included("file.parameters", "`user`", "parameters: { user: }\nsteps:\n- \(step)\n"),
        included(
            "file.parameters.type", "`count`", "parameters: { count: { type: integer } }\nsteps:\n- \(step)\n",
            call: "\n  with: { count: many }"),
        RedCase(
            "file.parameters.default", .red("the result is not as expected"), "- include: steps.yaml",
            files: [
                "steps.yaml":
                    "parameters: { expected: { default: true } }\nsteps:\n- \(step)\n  expect: \"${expected}\"\n"
            ], red: main(no), green: main(yes)),
        included("file.outputs", "the output `code`", "outputs: { code: What was made. }\nsteps:\n- \(step)\n"),
        RedCase(
            "file.steps", .red("the result is not as expected"), "- include: steps.yaml",
            files: ["steps.yaml": "steps:\n- \(step)\n  expect: true\n"], red: main(no), green: main(yes)),
    ]
}
