// SPDX-License-Identifier: Apache-2.0

import LabCore
import ScenarioEngine

@testable import LabReports

// Concurrent steps: no branch is answered before all have asked, so that they overlap.
extension RedCase {
    private static func both(_ first: JSONValue, _ second: JSONValue) -> [String: [JSONValue]] {
        ["main.hasValidActivation": [first], "wallet.hasValidActivation": [second]]
    }

    private static func race(_ more: String) -> String {
        "- race:\n    - main: hasValidActivation\n    - wallet: hasValidActivation\n\(more)"
    }

    /// Two branches, whose second turn is not that of the second app, or is.
    private static func ordered(_ word: String) -> RedCase {
        RedCase(
            "\(word).order",
            .red("turn 2 of its order could not be given: `wallet` should continue", .inconclusive),
            """
            - \(word):
                - main: hasValidActivation
                - wallet: hasValidActivation
              order:
                - main: start
                - wallet: LIMIT
            """, red: both(yes, yes), green: both(yes, yes), limit: ("queueLock.taken", "start"))
    }

    /// A block whose orders `lab run` would play, with one of them beside; `ExploreTests` play them.
    private static func explored(_ word: String) -> RedCase {
        RedCase(
            "\(word).orders", .refused("`order` and `orders` exclude each other"),
            """
            - \(word):
                - main: hasValidActivation
                - wallet: hasValidActivation
              order: [{ main: start }, { wallet: start }]
              orders: all
            """)
    }

    private static let lost = error("externalPendingOperation")

    static let ofBranches: [RedCase] = [
        ordered("parallel"), ordered("race"), explored("parallel"), explored("race"),
        RedCase(
            "parallel.parallel", .red("the result is not as expected"),
            """
            - parallel:
                - main: hasValidActivation
                  expect: true
                - wallet: hasValidActivation
            """, red: both(no, yes), green: both(yes, yes), together: 2),
        RedCase(
            "parallel.parallel", .red("it failed with externalPendingOperation"),
            """
            - parallel:
                - main: hasValidActivation
                - - wallet: hasValidActivation
            """, red: both(yes, lost), green: both(yes, yes), together: 2),
        RedCase(
            "race.race", .red("it failed with externalPendingOperation"), race(""), red: both(yes, lost),
            green: both(yes, yes), together: 2),
        RedCase(
            "race.race", .red("branch 2 sent no command at all; so the race shows nothing", .inconclusive),
            """
            - main: hasValidActivation
              as: seen
            - race:
                - main: hasValidActivation
                - wallet: hasValidActivation
                  when: { check: "${seen}", expect: true }
            """, red: main(no)),
        RedCase(
            "race.winners", .red("2 of 2 branches won"), race("  winners: 1"), red: both(yes, yes),
            green: both(yes, lost), together: 2),
        RedCase(
            "race.winners", .red("0 of 2 branches won"), race("  winners: 1"), red: both(lost, lost),
            green: both(lost, yes), together: 2),
        RedCase(
            "race.others", .red("lost with another error than expected"),
            race("  winners: 1\n  others: externalPendingOperation"), red: both(yes, error("networkError")),
            green: both(yes, lost), together: 2),
        RedCase(
            "race.as", .red("the value is not as expected"),
            race("  winners: 1\n  as: winner\n- check: \"${winner.actor}\"\n  expect: main"), red: both(lost, yes),
            green: both(yes, lost), together: 2),
    ]
}
