import Foundation

/// How much longer than on an idle developer machine this machine may take, before something counts as hanging.
///
/// The lab's limits of real time (a process starts, answers, ends) are for things that never happen; lab time knows
/// nothing of them. On a machine that is slow on purpose, such as a shared build server or a sanitizer's run, the
/// environment variable `LAB_TIME_FACTOR` stretches all of them at once.
public enum TimeFactor {
    /// The name of the environment variable.
    public static let variable = "LAB_TIME_FACTOR"

    /// The factor of this process: what the variable says, 1 without it, never less than 1.
    public static let current = factor(in: ProcessInfo.processInfo.environment)

    /// The factor of an environment; a text that is not a finite number of 1 or more counts as 1.
    static func factor(in environment: [String: String]) -> Double {
        guard let factor = environment[variable].flatMap(Double.init), factor.isFinite else { return 1 }
        return max(1, factor)
    }
}

extension LabDuration {
    /// This limit of real time, stretched by ``TimeFactor/current``.
    public var stretched: LabDuration { stretched(by: TimeFactor.current) }

    /// At most some thirty years, so that a deadline can be counted from now.
    func stretched(by factor: Double) -> LabDuration {
        LabDuration(nanoseconds: Int64(min(Double(nanoseconds) * factor, 1e18)))
    }
}
