import Foundation
import PowerAuthShared
import Testing

/// sdk.md, section 5.26.
struct OperationConformanceTests {
    @Test func anOperationOfTheApplicationIsATask() {
        let task: any PowerAuthOperationTask = BlockOperation {}
        #expect(!task.isCancelled)
        task.cancel()
        #expect(task.isCancelled)
    }
}
