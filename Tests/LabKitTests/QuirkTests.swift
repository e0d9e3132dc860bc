import LabKit
import Testing

@Suite struct QuirkTests {
    @Test func quirksAreReadByTheirIds() throws {
        let set = try QuirkSet(parsing: ["sharing.D7"])
        #expect(set.contains(.counterAfterSave))
        #expect(!set.contains(.staleExternalOperation))
        #expect(try QuirkSet(parsing: ["original"]) == .original)
        #expect(try QuirkSet(parsing: []) == .none)
    }

    @Test func anUnknownIdIsRefusedWithTheKnownOnes() {
        let error = #expect(throws: UnknownQuirk.self) { try QuirkSet(parsing: ["sharing.D99"]) }
        #expect(error?.description.hasPrefix("there is no quirk 'sharing.D99'; known are 'original'") == true)
    }

    @Test func everyQuirkHasAnIdOfItsOwnAndASummary() {
        #expect(Set(Quirk.all.map(\.rawValue)).count == Quirk.all.count)
        #expect(Quirk.all.allSatisfy { !$0.summary.isEmpty })
    }
}
