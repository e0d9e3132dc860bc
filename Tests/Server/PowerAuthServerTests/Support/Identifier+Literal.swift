@testable import PowerAuthServer

/// Tests write identifiers as texts.
extension Identifier: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self.init(known: text)
    }
}
