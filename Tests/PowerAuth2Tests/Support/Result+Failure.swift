import Foundation
import TestSupport

extension Result where Failure == NSError {
    /// The error of a failure.
    var failure: NSError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
