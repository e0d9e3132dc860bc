// SPDX-License-Identifier: Apache-2.0

import LabCore

@testable import LabReports

// The words that are steps, except those with branches.
extension RedCase {
    /// Answers of a server with one fault that has hit the given number of requests.
    private static func faults(fired: Int64, _ answers: JSONValue = yes) -> [String: [JSONValue]] {
        [
            "server.slow": [["result": ["id": "f1"]]], "main.hasValidActivation": [answers],
            "server.trafficFaults": [["result": [["id": "f1", "matched": .integer(fired), "fired": .integer(fired)]]]],
        ]
    }

    private static let during = """
        - during:
            - server: slow
              with: { endpoint: activation/status, by: 3s }
          steps:
            - main: hasValidActivation
              expect: true
        """

    /// A block in both spellings: its key and its steps beside it, or inside.
    private static func block(
        _ word: String, _ key: String, _ value: String, _ reason: String, steps: String,
        red: [String: [JSONValue]], green: [String: [JSONValue]]
    ) -> [RedCase] {
        let inner = steps.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let beside = "- \(word): \(value)\n  steps:\n\(inner)"
        let inside = "- \(word):\n    \(key): \(value)\n    steps:\n\(inner)"
        return [("\(word).\(word)", beside), ("\(word).steps", beside)].map { name, text in
            RedCase(name, .red(reason), text, red: red, green: green)
        }
            + ["\(word).\(word).\(key)", "\(word).\(word).steps"].map { name in
                RedCase(name, .red(reason), inside, red: red, green: green)
            }
    }

    private static let isTrue = "- main: hasValidActivation\n  expect: true"

    static let ofBlocks: [RedCase] =
        [
            RedCase("advance.advance", .refused("`advance` must be a duration"), "- advance: -5m"),
            RedCase(
                "check.check", .red("the value is not as expected"),
                """
                - main: hasValidActivation
                  as: seen
                - check: "${seen}"
                  expect: true
                """, red: main(no), green: main(yes)),
            RedCase(
                "check.check", .red("the result is not as expected"),
                """
                - check:
                    - main: hasValidActivation
                      expect: true
                    - wallet: kill
                """, red: main(no), green: main(yes)),
            RedCase(
                "check.expect", .red("the value is not as expected"),
                """
                - main: fetchActivationStatus
                  as: status
                - check: "${status}"
                  expect: { state: active, failCount: { atMost: 1 } }
                """, red: status("active", failures: 2), green: status("active", failures: 1)),
            RedCase(
                "during.during", .red("the fault of this step never fired"), during, red: faults(fired: 0),
                green: faults(fired: 1)),
            RedCase(
                "during.steps", .red("the result is not as expected"), during, red: faults(fired: 1, no),
                green: faults(fired: 1)),
            RedCase(
                "each.each", .red("in round 2 of 2"),
                """
                - each:
                    in: [a, b]
                    as: letter
                    steps:
                      - main: hasValidActivation
                        expect: true
                """, red: main(yes, no), green: main(yes)),
            RedCase(
                "each.each.in", .red("takes a list with at least one element"),
                """
                - phone: keychainItems
                  as: items
                - each:
                    in: "${items}"
                    as: item
                    steps:
                      - main: hasValidActivation
                """, red: ["phone.keychainItems": [["result": []]]],
                green: ["phone.keychainItems": [["result": [["service": "s"]]]]]),
            RedCase(
                "each.each.as", .red("with `answer` = false"),
                """
                - each:
                    in: [true, false]
                    as: answer
                    steps:
                      - main: hasValidActivation
                        expect: "${answer}"
                """, red: main(yes), green: main(yes, no)),
            RedCase(
                "each.each.steps", .red("in round 1 of 1"),
                """
                - each:
                    in: [a]
                    as: letter
                    steps:
                      - main: hasValidActivation
                        expect: true
                """, red: main(no), green: main(yes)),
            RedCase(
                "include.include", .red("the result is not as expected"), "- include: steps.yaml",
                files: ["steps.yaml": "steps:\n- main: hasValidActivation\n  expect: true\n"], red: main(no),
                green: main(yes)),
            RedCase(
                "include.with", .red("the result is not as expected"),
                "- include: steps.yaml\n  with: { expected: true }",
                files: [
                    "steps.yaml":
                        "parameters: { expected: { type: boolean, default: false } }\nsteps:\n- main: hasValidActivation\n  expect: \"${expected}\"\n"
                ], red: main(no), green: main(yes)),
            RedCase(
                "include.as", .red("the value is not as expected"),
                """
                - include: steps.yaml
                  as: { seen: first }
                - check: "${first}"
                  expect: true
                """,
                files: [
                    "steps.yaml": "outputs: { seen: The answer. }\nsteps:\n- main: hasValidActivation\n  as: seen\n"
                ],
                red: main(no), green: main(yes)),
            RedCase(
                "never.never", .red("must never come in these steps"),
                """
                - never: { event: state.saved, peer: main }
                  steps:
                    - main: hasValidActivation
                """, red: main(yes(after: saved())), green: main(yes(after: loaded, saved(by: "wallet")))),
            RedCase(
                "never.never", .red("must never come in these steps"),
                """
                - never: { event: state.saved, peer: main }
                  steps:
                    - main: hasValidActivation
                    - main: hasValidActivation
                """, red: main(yes(after: saved()), yes), green: main(yes)),
            RedCase(
                "never.never", .red("ended as it must never in these steps, before the first step"),
                """
                - never: { main: hasValidActivation, expect: true }
                  steps:
                    - wallet: hasValidActivation
                """, red: main(yes, no), green: main(no)),
            RedCase(
                "never.never", .red("ended as it must never in these steps, after step 1.2"),
                """
                - never: { main: hasValidActivation, expect: true }
                  steps:
                    - wallet: hasValidActivation
                    - wallet: hasValidActivation
                """, red: main(no, no, yes), green: main(no)),
            RedCase(
                "never.steps", .red("the result is not as expected"),
                """
                - never: { event: state.saved }
                  steps:
                    - main: hasValidActivation
                      expect: true
                """, red: main(no), green: main(yes)),
            RedCase(
                "order.order", .red("came only before"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved, peer: main }, { event: state.saved, peer: main }]
                """, red: main(yes(after: saved())), green: main(yes(after: saved(), saved()))),
            RedCase(
                "order.order", .red("came only before"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved }, { event: state.loaded }]
                """, red: main(yes(after: loaded, saved())), green: main(yes(after: saved(), loaded))),
            RedCase(
                "order.order", .red("came 2 times, always before"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved }, { event: state.loaded }, { event: state.saved }, { event: state.saved }]
                """, red: main(yes(after: saved(), loaded, saved())),
                green: main(yes(after: saved(), loaded, saved(), saved()))),
            RedCase(
                "same.same", .red("the answers are not the same"),
                "- same: [{ main: hasValidActivation }, { wallet: hasValidActivation }]",
                red: ["main.hasValidActivation": [yes], "wallet.hasValidActivation": [no]],
                green: ["main.hasValidActivation": [no], "wallet.hasValidActivation": [no]]),
            RedCase(
                "event.event", .red("did not come at all"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved }, { event: state.removed }]
                """, red: main(yes(after: saved(), loaded)),
                green: main(yes(after: saved(), ["event": "state.removed"]))),
            RedCase(
                "event.peer", .red("did not come at all"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved, peer: main }, { event: state.saved, peer: wallet }]
                """, red: main(yes(after: saved(), saved())), green: main(yes(after: saved(), saved(by: "wallet")))),
            RedCase(
                "event.where", .red("did not come at all"),
                """
                - main: hasValidActivation
                - order: [{ event: state.saved }, { event: state.saved, where: { bytes: 2 } }]
                """, red: main(yes(after: saved(1), saved(1))), green: main(yes(after: saved(1), saved(2)))),
        ]
        + block("eventually", "for", "LIMIT", "attempts", steps: isTrue, red: main(no), green: main(no, no, yes))
        + block("repeat", "times", "2", "in round 2 of 2", steps: isTrue, red: main(yes, no), green: main(yes))
        + block("stays", "for", "5s", "after 1s of 5s", steps: isTrue, red: main(yes, yes, no), green: main(yes))
        + ["repeat.as", "repeat.repeat.as"].map { name in
            let head =
                name == "repeat.as"
                ? "- repeat: 2\n  as: number\n  steps:\n" : "- repeat:\n    times: 2\n    as: number\n    steps:\n"
            return RedCase(
                name, .red("with `number` = 2"),
                head + "      - main: fetchActivationStatus\n        expect: { failCount: \"${number}\" }",
                red: status("active", failures: 1),
                green: [
                    "main.fetchActivationStatus": (1...2).map {
                        ["result": ["state": "active", "failCount": .integer($0)]]
                    }
                ])
        }
        + waits

    /// One event satisfies one wait.
    private static let waits: [RedCase] = [
        RedCase(
            "waitFor.waitFor", .red("did not come within 20 ms"),
            """
            - main: hasValidActivation
            - waitFor: { event: state.saved, within: 1m }
            - waitFor: { event: state.saved, within: LIMIT }
            """, red: main(yes(after: saved())), green: main(yes(after: saved(), saved()))),
        RedCase(
            "waitFor.waitFor.event", .red("did not come within"),
            """
            - main: hasValidActivation
            - waitFor: { event: state.saved, within: LIMIT }
            """, red: main(yes(after: loaded)), green: main(yes(after: saved()))),
        RedCase(
            "waitFor.waitFor.peer", .red("although it came of `wallet`"),
            """
            - main: hasValidActivation
            - waitFor: { event: state.saved, peer: main, within: LIMIT }
            """, red: main(yes(after: saved(by: "wallet"))), green: main(yes(after: saved()))),
        RedCase(
            "waitFor.waitFor.where", .red("the last of 1 such events differs"),
            """
            - main: hasValidActivation
            - waitFor: { event: state.saved, peer: main, where: { bytes: 2 }, within: LIMIT }
            """, red: main(yes(after: saved(1))), green: main(yes(after: saved(2)))),
        RedCase(
            "waitFor.waitFor.within", .red("did not come within 20 ms"),
            "- main: hasValidActivation\n- waitFor: { event: state.saved, within: LIMIT }", red: main(yes),
            green: main(yes(after: saved()))),
    ]
}
