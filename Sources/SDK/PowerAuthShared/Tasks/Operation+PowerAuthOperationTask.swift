public import Foundation

/// An operation of the application is a task as it stands (sdk.md, section 5.26).
extension Operation: PowerAuthOperationTask {}
