import PowerAuthProtocol

/// An enumeration that the API spells in upper case.
protocol NamedChoice: CaseIterable, Sendable {
    /// How the API spells the choice.
    var name: String { get }
}

extension NamedChoice {
    /// All names of the API.
    static var names: [String] { allCases.map(\.name) }

    /// Finds a choice by its word.
    init?(name: String) {
        guard let choice = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = choice
    }
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

/// The protocol of an activation; the only names of the API in lower case (server.md, section 2.3).
enum ActivationProtocol: String, CaseIterable, NamedChoice {
    case powerauth
    /// Served by another API, which this server does not have.
    case fido2

    var name: String { rawValue }
}

extension SignatureType: NamedChoice {}
