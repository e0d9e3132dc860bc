// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile

/// An expectation of a value, and its place.
package struct Expectation: Sendable {
    package let matcher: Matcher
    package let place: SourcePlace

    package init(matcher: Matcher, place: SourcePlace) {
        self.matcher = matcher
        self.place = place
    }
}

/// The matchers of the scenario language.
package indirect enum Matcher: Sendable {
    /// The same value; numbers compare as numbers.
    case equals(Template)
    /// An object with at least these members.
    case object([Member])
    /// A list of exactly these elements, in this order.
    case list([Expectation])
    /// What the expectation says, with nothing added to objects, at any depth.
    case exactly(Expectation)
    /// Text that matches a regular expression.
    case matches(String)
    case oneOf([Expectation])
    case all([Expectation])
    case not(Expectation)
    /// Text with this substring, a list with such an element, an object with such members.
    case contains(Expectation)
    case startsWith(Template)
    case endsWith(Template)
    /// A number from the first to the second, both included.
    case between(Template, Template)
    case atLeast(Template)
    case atMost(Template)
    /// A number, or a duration, that differs from the first by at most the second.
    case near(Template, Template)
    /// A list whose elements all match; also an empty list.
    case each(Expectation)
    /// A value of this kind.
    case type(ValueKind)
    /// The number of characters, elements or members.
    case length(Expectation)
    case absent
    case any

    package struct Member: Sendable {
        package let key: String
        package let expectation: Expectation

        package init(key: String, expectation: Expectation) {
            self.key = key
            self.expectation = expectation
        }
    }

    /// The kinds of JSON values, as `type` names them.
    package enum ValueKind: String, CaseIterable, Sendable {
        case text, number, integer, boolean, list, object

        /// The kind in a sentence.
        package var title: String {
            switch self {
            case .text: "text"
            case .integer, .object: "an \(rawValue)"
            case .number, .boolean, .list: "a \(rawValue)"
            }
        }

        package func holds(_ value: JSONValue?) -> Bool {
            switch (self, value) {
            case (.text, .string), (.boolean, .bool), (.list, .array), (.object, .object): true
            case (.number, _): value?.numberValue != nil
            case (.integer, .integer), (.integer, .unsigned): true
            default: false
            }
        }
    }

    /// The words that stand for matchers in a scenario.
    package static let words = [
        "absent", "all", "any", "atLeast", "atMost", "between", "contains", "each", "endsWith", "equals", "exactly",
        "length", "matches", "near", "not", "oneOf", "startsWith", "type",
    ]
}
