package import Foundation

extension Result where Failure == NSError {
    /// The error of a failure.
    package var failure: NSError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
