import LabFile
import TestSupport
import Testing

@testable import LabRunner

@Suite("Requirements and quarantine decide whether a scenario runs and counts", .endsInTime)
struct QuarantineStatusTests {
    @Test("A topology that lacks what a scenario requires does not run it, and its steps are not checked")
    func requirements() throws {
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

    @Test("A quarantine has an owner and a last day; after that day, a failure counts again")
    func quarantine() throws {
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
        let wrong = try ScenarioFolder(
            "name: Q\nquarantine: { reason: x, until: soon }\nsteps:\n  - main: kill\n"
        ).read()
        #expect(wrong.diagnostics.map(\.kind.identifier) == ["wrongType"])
    }
}
