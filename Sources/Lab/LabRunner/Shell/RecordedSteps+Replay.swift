import LabKit

extension RecordedSteps {
    /// A pause after which a step is assumed to have waited for something, in nanoseconds.
    private static let longPause: UInt64 = 1_000_000_000

    /// How a step that failed in a replay differs from the session, the possible reason, and what to change; nil for a
    /// failure that concerns no step of it.
    func difference(_ failure: StepFailure) -> String? {
        guard let entry = entry(ofStep: failure.step) else { return nil }
        return "step \(failure.step), `\(failure.title)`, did not end as in the session: \(reason(failure, entry))"
    }

    private func reason(_ failure: StepFailure, _ entry: Entry) -> String {
        if entry.pause >= Self.longPause {
            return
                "it came \(Self.seconds(entry.pause)) after the step before, and a replay does not wait; if it depends on "
                + "time, write what it waits for: `waitFor` with an event, `eventually`, or `advance` for the lab's clock"
        }
        if !failure.differences.isEmpty {
            return "its answer is another one each time; take what differs out of `expect`"
        }
        let texts = entry.steps.flatMap(\.argumentNames)
        guard !texts.isEmpty else { return "what it ends with differs from run to run; expect it with `either`" }
        return
            "it may be that a value holds in one session only (\(texts.joined(separator: ", "))); what an earlier step "
            + "answers is written `${NAME.member}`"
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        nanoseconds < 100_000_000_000 ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 60_000_000_000) min"
    }
}

extension Step {
    /// The names of arguments with literal values.
    fileprivate var argumentNames: [String] {
        guard case .command(let command) = action else { return inner.flatMap(\.argumentNames) }
        return command.arguments.compactMap { argument in
            if case .literal(.string) = argument.value { argument.field.name } else { nil }
        }
    }
}
