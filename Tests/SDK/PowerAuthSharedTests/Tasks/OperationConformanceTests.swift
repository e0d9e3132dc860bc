import Foundation
import PowerAuthShared
import TestSupport
import Testing

/// sdk.md, section 5.26.
@Suite("Operations as tasks", .endsInTime)
struct OperationConformanceTests {
    @Test("An operation of the application is a task")
    func anOperationOfTheApplicationIsATask() {
        let task: any PowerAuthOperationTask = BlockOperation {}
        #expect(!task.isCancelled)
        task.cancel()
        #expect(task.isCancelled)
    }
}
