import LabFile
import LabKit

/// One difference between a value and its expectation.
struct Mismatch: Sendable {
    /// The path in the value: `devices.0.name`; empty for the value itself.
    let path: String
    /// The expected value, in words or as JSON.
    let expected: String
    /// The actual value; nil if missing.
    let actual: JSONValue?
    /// The place of the expectation.
    let place: SourcePlace
    /// What both values have in common, if that explains the difference.
    var hint: String?
}
