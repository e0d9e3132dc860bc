internal import LabFile
internal import LabKit

/// One way in which a value differs from what was expected.
struct Mismatch: Sendable {
    /// Where in the value: `devices.0.name`; empty for the value itself.
    let path: String
    /// What was expected, in words or as JSON.
    let expected: String
    /// What was there instead; nil when there was nothing.
    let actual: JSONValue?
    /// Where the expectation was written.
    let place: SourcePlace
    /// What both have in common, where that explains the difference.
    var hint: String?
}
