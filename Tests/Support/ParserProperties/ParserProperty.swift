// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One parser and what must hold for every input, valid or not: it answers with a value that obeys its rules
/// or throws, and never traps.
///
/// The tests drive each property with damaged examples for a bounded time (`MalformedInputTests`), the
/// package in `Tools/Fuzzing` with libFuzzer for as long as one likes.
public struct ParserProperty: Sendable, CustomStringConvertible {
    /// Short name, which is also the name of the fuzz target.
    public let name: String
    /// Valid inputs to start from.
    public let examples: [Data]
    /// Parses the input and checks the result.
    /// - Throws: ``Violation`` if a rule is broken. Refusing the input is not a violation.
    public let check: @Sendable (Data) throws -> Void

    init(_ name: String, examples: [Data], check: @escaping @Sendable (Data) throws -> Void) {
        self.name = name
        self.examples = examples
        self.check = check
    }

    /// The name.
    public var description: String { name }

    /// A broken rule, and the input that broke it.
    public struct Violation: Error, CustomStringConvertible {
        let rule: String
        let input: Data
        /// Rule and input, in Base64.
        public var description: String { "broken rule: \(rule); input in Base64: \(input.base64EncodedString())" }
    }

    /// Every parser of the protocol, of the client core, of the Mobile Token SDK, of the link to the watch and of the lab's
    /// files.
    public static let all: [ParserProperty] = {
        do {
            return codes + encodings + (try configurations()) + (try keys()) + headers + (try encryption())
                + (try tokens()) + (try version4()) + (try activation()) + (try status()) + (try sessionState())
                + mobileToken
                + (try watch()) + files
        } catch {
            fatalError("The examples of the parser properties cannot be made: \(error)")
        }
    }()
}

/// States a rule about the result of a parser.
func require(_ condition: Bool, _ rule: String, _ input: Data) throws {
    guard condition else { throw ParserProperty.Violation(rule: rule, input: input) }
}

extension Data {
    /// The input of parsers that take text; bytes that are not UTF-8 become replacement characters.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
    var bytes: Data { Data(utf8) }
}

/// Values all examples share (those of the worked example in protocol.md, section 19).
enum Example {
    static let applicationKey = "AAECAwQFBgcICQoLDA0ODw=="
    static let applicationSecret = "EBESExQVFhcYGRobHB0eHw=="
    static let activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    static let keyId = "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21"
    static let nonce = "ICEiIyQlJicoKSorLC0uLw=="
    static let timestamp: UInt64 = 1_735_689_600_000
}
