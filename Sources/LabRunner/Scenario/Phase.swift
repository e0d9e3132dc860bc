internal import LabKit

/// The steps before or after those of the scenario, with a time limit of their own.
struct Phase: Sendable {
    /// How long they may take together, in real time.
    let limit: LabDuration
    let steps: [Step]

    /// What applies when nothing is said.
    static let usualLimit = LabDuration.seconds(30).stretched
}
