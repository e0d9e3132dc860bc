import LabKit

/// Collects the error codes and fault points that the steps of a scenario name.
///
/// A name counts only in these places: in `fails` and `others`, in a member or a field with the name `code`, `error`,
/// `cause` or `point`, and in such an argument of a command.
///
/// Not thread-safe: used by the one thread that collects.
struct ScenarioCoverage {
    /// The codes and fault points; numbers as written.
    private(set) var names: Set<String> = []

    private static let keys: Set<String> = ["cause", "code", "error", "others", "point"]

    init(of scenario: Scenario) {
        for step in scenario.allSteps { add(step) }
    }

    private mutating func add(_ step: Step) {
        switch step.action {
        case .command(let command): add(command)
        case .check(let condition): add(condition)
        case .waitFor(let event, _): add(in: event.fields)
        case .order(let events): for event in events { add(in: event.fields) }
        case .race(let race): add(named: race.outcome?.others)
        default: break
        }
        for step in step.inner { add(step) }
    }

    private mutating func add(_ step: CommandStep) {
        for argument in step.arguments where Self.keys.contains(argument.field.name) { add(argument.value) }
        add(step.outcome)
    }

    private mutating func add(_ outcome: CommandStep.Outcome) {
        switch outcome {
        case .succeeds: break
        case .result(let expectation): add(in: expectation)
        case .failure(let expectation): add(in: expectation)
        case .either(let ways): for way in ways { add(way.outcome) }
        }
    }

    /// `check: "${way.answer.code}"` concerns a code, whatever the expectation looks like.
    private mutating func add(_ condition: Condition) {
        if case .reference(let reference) = condition.value, let last = reference.path.last, Self.keys.contains(last) {
            add(named: condition.expectation)
        } else {
            add(in: condition.expectation)
        }
    }

    /// Adds the names in such members of an expectation.
    private mutating func add(in expectation: Expectation?) {
        guard let expectation else { return }
        switch expectation.matcher {
        case .object(let members):
            for member in members {
                if Self.keys.contains(member.key) {
                    add(named: member.expectation)
                } else {
                    add(in: member.expectation)
                }
            }
        case .list(let inner), .oneOf(let inner), .all(let inner): for one in inner { add(in: one) }
        case .contains(let inner), .each(let inner): add(in: inner)
        case .equals(let template), .exactly(let template): add(in: template)
        // A value that must be absent is not shown.
        case .not: break
        default: break
        }
    }

    /// Adds the values of such members.
    private mutating func add(in template: Template) {
        switch template {
        case .object(let members):
            for (key, member) in members { if Self.keys.contains(key) { add(member) } else { add(in: member) } }
        case .list(let elements): for element in elements { add(in: element) }
        case .literal(.object(let members)): add(in: .object(members.mapValues(Template.literal)))
        case .literal(.array(let elements)): add(in: .list(elements.map(Template.literal)))
        default: break
        }
    }

    /// Adds the names in an expectation of a code.
    private mutating func add(named expectation: Expectation?) {
        guard let expectation else { return }
        switch expectation.matcher {
        case .equals(let template), .exactly(let template): add(template)
        case .oneOf(let choices), .all(let choices): for choice in choices { add(named: choice) }
        // A cause in words that begin with the code.
        case .contains(let inner): add(named: inner)
        // An error with a code inside, such as the server's.
        case .object: add(in: expectation)
        default: break
        }
    }

    private mutating func add(_ template: Template) {
        switch template {
        case .literal(.string(let name)): names.insert(name)
        case .literal(let number) where number.integerValue != nil: names.insert(number.description)
        case .object, .list: add(in: template)
        default: break
        }
    }
}
