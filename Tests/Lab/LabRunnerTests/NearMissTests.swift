import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("What two lists that differ have in common", .endsInTime)
struct NearMissTests {
    @Test("The same elements in another order are named, each counted once")
    func reordered() {
        let rows: [(JSONValue, JSONValue, Bool)] = [
            ([1, 2], [2, 1], true), ([1, 2, 1], [1, 1, 2], true), ([["a": 1], 2], [2, ["a": 1]], true),
            ([1, 2], [1, 3], false), ([1, 1], [1, 2], false), ([1], [1, 1], false), ([1, 1], [1], false),
        ]
        for (expected, actual, isReordered) in rows {
            let hint = NearMiss.hint(expected: expected, actual: actual)
            #expect(hint == (isReordered ? NearMiss.otherOrder : nil), "\(expected) \(actual)")
        }
    }
}
