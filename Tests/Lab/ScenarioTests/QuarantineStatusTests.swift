// SPDX-License-Identifier: Apache-2.0

import LabFile
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("Requirements and quarantine decide whether a scenario runs and counts", .endsInTime)
struct QuarantineStatusTests {
    @Test
    func `A topology that lacks what a scenario requires does not run it, and its steps are not checked`() throws {
        func obstacle(_ requires: String) throws -> String? {
            let outcome = try ScenarioFolder(
                "name: R\nrequires: \(requires)\nsteps:\n  - tablet: hasValidActivation\n"
            ).read()
            return try #require(outcome.scenarios.first, "\(outcome.diagnostics.map(\.kind.sentence))").obstacle
        }
        #expect(try obstacle("{ actors: [main, tablet] }") == "the topology `default` has no `tablet`")
        #expect(try obstacle("{ tls: true }") == "the topology `default` has no server with TLS")
        let fulfilled = try ScenarioFolder(
            "name: R\nrequires: { actors: [main] }\nsteps:\n  - main: hasValidActivation\n"
        ).read()
        #expect(fulfilled.scenarios.map(\.obstacle) == [nil])
    }

    private static let sharing = """
        devices: { phone: { apps: { main: { powerAuth: { sharing: \
        { appGroup: group.a, appIdentifier: a, keychainAccessGroup: T.a } } } } } }
        """
    private static let blind = "devices: { phone: { biometry: none } }"

    /// What a scenario replaces in the topology, what it requires, and what the topology has or lacks.
    private static let needs: [(String, String, String?)] = [
        ("", "tls: true", "no server with TLS"), ("", "tls: false", nil),
        ("server: { tls: valid }", "tls: true", nil), ("server: { tls: valid }", "tls: false", "a server with TLS"),
        ("", "sharing: true", "no app that shares its activation"), ("", "sharing: false", nil),
        (sharing, "sharing: true", nil), (sharing, "sharing: false", "an app that shares its activation"),
        ("", "biometry: true", nil), ("", "biometry: false", "a device with biometry"),
        (blind, "biometry: true", "no device with biometry"), (blind, "biometry: false", nil),
        ("", "actors: [main, server, pairing, phone, clock]", nil), ("", "actors: [main, tablet]", "no `tablet`"),
        ("", "tls: true, sharing: true", "no server with TLS"), ("", "", nil),
    ]

    @Test(arguments: needs)
    func `What a scenario requires to be there, or not to be there, is compared with its topology`(
        replaced: String, requires: String, obstacle: String?
    ) throws {
        let outcome = try ScenarioFolder(
            """
            name: R
            lab: { use: default, override: { \(replaced) } }
            requires: { \(requires) }
            steps:
              - main: hasValidActivation

            """
        ).read()
        #expect(outcome.diagnostics.map(\.kind) == [])
        let found = try #require(outcome.scenarios.first).obstacle
        #expect(found == obstacle.map { "the topology `default` has \($0)" })
    }

    @Test func `A quarantine has an owner and a last day; after that day, a failure counts again`() throws {
        func standing(_ quarantine: String) throws -> QuarantineStatus {
            let outcome = try ScenarioFolder("name: Q\nquarantine: \(quarantine)\nsteps:\n  - main: kill\n").read()
            return try #require(outcome.scenarios.first, "\(outcome.diagnostics.map(\.kind.sentence))").standing
        }
        #expect(try standing("known defect").quarantine == "known defect")
        let open = try standing("{ reason: known, owner: Petr, until: 2999-12-31 }")
        #expect(open.quarantine == "known (Petr, until 2999-12-31)")
        #expect(open.remarkOnPassing?.hasSuffix("remove `quarantine`") == true)
        let ended = try standing("{ reason: known, until: 2020-01-31 }")
        #expect(ended.quarantine == nil)
        #expect(ended.remarkOnFailing == "its quarantine has ended: known (until 2020-01-31)")
    }

    @Test func `The last day of a quarantine is a day of the calendar`() throws {
        func mistakes(_ until: String) throws -> [String] {
            try ScenarioFolder(
                "name: Q\nquarantine: { reason: x, until: '\(until)' }\nsteps:\n  - main: kill\n"
            ).read().diagnostics.map(\.kind.identifier)
        }
        for day in ["2027-01-31", "2028-02-29", "2027-12-01"] { #expect(try mistakes(day) == [], "\(day)") }
        for text in [
            "soon", "2027-02-31", "2027-02-29", "2027-04-31", "2027-13-01", "2027-00-01", "2027-01-00", "2027-1-1",
            "2027-01-31T00:00:00Z",
        ] {
            #expect(try mistakes(text) == ["wrongType"], "\(text)")
        }
    }
}
