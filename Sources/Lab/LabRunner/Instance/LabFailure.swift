/// The lab itself could not do its work: a verdict of "inconclusive", never of "failed".
public struct LabFailure: Error, CustomStringConvertible, Sendable {
    /// What happened, where, and how to fix it.
    public let description: String

    /// Describes a failure of the lab.
    public init(_ description: String) {
        self.description = description
    }
}
