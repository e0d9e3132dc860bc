import LabFile
import LabKit

/// The repeatable steps of a session, without the secrets that were typed: kept by `lab shell`, `lab record` and the
/// dashboard.
///
/// Not thread-safe, like the steps.
struct SessionRecord {
    let steps: LiveSteps
    private(set) var recorded = RecordedSteps()
    /// Number of texts left out of the record because they would contain a secret.
    private(set) var leftOut = 0

    init(of steps: LiveSteps) { self.steps = steps }

    /// The result of adding a text.
    enum Addition {
        /// It is recorded, or cannot be repeated. `foundOut` is the error of a command without an expectation.
        case kept(foundOut: ControlError?)
        /// It is left out: the record would contain a secret.
        case leftOut
    }

    /// Adds a text that was carried out.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, as typed.
    ///   - pause: The time since the end of the previous step, in nanoseconds.
    mutating func add(_ yaml: String, _ outcome: LiveSteps.Outcome, after pause: UInt64 = 0) -> Addition {
        if case .refused = outcome { return .kept(foundOut: nil) }
        // A text from an answer that was typed again becomes a reference to the answer.
        guard let kept = steps.withoutSecrets(yaml, except: recorded.wasAnswered) else {
            leftOut += 1
            return .leftOut
        }
        return .kept(foundOut: recorded.add(kept, outcome, after: pause))
    }

    /// Removes the last text of the record.
    ///
    /// - Returns: Whether it existed.
    mutating func removeLast() -> Bool { recorded.removeLast() }

    /// Number of texts in the scenario.
    var count: Int { recorded.entries.count }

    /// The secrets that a scenario reads from the environment.
    var secrets: [GivenSecret] { recorded.used(of: steps.given) }

    /// The scenario.
    ///
    /// - Parameter name: Its name.
    func scenario(named name: String) -> String {
        let remark =
            leftOut == 0
            ? ""
            : "# Not here, because a secret is in the middle of the text or on several lines: \(leftOut) of the steps.\n"
        let text = recorded.scenario(
            named: name, topology: steps.instance.manifest.topology.name, secrets: steps.given)
        return remark + steps.redactor.redact(text)
    }
}
