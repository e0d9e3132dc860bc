import LabKit
import TestSupport
import Testing

@Suite("Quirks", .endsInTime)
struct QuirkTests {
    @Test("Quirks are read by their ids")
    func quirksAreReadByTheirIds() throws {
        let set = try QuirkSet(parsing: ["sharing.D7"])
        #expect(set.contains(.counterAfterSave))
        #expect(!set.contains(.staleExternalOperation))
        #expect(try QuirkSet(parsing: ["original"]) == .original)
        #expect(try QuirkSet(parsing: []) == .none)
    }

    @Test("An unknown id is refused with the known ones")
    func anUnknownIdIsRefusedWithTheKnownOnes() {
        let error = #expect(throws: UnknownQuirk.self) { try QuirkSet(parsing: ["sharing.D99"]) }
        #expect(error?.description.hasPrefix("there is no quirk 'sharing.D99'; known are 'original'") == true)
    }

    @Test("Every quirk has an id of its own and a summary")
    func everyQuirkHasAnIdOfItsOwnAndASummary() {
        #expect(Set(Quirk.all.map(\.rawValue)).count == Quirk.all.count)
        #expect(Quirk.all.allSatisfy { !$0.summary.isEmpty })
    }
}
