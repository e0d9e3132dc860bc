// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Scenarios are listed, checked and planned without starting anything", .endsInTime)
struct OverviewTests {
    private let workspace: SuiteWorkspace

    init() throws {
        workspace = try SuiteWorkspace([
            "a.yaml": """
            name: "First \\e[31mone"
            tags: [fast, small]
            values:
              user: { generate: name }
              pin: { generate: pin }
              password: { secret: "correct horse" }
              limit: 5
            steps:
              - server: initActivation
                with: { userId: "${user}", maxFailureCount: "${limit}" }
                as: code
              - repeat: 2
                steps:
                  - main: createActivation
                    with: { activationCode: "${code.activationCode}", name: "Phone of ${user}" }
                  - main: persistActivation
                    with: { password: "${pin}" }
            tearDown:
              - note: "The password of \\e main"
                main: persistActivation
                with: { password: "${password}" }
            """,
            "b.yaml": "name: Second\nquarantine: not yet\nsteps:\n  - main: kill\n",
        ])
    }

    private func overview<Value>(
        change: (inout RunOptions) -> Void = { _ in }, _ body: (SuiteOverview) throws -> Value
    ) rethrows -> (Value, String) {
        try workspace.output(change: change) { options, print in
            try body(SuiteOverview(options: options, environment: [:], print: print, writeErrors: print))
        }
    }

    @Test func `Only a check warns about a value that is never used`() throws {
        let workspace = try SuiteWorkspace([
            "a.yaml": "name: A\nsteps:\n  - main: hasValidActivation\n    as: payment\n"
        ])
        let (found, silence) = workspace.output { options, print in
            SuiteSearch(options: options, environment: [:], print: print, writeErrors: print).find()
        }
        #expect(found?.scenarios.count == 1 && silence == "", "\(silence)")
        let (outcome, text) = workspace.output { options, print in
            SuiteOverview(options: options, environment: [:], print: print, writeErrors: print).check()
        }
        #expect(outcome == .passed && text.contains("a.yaml:4:9: warning: `payment` is never used"), "\(text)")
    }

    @Test func `A list shows identifier, name, tags and quarantine`() {
        let (outcome, text) = overview { $0.list(asJSON: false) }
        #expect(outcome == .passed)
        #expect(
            text == """
                a.yaml  First \\u001B[31mone  [fast, small]
                b.yaml  Second  quarantined: not yet

                """)
    }

    @Test func `A list for programs has a version`() throws {
        let (outcome, text) = overview(change: { $0.tags = ["!fast"] }) { $0.list(asJSON: true) }
        #expect(outcome == .passed)
        #expect(
            try JSONValue.parse(Data(text.utf8)) == [
                "version": 1,
                "scenarios": [
                    ["id": "b.yaml", "name": "Second", "file": "b.yaml", "tags": [], "quarantine": "not yet"]
                ],
            ])
    }

    @Test func `A check reports success, or every error`() throws {
        #expect(overview { $0.check() } == (.passed, "2 scenarios in 2 files: no mistakes\n"))
        try workspace.write("name: Wrong\nsteps:\n  - mian: kill\n", to: "c.yaml")
        let (outcome, text) = overview { $0.check() }
        #expect(outcome == .badInput)
        #expect(text.contains("c.yaml:3:5: error: there is no actor called `mian`"), "\(text)")
    }

    @Test func `A plan shows each step in order, with constants and generated values, and no secret`() {
        let user = GeneratedValue(name: "user", kind: .name, size: 0).draw(seed: 3, scenario: "a.yaml")
        let name = user.stringValue ?? ""
        let (outcome, text) = overview(change: { ($0.seed, $0.tags) = (3, ["fast"]) }) { $0.plan() }
        #expect(outcome == .passed)
        #expect(
            text == #"""
                a.yaml  First \u001B[31mone
                  values:
                    user = "\#(name)"  generated from the seed
                    pin = "••••"  generated from the seed
                    password = "••••"  from the file
                    limit = 5  from the file
                  steps:
                  1  server: initActivation  as code
                     server creates an activation and the code that starts it (userId="\#(name)", maxFailureCount=5)
                  2  repeat: 2
                    2.1  main: createActivation
                         main exchanges keys with the server, using an activation code (activationCode="${code.activationCode}", name="Phone of \#(name)")
                    2.2  main: persistActivation
                         main protects the new activation with a password and stores it (password="••••")
                  tear-down:
                  t1  main: persistActivation  password="••••"
                      The password of \u001B main

                nothing was started; generated values are those of seed 3

                """#)
    }

    @Test func `A plan uses an included file's own names for what it keeps`() throws {
        try workspace.write("steps:\n  - main: activationIdentifier\n    as: identifier\n", to: "steps.yaml")
        try workspace.write("name: Including\nsteps:\n  - include: steps.yaml\n", to: "c.yaml")
        let (_, text) = overview(change: { $0.filter = "Including" }) { $0.plan() }
        #expect(text.contains("1.1  main: activationIdentifier  as identifier\n"), "\(text)")
    }

    @Test func `The seed fixes a random order`() throws {
        let names = (1...20).map { String($0) }
        func shuffled(_ seed: UInt64) -> [String] {
            var stream = SeedStream(seed: seed, "order")
            return names.shuffled(using: &stream)
        }
        #expect(shuffled(1) == shuffled(1))
        #expect(shuffled(1) != shuffled(2))
    }
}
