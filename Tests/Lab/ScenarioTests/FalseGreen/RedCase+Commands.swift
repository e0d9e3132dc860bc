// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore

@testable import LabReports

// The words beside a command, and the words for its outcomes.
extension RedCase {
    static let ofCommands: [RedCase] = [
        RedCase(
            "command.as", .red("the value is not as expected"),
            """
            - main: hasValidActivation
              as: seen
            - check: "${seen}"
              expect: true
            """, red: main(no), green: main(yes)),
        RedCase(
            "command.either", .red("it ended in none of the 2 ways"),
            """
            - main: hasValidActivation
              either: [{ expect: true }, { fails: networkError }]
            """, red: main(no), green: main(error("networkError"))),
        RedCase(
            "way.name", .red("the value is not as expected"),
            """
            - main: hasValidActivation
              either: [{ name: active, expect: true }, { name: cut, fails: networkError }]
              as: way
            - check: "${way.name}"
              expect: active
            """, red: main(error("networkError")), green: main(yes)),
        RedCase(
            "command.eventually", .red("attempts"),
            """
            - main: hasValidActivation
              expect: true
              eventually: LIMIT
            """, red: main(no), green: main(no, no, yes)),
        RedCase(
            "command.eventually", .red("it failed with wrongState"),
            """
            - main: hasValidActivation
              eventually: LIMIT
            """, red: main(error("wrongState")), green: main(error("wrongState"), yes)),
        RedCase(
            "command.expect", .red("the result is not as expected"),
            """
            - main: hasValidActivation
              expect: true
            """, red: main(no), green: main(yes)),
        RedCase(
            "command.expect", .red("it failed with networkError"),
            """
            - main: hasValidActivation
              expect: { any: true }
            """, red: main(error("networkError")), green: main(yes)),
        RedCase(
            "command.fails", .red("it was expected to fail, but it succeeded"),
            """
            - main: hasValidActivation
              fails: any
            """, red: main(yes), green: main(error("networkError"))),
        RedCase(
            "command.fails", .red("it failed with another error than expected"),
            """
            - main: hasValidActivation
              fails: networkError
            """, red: main(error("missingActivation")), green: main(error("networkError"))),
        RedCase(
            "command.fails", .red("it failed with another error than expected"),
            """
            - main: hasValidActivation
              fails: { code: networkError, httpStatusCode: 503 }
            """,
            red: main(["error": ["name": "networkError", "message": "no", "userInfo": ["httpStatusCode": 500]]]),
            green: main(["error": ["name": "networkError", "message": "no", "userInfo": ["httpStatusCode": 503]]])),
        RedCase(
            "command.when", .red("the result is not as expected"),
            """
            - main: fetchActivationStatus
              as: status
            - wallet: hasValidActivation
              expect: true
              when: { check: "${status.state}", expect: blocked }
            """, red: status("blocked"), green: status("active")),
        RedCase(
            "command.when.check", .refused("takes a value that a step has kept"),
            """
            - main: hasValidActivation
              when: { check: 1, expect: 1 }
            """),
        RedCase(
            "command.when.expect", .red("the result is not as expected"),
            """
            - main: fetchActivationStatus
              as: status
            - wallet: hasValidActivation
              expect: true
              when: { check: "${status.failCount}", expect: { atLeast: 3 } }
            """, red: status("active", failures: 3), green: status("active", failures: 2)),
        RedCase(
            "command.with", .refused("`userID`"),
            """
            - server: initActivation
              with: { userID: alice }
            """),
        RedCase(
            "command.within", .red("(`within`)"),
            """
            - main: hasValidActivation
              within: LIMIT
            """, red: main(yes), green: main(yes), limit: ("0ms", "1m")),
        RedCase(
            "way.expect", .red("yes: the result is not as expected"),
            """
            - main: hasValidActivation
              either: [{ name: yes, expect: true }, { name: cut, fails: networkError }]
            """, red: main(no), green: main(yes)),
        RedCase(
            "way.fails", .red("cut: it failed with another error than expected"),
            """
            - main: hasValidActivation
              either: [{ name: yes, expect: true }, { name: cut, fails: networkError }]
            """, red: main(error("missingActivation")), green: main(error("networkError"))),
    ]
}
