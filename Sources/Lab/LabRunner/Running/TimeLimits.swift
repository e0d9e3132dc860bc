public import LabKit

/// Real-time limits after which steps, scenarios and runs count as hanging.
public struct TimeLimits: Sendable, Equatable {
    /// For the answer to a command without `within`.
    public var step = ControlClient.patience
    /// For the steps of a scenario, and again for its tear-down; nil for no limit.
    public var scenario: LabDuration? = .seconds(60).stretched
    /// For the whole run; nil for no limit.
    public var run: LabDuration?

    /// Limits that a working lab never reaches.
    public init() {}
}
