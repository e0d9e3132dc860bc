public import LabKit

/// How long things may take, in real time, before they count as hanging.
public struct TimeLimits: Sendable, Equatable {
    /// For the answer to one command that does not say `within`.
    public var step = ControlClient.patience
    /// For the steps of a scenario, and for its tear-down again; nil for as long as they like.
    public var scenario: LabDuration? = .seconds(60).stretched
    /// For the whole run; nil for as long as it likes.
    public var run: LabDuration?

    /// The limits that a working lab never meets.
    public init() {}
}
