import LabKit
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("The register of operations (mobile-token.md, section 6.3)", .endsInTime)
struct RegisterTests {
    private func operations(_ ids: String..., name: String = "payment") throws -> [WMTUserOperation] {
        try ids.map {
            try JSON.read(WMTUserOperation.self, Example.operation.with("id", .string($0)).with("name", .string(name)))
        }
    }

    private func ids(_ change: OperationRegister.Change?) -> [[String]]? {
        change.map { [$0.operations, $0.removed, $0.added].map { $0.map(\.id) } }
    }

    @Test("A new list replaces instances and order, reports added and removed ones, and has no duplicates")
    func replace() throws {
        var register = OperationRegister(keepsOldOperations: false)
        #expect(ids(register.replace(with: try operations("1", "2"))) == [["1", "2"], [], ["1", "2"]])
        let change = register.replace(with: try operations("3", "2", "3", name: "login"))
        #expect(ids(change) == [["3", "2"], ["1"], ["3"]])
        #expect(change.operations.allSatisfy { $0.name == "login" })
        #expect(ids(register.replace(with: change.operations)) == [["3", "2"], [], []])
    }

    @Test("With the original's defect, known operations stay as and where they were (quirk mobile-token.2)")
    func original() throws {
        var register = OperationRegister(keepsOldOperations: true)
        _ = register.replace(with: try operations("1", "2"))
        let change = register.replace(with: try operations("3", "2", name: "login"))
        #expect(ids(change) == [["2", "3"], ["1"], ["3"]])
        #expect(change.operations.map(\.name) == ["payment", "login"])
    }

    @Test("A claimed operation is added once, and one that is done is removed once")
    func addAndRemove() throws {
        var register = OperationRegister(keepsOldOperations: false)
        let operation = try operations("1")[0]
        #expect(ids(register.add(operation)) == [["1"], [], ["1"]])
        #expect(register.add(operation) == nil)
        #expect(ids(register.remove(id: "1")) == [[], ["1"], []])
        #expect(register.remove(id: "1") == nil)
    }
}
