import LabKit

/// The steps before or after those of the scenario, with a time limit of their own.
struct Phase: Sendable {
    /// Maximum real time for all of them together.
    let limit: LabDuration
    let steps: [Step]

    /// The first letter of the numbers of set-up steps.
    static let setupPrefix = "s"
    /// The first letter of the numbers of tear-down steps.
    static let tearDownPrefix = "t"

    /// A step's number in a sentence.
    static func title(ofStep path: String) -> String {
        if path.hasPrefix(setupPrefix) { return "set-up step \(path.dropFirst())" }
        if path.hasPrefix(tearDownPrefix) { return "tear-down step \(path.dropFirst())" }
        return "step \(path)"
    }

    /// The default.
    static let usualLimit = LabDuration.seconds(30).stretched
}
