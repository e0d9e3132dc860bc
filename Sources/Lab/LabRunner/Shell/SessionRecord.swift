internal import LabFile
internal import LabKit

/// What was done in a session, as a scenario can repeat it, without the secrets that were typed: what `lab shell`,
/// `lab record` and the dashboard keep.
///
/// Not thread-safe, as the steps are.
struct SessionRecord {
    let steps: LiveSteps
    private(set) var recorded = RecordedSteps()
    /// How many texts are not in the record, because a secret would be in it.
    private(set) var leftOut = 0

    init(of steps: LiveSteps) { self.steps = steps }

    /// What became of a text.
    enum Addition {
        /// It is in the record, or nothing that could be repeated. `foundOut` is what a command failed with of which
        /// nothing was expected.
        case kept(foundOut: ControlError?)
        /// A secret would be in the record.
        case leftOut
    }

    /// Adds what was carried out.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, as it was read.
    ///   - pause: The time since the end of what was carried out before, in nanoseconds.
    mutating func add(_ yaml: String, _ outcome: LiveSteps.Outcome, after pause: UInt64 = 0) -> Addition {
        if case .refused = outcome { return .kept(foundOut: nil) }
        // What was answered and typed again becomes a reference to the answer.
        guard let kept = steps.withoutSecrets(yaml, except: recorded.wasAnswered) else {
            leftOut += 1
            return .leftOut
        }
        return .kept(foundOut: recorded.add(kept, outcome, after: pause))
    }

    /// Takes the last text of the record back.
    ///
    /// - Returns: Whether there was one.
    mutating func removeLast() -> Bool { recorded.removeLast() }

    /// How many texts a scenario would have.
    var count: Int { recorded.entries.count }

    /// The secrets that a scenario reads from the environment.
    var secrets: [GivenSecret] { recorded.used(of: steps.given) }

    /// The scenario.
    ///
    /// - Parameter name: Its name.
    func scenario(named name: String) -> String {
        let remark =
            leftOut == 0
            ? "" : "# Not here, because a secret is in the middle of the text: \(leftOut) of the steps.\n"
        let text = recorded.scenario(
            named: name, topology: steps.instance.manifest.topology.name, secrets: steps.given)
        return remark + steps.redactor.redact(text)
    }
}
