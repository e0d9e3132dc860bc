import LabFile
import LabKit

/// Reads the expectation of a failure.
///
/// Not thread-safe: used by the one thread that reads the file.
struct FailureReader {
    let expectations: ExpectationReader
    /// Names of the errors that only own apps have.
    let ownErrors: [String]

    /// The shape of a failure in expectations: the error's own members, and those of its userInfo beside them.
    static let type: FieldType = .map

    /// The members every error has.
    static let members = ["code", "domain", "message"]

    func read(_ node: YAMLNode) -> Expectation? {
        // `fails: externalPendingOperation` is short for `fails: { code: … }`, `fails: any` accepts every error.
        if let scalar = node.scalar, !node.isNull {
            if scalar.text == "any" { return Expectation(matcher: .any, place: node.place) }
            guard let code = expectations.values.read(node, as: .any, what: "`fails`") else { return nil }
            let expectation = Expectation(matcher: .equals(code), place: node.place)
            checkCode(expectation)
            return Expectation(
                matcher: .object([Matcher.Member(key: "code", expectation: expectation)]), place: node.place)
        }
        guard let entries = node.entries else {
            expectations.values.collector.report(
                .wrongShape(what: "`fails`", expected: .mapping, actual: node.shape), at: node.place)
            return nil
        }
        for entry in entries where !Self.members.contains(entry.key) {
            // userInfo keys are free, so only an obvious typo is rejected.
            if entry.key.count > 2, let meant = nearest(entry.key, among: Self.members),
                abs(meant.count - entry.key.count) <= 1
            {
                expectations.values.collector.report(
                    .unknownKey(key: entry.key, container: "`fails`", known: Self.members), at: entry.keyPlace)
                return nil
            }
        }
        let expectation = expectations.read(node, of: .map, what: "the error")
        guard let expectation, case .object(let members) = expectation.matcher else { return expectation }
        return Expectation(matcher: .object(members.map(checked)), place: expectation.place)
    }

    /// The member; `code: any` means `fails: any`, with more members beside it.
    private func checked(_ member: Matcher.Member) -> Matcher.Member {
        guard member.key == "code" else { return member }
        if case .equals(.literal("any")) = member.expectation.matcher {
            return Matcher.Member(
                key: "code", expectation: Expectation(matcher: .any, place: member.expectation.place))
        }
        checkCode(member.expectation)
        return member
    }

    /// Reports a code that no error has. Numbers are not checked: domains share them.
    private func checkCode(_ expectation: Expectation) {
        switch expectation.matcher {
        case .equals(.literal(.string(let name))), .exactly(.literal(.string(let name))):
            let known = ErrorNames.all + ownErrors
            guard !known.contains(name), Int(name) == nil else { return }
            expectations.values.collector.report(
                .unknownName(what: "error", name: name, known: known), at: expectation.place)
        case .oneOf(let choices), .all(let choices):
            for choice in choices { checkCode(choice) }
        case .not(let inner):
            checkCode(inner)
        default:
            break
        }
    }
}
