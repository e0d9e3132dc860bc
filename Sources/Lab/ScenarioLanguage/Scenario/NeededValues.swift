// SPDX-License-Identifier: Apache-2.0

// The variables that a step needs and keeps: for the steps after a block in which an order of turns has killed an app.
extension Step {
    /// The references in the step itself. Those in steps that are carried out one by one inside it are theirs, unless the
    /// step judges their ends or compares their answers.
    package var references: [Reference] {
        let own: [Reference] =
            switch action {
            case .command(let command): command.references
            case .check(let condition): condition.value.references + condition.expectation.references
            case .waitFor(let event, _), .never(.event(let event), _): event.references
            case .order(let events): events.flatMap(\.references)
            case .same(let steps): steps.flatMap(\.references)
            case .never(.answer(let probe), _): probe.references
            case .repeated(let times, _, _): times.references
            case .each(let values, _, _): values.references
            case .race(let race): (race.outcome?.winners.references ?? []) + (race.outcome?.others?.references ?? [])
            case .advance, .stays, .during, .eventually, .parallel, .postConditions, .included: []
            }
        guard let when else { return own }
        return own + [when.reference] + when.value.references + when.expectation.references
    }

    /// The names, in the run, of the variables that the step and those inside it keep.
    package var keptNames: [String] {
        let own: String? =
            switch action {
            case .command(let command): command.capture
            case .race(let race): race.outcome?.capture
            default: nil
            }
        return [own].compactMap(\.self) + inner.flatMap(\.keptNames)
    }
}

extension CommandStep {
    fileprivate var references: [Reference] {
        [alias].compactMap(\.self) + arguments.flatMap(\.value.references) + outcome.references
    }
}

extension CommandStep.Outcome {
    fileprivate var references: [Reference] {
        switch self {
        case .succeeds: []
        case .result(let expectation), .failure(let expectation): expectation.references
        case .either(let ways): ways.flatMap(\.outcome.references)
        }
    }
}

extension EventPattern {
    fileprivate var references: [Reference] { fields?.references ?? [] }
}

extension Expectation {
    fileprivate var references: [Reference] {
        switch matcher {
        case .equals(let value), .startsWith(let value), .endsWith(let value), .atLeast(let value), .atMost(let value):
            value.references
        case .between(let first, let second), .near(let first, let second): first.references + second.references
        case .object(let members): members.flatMap(\.expectation.references)
        case .list(let inner), .oneOf(let inner), .all(let inner): inner.flatMap(\.references)
        case .exactly(let inner), .not(let inner), .contains(let inner), .each(let inner), .length(let inner):
            inner.references
        case .matches, .type, .absent, .any: []
        }
    }
}

extension Template {
    fileprivate var references: [Reference] {
        switch self {
        case .literal: []
        case .reference(let reference): [reference]
        case .interpolation(let parts):
            parts.compactMap { part -> Reference? in
                if case .reference(let reference) = part { reference } else { nil }
            }
        case .list(let elements): elements.flatMap(\.references)
        case .object(let members): members.values.flatMap(\.references)
        }
    }
}
