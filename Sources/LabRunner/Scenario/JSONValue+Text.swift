internal import LabKit

extension JSONValue {
    /// The value as one line of JSON with sorted keys.
    var compactText: String { description }
}
