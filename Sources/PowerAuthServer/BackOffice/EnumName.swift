import PowerAuthProtocol

/// An enumeration that the API spells in upper case.
protocol NamedChoice: Sendable {
    static var names: [String] { get }
    init?(name: String)
}

/// A value spelled by one of the API's upper-case names; an unknown name makes the request unreadable.
struct EnumName<Value: NamedChoice>: Decodable, Sendable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Value(name: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not one of \(Value.names.joined(separator: ", "))")
        }
        self.value = value
    }
}

extension ActivationState: NamedChoice {
    static var names: [String] { allCases.map(\.name) }
}

/// Who speaks for an activation; the only names of the API in lower case (server.md, section 2.3).
enum ActivationProtocol: String, CaseIterable, NamedChoice {
    case powerauth
    /// Served by another API, which this server does not have.
    case fido2

    static var names: [String] { allCases.map(\.rawValue) }

    init?(name: String) { self.init(rawValue: name) }
}

extension CommitPhase: NamedChoice {
    static var names: [String] { ["ON_COMMIT", "ON_KEY_EXCHANGE"] }
}

extension OtpValidationMode: NamedChoice {
    static var names: [String] { ["NONE", "ON_KEY_EXCHANGE", "ON_COMMIT"] }
}

extension SignatureType: NamedChoice {
    static var names: [String] { allCases.map(\.name) }

    init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }
}
